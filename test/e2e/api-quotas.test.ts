/**
 * Tests the maximums per organization over HTTP: release ranges, running backfills and webhook endpoints. When only one
 * more object is allowed, exactly one of several concurrent requests succeeds.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { freePort } from '../helpers/ports.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Starts a service that knows four repositories of acme, in several partitions, and one of moon. */
async function start(t: TestContext, env: Record<string, string>) {
  const service = await startService(t, { env });
  const numbers = [1001, 1002, 1003, 1004];
  const moon = { id: 2001, full_name: 'moon/base', owner: { login: 'moon', id: 88, type: 'Organization' } };
  for (const id of numbers) await service.deliver('pull_request', pullPayload(1, {}, { id, full_name: `acme/r${id}` }));
  await service.deliver('pull_request', pullPayload(1, {}, moon));
  const repos: { id: string; fullName: string }[] = await waitUntil('the repositories are known', async () => {
    const { body } = await service.api('GET', '/api/repos?sort=name&order=asc');
    return body.total === numbers.length + 1 && body.repos;
  });
  const ids = repos.map(({ id }) => id);
  return { service, acme: ids.slice(0, -1), moon: ids.at(-1) as string };
}

/** Returns the statuses in ascending order. Asserts that each reply with status 409 has the given message. */
function statuses(answers: readonly Answer[], message: string): number[] {
  for (const { status, body } of answers) if (status === 409) assert.equal(body.message, message);
  return answers.map(({ status }) => status).sort();
}

test('an organization has at most the maximum number of ranges over all its repositories', async (t) => {
  const { service, acme, moon } = await start(t, { TIDINGS_MAX_RANGES: '4' });
  const create = (repoId: string, toPrNumber = 1): Promise<Answer> =>
    service.api('POST', '/api/ranges', { type: 'PR_BASED', repoId, fromPrNumber: 1, toPrNumber });
  assert.equal((await create(acme[0] as string)).status, 201);
  const answers = await Promise.all([...acme, ...acme].map((repoId, i) => create(repoId, i + 2)));
  const message = 'An organization has at most 4 release ranges (TIDINGS_MAX_RANGES).';
  assert.deepEqual(statuses(answers, message), [201, 201, 201, 409, 409, 409, 409, 409]);
  assert.deepEqual(statuses([await create(acme[3] as string)], message), [409]);
  const lists = await Promise.all(acme.map((repoId) => service.api('GET', `/api/ranges?repoId=${repoId}`)));
  assert.equal(
    lists.reduce((sum, { body }) => sum + body.total, 0),
    4,
  );
  assert.equal((await create(moon)).status, 201, 'another organization has its own maximum');
});

test('an organization has at most the maximum number of running backfills', async (t) => {
  // No server listens at this address, so each backfill waits for its host until the backfill is canceled.
  const host = `http://127.0.0.1:${await freePort()}`;
  const env = { TIDINGS_MAX_BACKFILLS: '2', TIDINGS_HOST_API_URL: host, TIDINGS_HOST_TOKEN: 'a-token' };
  const { service, acme, moon } = await start(t, env);
  const backfill = (repoId: string, method = 'POST') =>
    service.api(method, `/api/repos/${repoId}/backfill`, method === 'POST' ? {} : undefined);
  const [first = '', ...others] = acme;
  assert.equal((await backfill(first)).status, 202);
  const answers = await Promise.all(others.map((repoId) => backfill(repoId)));
  const message =
    'An organization has at most 2 backfills in progress (TIDINGS_MAX_BACKFILLS). Wait until a backfill ends, or cancel a backfill.';
  assert.deepEqual(statuses(answers, message), [202, 409, 409]);
  assert.equal((await backfill(first)).status, 202, 'a repository with a running backfill gets that one');
  assert.equal((await backfill(moon)).status, 202, 'another organization has its own maximum');
  assert.equal((await backfill(first, 'DELETE')).body.state, 'cancelled');
  const refused = others.filter((_, i) => answers[i]?.status === 409);
  assert.deepEqual(statuses(await Promise.all(refused.map((repoId) => backfill(repoId))), message), [202, 409]);
});

test('an organization has at most the maximum number of webhook endpoints', async (t) => {
  const service: TestService = await startService(t, { env: { TIDINGS_MAX_WEBHOOK_ENDPOINTS: '2' } });
  const { body: key } = await service.api('POST', '/api/keys', { name: 'k', org: 'acme' });
  const create = (): Promise<Answer> =>
    service.api('POST', '/api/webhook-endpoints', { url: 'https://hooks.acme.example/x' }, key.key);
  assert.equal((await create()).status, 201);
  const message = 'An organization has at most 2 webhook endpoints (TIDINGS_MAX_WEBHOOK_ENDPOINTS). Delete one.';
  assert.deepEqual(statuses(await Promise.all([create(), create()]), message), [201, 409]);
});
