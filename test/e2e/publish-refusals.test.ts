/**
 * Tests publish requests that the service refuses immediately, because no attempt could succeed. The causes are missing
 * credentials for the host, a range without a tag, pages that are switched off, and secrets that cannot be opened. Each
 * refusal names the remedy.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { TestApp } from '../helpers/host/app.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { createTagRange, deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';

const small = {
  TIDINGS_PARTITIONS: '1',
  TIDINGS_WORKERS: '1',
  TIDINGS_RENDER_THREADS: '1',
  TIDINGS_TAG_SYNC_HOURS: '0',
};
const hostChannels = ['scm_releases', 'changelog', 'releases_md'] as const;

/** Starts a service and makes a draft of acme/rocket. */
async function start(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env: { ...small, ...env } });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id, 'customer');
  const publish = (channel: string, draftId: string = draft.id) =>
    toEnd(service, service.api('POST', '/api/publish', { draftId, channel }));
  return { service, repoId, range, draft, publish };
}

async function assertNothingMade(service: TestService, repoId: string): Promise<void> {
  assert.equal((await service.api('GET', `/api/publications?repoId=${repoId}`)).body.total, 0);
}

function assertConflict({ status, body }: Answer, words: RegExp): void {
  assert.equal(status, 409, JSON.stringify(body));
  assert.match(body.message, words);
}

test('host channels without credentials are refused, and the reply names the missing setting', async (t) => {
  const { service, repoId, draft, publish } = await start(t);
  for (const channel of hostChannels) {
    const words = new RegExp(
      `^The channel ${channel} is not connected: the service has no credentials for https://github\\.com\\. Set TIDINGS_HOST_TOKEN .*Or create a GitHub App in the settings`,
    );
    assertConflict(await publish(channel), words);
    assertConflict(await service.api('POST', `/api/channels/${channel}/test?repoId=${repoId}`, {}), words);
    const preview = await service.api('POST', '/api/publish/preview', { draftId: draft.id, channel });
    assert.equal(preview.status, 200, 'a preview needs no connection');
  }
  await assertNothingMade(service, repoId);
  const tried = await service.run('channels', 'test', 'changelog', '--repo', 'acme/rocket');
  assert.deepEqual([tried.code, /TIDINGS_HOST_TOKEN/.test(tried.output)], [1, true], tried.output);
});

test('host channels of an app that is not installed are refused', async (t) => {
  const app = new TestApp(temporaryFolder(t));
  const host = await startHost(t, buildHistory(), { app });
  const { publish } = await start(t, host.env);
  assertConflict(await publish('changelog'), /the app has no installation for acme\/rocket\. Install it/);
  assert.deepEqual(host.asked(/contents|releases/), []);
});

test('a repository whose owner the host does not confirm is refused, and published after confirmation', async (t) => {
  // The id of acme/rocket on this host differs from its id in the deliveries.
  const host = await startHost(t, buildHistory({ id: 4711 }), { token: 'secret-token' });
  const { service, repoId, publish } = await start(t, host.env);
  const words = /is not connected: the host does not confirm that this repository .* Give the token or the app access/;
  for (const channel of hostChannels) assertConflict(await publish(channel), words);
  assertConflict(await service.api('POST', `/api/channels/changelog/test?repoId=${repoId}`, {}), words);
  await assertNothingMade(service, repoId);
  assert.deepEqual(host.asked(/contents|releases|^(PUT|POST)/), [], 'only the owner was requested');
  // The service asks the host again for each publish request, and does not reuse the earlier answer.
  host.history.id = 1001;
  const { status, body } = await publish('changelog');
  assert.deepEqual([status, body.status], [201, 'completed'], JSON.stringify(body));
});

test('a host that does not answer is left to the retries', async (t) => {
  const host = await startHost(t, buildHistory({ id: 1001 }), { token: 'secret-token' });
  const { service, repoId, draft } = await start(t, host.env);
  await host.close();
  const { status, body } = await service.api('POST', '/api/publish', { draftId: draft.id, channel: 'changelog' });
  assert.deepEqual([status, body.status], [201, 'processing'], JSON.stringify(body));
  assert.equal((await service.api('GET', `/api/publications?repoId=${repoId}`)).body.total, 1);
});

test('a range that ends at no tag cannot be a release', async (t) => {
  const { service, repoId } = await start(t);
  for (const [bounds, words] of [
    [{ type: 'DATE_BASED', fromDate: '2026-01-01', toDate: '2026-02-01' }, /defined by dates\. Create a range/],
    [{ type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 4 }, /defined by pull requests\. Create a range/],
  ] as const) {
    const range = await service.api('POST', '/api/ranges', { repoId, ...bounds });
    const { id: draftId } = await generateDraft(service, range.body.id);
    const asked = { draftId, channel: 'scm_releases' };
    for (const path of ['/api/publish', '/api/publish/preview'])
      assertConflict(await service.api('POST', path, asked), words);
    const file = await service.api('POST', '/api/publish/preview', { draftId, channel: 'changelog' });
    assert.equal(file.status, 200, 'a file takes any range');
  }
  await assertNothingMade(service, repoId);
});

test('a connection whose secrets do not open is refused', async (t) => {
  const first = await start(t);
  const settings = { webhookUrl: 'https://chat.example/hooks/secret-path' };
  const path = `/api/channels/workspace_chat?repoId=${first.repoId}`;
  assert.equal((await first.service.api('PUT', path, { settings })).status, 200);
  await first.service.stop();
  const { dataDir } = first.service;
  writeFileSync(join(dataDir, 'sealing-key'), `${randomBytes(32).toString('base64')}\n`);
  const service = await startService(t, { env: small, dataDir });
  const asked = { draftId: first.draft.id, channel: 'workspace_chat' };
  const words =
    /^The channel workspace_chat is not connected: the current sealing key cannot decrypt the stored webhookUrl\. Connect the channel again/;
  assertConflict(await service.api('POST', '/api/publish', asked), words);
  assertConflict(await service.api('POST', `/api/channels/workspace_chat/test?repoId=${first.repoId}`, {}), words);
  await assertNothingMade(service, first.repoId);
});
