/**
 * Tests receivers that fail, do not answer, or refuse an item. The publication reports the failure. Other channels are
 * not affected. A restored partition repeats no delivery.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { deliveriesOf } from '../helpers/host/deliveries.ts';
import { slow, status } from '../helpers/host/faults.ts';
import { startHost, type TestHost } from '../helpers/host/server.ts';
import { generateDraft, publicationEnded, toEnd } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface Stage {
  host: TestHost;
  service: TestService;
  draftId: string;
  /** Sends a publish request and returns its first reply, even if the publication has not ended. */
  ask: (channel: string) => Promise<Answer>;
  publish: (channel: string) => Promise<Answer>;
  ended: (id: string) => Promise<Answer['body']>;
}

async function start(t: TestContext): Promise<Stage> {
  const host = await startHost(t, buildHistory({ numbers: 24 }), { token: 'secret-token' });
  host.history.releases.length = 0;
  const env = { ...host.env, TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_TAG_SYNC_HOURS: '0' };
  const service = await startService(t, { env });
  for (const { event, payload } of deliveriesOf(host.history, host.place)) await service.deliver(event, payload);
  const repoId = await theRepository(service);
  const range = await waitUntil('the tags are known', async () => {
    const bounds = { type: 'TAG_BASED', repoId, fromTag: 'v1.0.0', toTag: 'v2.0.0' };
    const answer = await service.api('POST', '/api/ranges', bounds);
    return answer.status === 201 && answer.body;
  });
  const draft = await generateDraft(service, range.id);
  const ask: Stage['ask'] = (channel) => service.api('POST', '/api/publish', { draftId: draft.id, channel });
  const publish: Stage['publish'] = (channel) => toEnd(service, ask(channel));
  const ended: Stage['ended'] = (id) => publicationEnded(service, id);
  return { host, service, draftId: draft.id, ask, publish, ended };
}

const writes = /^PUT .*\/contents\//;

test('a receiver that fails is retried, and other channels continue meanwhile', async (t) => {
  const { host, ask, publish, ended } = await start(t);
  host.fail(writes, status(503), { times: 1 });
  // The second attempt would happen at about the same time as the reply to the publish request. The host therefore
  // delays its answer to the second attempt until the reply has arrived.
  const asked = ask('changelog');
  host.fail(writes, (_, answer) => void asked.then(answer));
  const [waiting, release] = await Promise.all([asked, publish('scm_releases')]);
  assert.deepEqual([release.status, release.body.status], [201, 'completed'], JSON.stringify(release.body));
  assert.equal(release.body.url, `${host.origin}/acme/rocket/releases/tag/v2.0.0`);
  assert.deepEqual([waiting.status, waiting.body.status], [201, 'processing']);
  const after = await ended(waiting.body.id);
  assert.deepEqual([after.status, after.attempts.length, after.error], ['completed', 2, null], JSON.stringify(after));
  assert.ok(after.attempts[0].error.length > 0);
  const pause = Date.parse(after.attempts[1].at) - Date.parse(after.attempts[0].endedAt);
  assert.ok(pause >= 5000, `${pause} ms`);
  assert.equal(host.publishing.commits.length, 1);
});

test('a publication to a slow receiver gets the reply "processing" and completes later', async (t) => {
  const { host, ask, ended } = await start(t);
  // The host answers after 20 seconds. A publish request does not wait that long, even on a busy machine.
  host.fail(writes, slow(20_000));
  const started = performance.now();
  const { status: code, body } = await ask('changelog');
  const ms = performance.now() - started;
  assert.deepEqual([code, body.status, body.url, body.publishedAt], [201, 'processing', null, null]);
  assert.ok(ms > 4500, `${ms} ms`);
  assert.equal((await ask('changelog')).body.id, body.id);
  const after = await ended(body.id);
  assert.deepEqual([after.status, after.attempts.length], ['completed', 1]);
});

test('a receiver that refuses fails the publication, and publishing again retries it', async (t) => {
  const { host, publish } = await start(t);
  host.fail(writes, status(403));
  const refused = await publish('changelog');
  assert.deepEqual([refused.body.status, refused.body.outcomeUnknown], ['failed', false]);
  assert.ok(refused.body.error.length > 0);
  assert.ok(!JSON.stringify(refused.body).includes('secret-token'));
  const again = await publish('changelog');
  assert.deepEqual([again.body.id, again.body.status], [refused.body.id, 'completed']);
});

test('a changed text updates the same item', async (t) => {
  const { host, service, draftId, publish } = await start(t);
  const first = await publish('scm_releases');
  await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: 'Another text.\n' });
  const second = await publish('scm_releases');
  assert.notEqual(second.body.id, first.body.id);
  assert.equal(second.body.url, first.body.url);
  assert.deepEqual(
    host.publishing.releases.map(({ body }) => body.trim()),
    ['Another text.'],
  );
});

test('a restored partition repeats nothing', async (t) => {
  const { host, service, draftId, publish } = await start(t);
  await publish('changelog');
  service.tidings('snapshot');
  await publish('releases_md');
  await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd: 'Another text.\n' });
  const { body: last } = await publish('changelog');
  assert.equal(last.status, 'completed');
  assert.equal(await service.stop(), 0);
  const asked = host.seen.length;
  for (const name of ['current', 'g000001'])
    rmSync(join(service.dataDir, 'partitions/p00', name), { recursive: true, force: true });
  const { env, dataDir } = service;
  const second = await startService(t, { env, dataDir });
  // The service is already available while it folds the records that are newer than the snapshot.
  await waitUntil('all three are listed and completed', async () => {
    const { publications = [] } = (await second.api('GET', `/api/publications?draftId=${draftId}`)).body;
    return publications.length === 3 && publications.every((each: { status: string }) => each.status === 'completed');
  });
  // If the service repeated an earlier effect, the effect would run before this new publication. The host would then
  // have more than four commits.
  const { body } = await toEnd(second, second.api('POST', '/api/publish', { draftId, channel: 'releases_md' }));
  assert.equal(body.status, 'completed');
  assert.equal(host.publishing.commits.length, 4);
  assert.ok(host.seen.length > asked);
});
