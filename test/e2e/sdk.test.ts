/**
 * Tests the client against a running service: all steps to a draft, pages of lists, refusals, limits, and the example
 * program as a user runs it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  createClient,
  ForbiddenError,
  InvalidRequestError,
  metaOf,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  UnauthorizedError,
} from '../../sdk/index.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

const example = fileURLToPath(new URL('../../sdk/example.js', import.meta.url));
const archive = fileURLToPath(new URL('../../client/tidings-client.tgz', import.meta.url));
const tags = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' } as const;

test('the client uses the API', async (t) => {
  const service = await startService(t, { env: { TIDINGS_LIMIT_API_PER_MINUTE: '1500' } });
  const repoId = await deliverRocket(service);
  const client = createClient({ url: service.url, key: service.adminKey });

  await t.test('the client gets from two tags to an edited draft', async () => {
    const range = await client.createRange({ repoId, ...tags });
    assert.deepEqual([range.prCount, metaOf(range).status], [3, 201]);
    const ticket = await client.generateDraft({ rangeId: range.id, persona: 'customer' });
    const draft = await client.waitForDraft(ticket.id);
    assert.match(draft.bodyMd, /New fuel format/);
    const { etag } = metaOf(await client.getDraft({ draftId: draft.id }));
    const options = { ifMatch: etag as string };
    const edited = await client.updateDraft({ draftId: draft.id, bodyMd: 'mine' }, options);
    assert.equal(edited.bodyMd, 'mine');
    const moved = client.updateDraft({ draftId: draft.id, bodyMd: 'late' }, options);
    await assert.rejects(moved, PreconditionFailedError);
    const restored = await client.restoreDraft({ draftId: draft.id, revision: 1 });
    assert.equal(restored.bodyMd, draft.bodyMd);
  });

  await t.test('a POST with the same idempotency key is carried out once', async () => {
    const once = { idempotencyKey: 'release' };
    const first = await client.createRange({ repoId, ...tags }, once);
    const again = await client.createRange({ repoId, ...tags }, once);
    assert.deepEqual([again.id, metaOf(first).replayed, metaOf(again).replayed], [first.id, false, true]);
  });

  await t.test('the client reads all pages of a list', async () => {
    for (let i = 1; i <= 5; i++) await client.createRange({ repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: i });
    const { total } = await client.listRanges({ repoId });
    const found = new Set<string>();
    for await (const range of client.each('listRanges', { repoId, limit: 3 })) found.add(range.id);
    assert.equal(found.size, total);
    const rest: string[] = [];
    for await (const range of client.each('listRanges', { repoId, limit: 2, offset: total - 3 })) rest.push(range.id);
    assert.equal(rest.length, 3);
  });

  await t.test('refusals become errors with status, request id and remaining requests', async () => {
    const missing = await client.getDraft({ draftId: 'draft_x' }, { requestId: 'mine-1' }).catch((error) => error);
    assert.ok(missing instanceof NotFoundError);
    assert.deepEqual([missing.status, missing.error, missing.requestId], [404, 'Not found', 'mine-1']);
    assert.equal(missing.rateLimit?.limit, 1500);
    assert.ok((missing.rateLimit?.reset.getTime() ?? 0) > Date.now());
    const wrong = await client.listRepositories({ limit: 500 }).catch((error) => error);
    assert.ok(wrong instanceof InvalidRequestError);
    assert.deepEqual(Object.keys(wrong.details), ['limit']);
    const anonymous = createClient({ url: service.url, key: 'rn_live_x' });
    await assert.rejects(anonymous.listRepositories(), UnauthorizedError);
    const { key } = await client.createKey({ name: 'r', org: 'acme', scopes: ['repos:read'] });
    await assert.rejects(createClient({ url: service.url, key }).getStats(), ForbiddenError);
    await assert.rejects(client.getDraft({ draftId: '..' }), TypeError);
  });

  await t.test('the service serves the package that the build made', async () => {
    const answer = await fetch(`${service.url}/sdk/tidings-client.tgz`);
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/gzip']);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), readFileSync(archive));
  });

  await t.test('a client in test mode gets made-up replies', async () => {
    const { key } = await client.createKey({ name: 't', org: 'acme' });
    const rehearsal = createClient({ url: service.url, key, testMode: true });
    assert.equal((await rehearsal.listRepositories()).repos[0]?.id, 'repo_test_rocket');
  });

  await t.test('a client over its limit fails immediately when the wait is too long', async () => {
    const { key } = await client.createKey({ name: 'busy', org: 'acme' });
    const hasty = createClient({ url: service.url, key, maxWaitMs: 10 });
    for (let round = 0; round < 30; round++)
      await Promise.all(Array.from({ length: 50 }, () => hasty.listRepositories()));
    const limited = await hasty.listRepositories().catch((error: unknown) => error);
    assert.ok(limited instanceof RateLimitedError);
    assert.ok(limited.meta.retryAfter);
  });

  await t.test('the example prints a draft, or reports the error', async () => {
    const env = { PATH: process.env.PATH, TIDINGS_URL: service.url, TIDINGS_KEY: service.adminKey };
    const run = (...args: string[]) => promisify(execFile)(process.execPath, [example, ...args], { env });
    const { stdout } = await run('acme/rocket', 'v1.0.0', 'v1.1.0', 'engineer');
    assert.match(stdout, /## Breaking Changes/);
    await assert.rejects(run('acme/rocket', 'v1.0.0', 'v9'), /toTag: expected a tag of acme\/rocket.*400, request /s);
    await assert.rejects(run('acme/none', 'v1.0.0', 'v1.1.0'), /No repository acme\/none is connected/);
  });
});
