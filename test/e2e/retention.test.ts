/**
 * Tests retention as an operator uses it, by command line and API. Covers the preview of an erasure, waiting erasures
 * and their approval. After an erasure, no file contains the erased data.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs } from '../../src/foundation/days.ts';
import { repositoryId, ulid } from '../../src/foundation/ids.ts';
import { connectJournal } from '../../src/journal/connect.ts';
import type { InstallationBody } from '../../src/protocol/events.ts';
import type { CommandRecord, JournalRecord } from '../../src/protocol/journal.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { Wait } from '../../src/protocol/retention.ts';
import { localJournal } from '../../src/supervisor/nats-server.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { filesWith } from '../helpers/files-with.ts';
import { quiet } from '../helpers/journal.ts';
import { feed } from '../helpers/partition-owner.ts';
import { eventRecord, pullSnapshot } from '../helpers/partition-records.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = { TIDINGS_PARTITIONS: '1', TIDINGS_TICK_SECONDS: '1' };
const origin = 'https://github.com';
const owner = { id: '77', login: 'acme' };
const marker = 'planted-in-a-body';

function repository(hostId: string, name: string): EventRepository {
  const fullName = `acme/${name}`;
  const url = `${origin}/${fullName}`;
  return {
    id: repositoryId(origin, hostId),
    origin,
    hostId,
    fullName,
    defaultBranch: 'main',
    url,
    private: false,
    owner,
  };
}

/** Writes records directly to the journal, because records of real deliveries would have the current time. */
async function enqueue(
  t: TestContext,
  service: TestService,
  partition: string,
  records: JournalRecord[],
): Promise<void> {
  const server = localJournal(service.dataDir, Number(service.env.TIDINGS_NATS_PORT), 'cli');
  const journal = await connectJournal(server, { role: 'cli', name: 'test' }, quiet);
  afterwards(t, () => journal.close());
  const lane = feed(journal, partition);
  await Promise.all(records.map((record) => lane.enqueue(record)));
  await lane.close();
}

function pulls(count: number, days: number, rocket = repository('1001', 'rocket')): JournalRecord[] {
  const at = Date.now() - days * dayMs;
  return Array.from({ length: count }, (_, i) => {
    const pull = pullSnapshot(i + 1, { body: marker });
    return eventRecord({ event: 'pull_request', action: 'closed', pull }, { at, repository: rocket });
  });
}

function installation(action: InstallationBody['action'], days: number, added: EventRepository[] = []): JournalRecord {
  const repositories = added.map(({ id, hostId, fullName }) => ({ id, hostId, fullName, private: false }));
  const body = { action, origin, installationId: '9', owner, added: repositories, removed: [] };
  const at = Date.now() - days * dayMs;
  return { id: ulid(at), at, kind: 'installation', delivery: `${action} ${days}`, source: '', body };
}

async function shown(service: TestService) {
  const { status, body } = await service.api('GET', '/api/retention');
  assert.equal(status, 200);
  return body;
}

/** Takes a snapshot. A worker that is busy for a moment asks to be asked again. */
async function snapshot(service: TestService): Promise<void> {
  await waitUntil('a snapshot is taken', async () => (await service.run('snapshot')).code === 0);
}

function traces(service: TestService, text: string): string[] {
  return filesWith(service.dataDir, text);
}

test('a year-old record is shown, held back, approved and erased (spec 8)', async (t) => {
  const service = await startService(t, { env });
  await enqueue(t, service, 'p00', pulls(150, 400));
  await waitUntil('all is folded', async () => (await shown(service)).repositories[0]?.pulls === 150);

  const before = await shown(service);
  assert.deepEqual(before.repositories, [
    {
      partition: 'p00',
      repoId: repository('1001', 'rocket').id,
      fullName: 'acme/rocket',
      pulls: 150,
      issues: 0,
      comments: 0,
      pushes: 0,
      commits: 0,
    },
  ]);
  assert.match(service.tidings('retention', 'show'), /acme\/rocket \(p00\): 150 pull requests, 0 issues/);
  assert.equal((await shown(service)).repositories[0].pulls, 150, 'showing changes nothing');

  assert.equal(service.tidings('retention', 'sweep'), 'directory: swept\np00: swept\n');
  const held = (await shown(service)).partitions[1];
  const [wait] = held.waiting;
  assert.deepEqual([wait.cause, wait.records, wait.total], ['records', 150, 150]);
  assert.match(service.tidings('doctor'), /! retention of p00: a sweep would erase a large share of the records/);
  await waitUntil('the alarm is raised', async () => (await service.metric('tidings_partition_alarm')) === 1);
  const said = () => service.log.match(/a sweep would erase a large share/g)?.length;
  await waitUntil('it is logged', () => said() !== undefined);
  assert.equal(said(), 1, 'it is logged once');

  const unknown = await service.api('POST', '/api/retention/approve', { id: 'other' });
  assert.deepEqual([unknown.status, unknown.body.error], [404, 'Not found']);
  const wrong = await service.api('POST', '/api/retention/approve', { partition: 'p77', more: 1 });
  assert.deepEqual([wrong.status, Object.keys(wrong.body.details)], [400, ['more']]);
  const noPartition = await service.api('POST', '/api/retention/approve', { partition: 'p77' });
  assert.match(noPartition.body.message, /partition: expected one of directory, p00/);
  const approval = await service.api('POST', '/api/retention/approve', { partition: 'p00', id: wait.id });
  assert.deepEqual([approval.status, approval.body.approved], [200, [wait]]);
  await waitUntil('it is erased', async () => (await shown(service)).partitions[1].lastSweep?.erased.pulls === 150);
  assert.equal(await service.metric('tidings_retention_erased_total'), 150);

  assert.notDeepEqual(traces(service, marker), []);
  await snapshot(service);
  assert.deepEqual(traces(service, marker), []);
  // The snapshot has moved the partition to a new store. The gateway reads this store, and deliveries are still
  // accepted.
  assert.equal((await service.deliver('pull_request', pullPayload(9))).status, 202);
  await waitUntil('it is listed', async () => (await service.api('GET', '/api/repos')).body.total === 1);
  await waitUntil('the alarm is over', async () => (await service.metric('tidings_partition_alarm')) === 0);
});

test('a draft whose changes were erased is not generated unless forced (spec 8)', async (t) => {
  const service = await startService(t, { env });
  await enqueue(t, service, 'p00', pulls(9, 400));
  await waitUntil('all is folded', async () => (await shown(service)).repositories[0]?.pulls === 9);
  // The directory learns of a repository from its partition, so it can be later.
  await waitUntil('it is listed', async () => (await service.api('GET', '/api/repos')).body.total === 1);
  const bounds = { repoId: repository('1001', 'rocket').id, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
  const { status, body: range } = await service.api('POST', '/api/ranges', bounds);
  assert.equal(status, 201, JSON.stringify(range));
  const draft = await generateDraft(service, range.id);
  const entry = /^.*<!-- rn:pr:1 -->$/m;
  const edited = draft.bodyMd.replace(entry, '- My own words <!-- rn:pr:1 -->');
  assert.notEqual(edited, draft.bodyMd);
  assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: edited })).status, 200);

  service.tidings('retention', 'sweep');
  await waitUntil('it is erased', async () => (await shown(service)).partitions[1].lastSweep?.erased.pulls === 9);
  await waitUntil(
    'it is counted',
    async () => (await service.api('GET', `/api/ranges/${range.id}`)).body.prCount === 0,
  );
  const path = `/api/drafts/${range.id}/generate`;
  for (const fields of [{}, { force: false }]) {
    const refused = await service.api('POST', path, { persona: 'engineer', ...fields });
    assert.deepEqual([refused.status, refused.body.error], [409, 'Conflict']);
    assert.match(refused.body.message, /had 9 changes .* and now has 0\. .*Send "force": true/);
  }
  const wrong = await service.api('POST', path, { persona: 'engineer', force: 'yes' });
  assert.deepEqual([wrong.status, Object.keys(wrong.body.details)], [400, ['force']]);
  assert.equal((await service.api('GET', `/api/drafts/${draft.id}`)).body.bodyMd, edited);

  const forced = await service.api('POST', path, { persona: 'engineer', force: true });
  assert.equal(forced.status, 201, JSON.stringify(forced.body));
  const after = await waitUntil('the draft is ready', async () => {
    const { body } = await service.api('GET', `/api/drafts/${draft.id}`);
    return body.status !== 'processing' && body;
  });
  assert.deepEqual(
    [after.status, /My own words/.test(after.bodyMd), /rn:pr:2/.test(after.bodyMd)],
    ['ready', true, false],
  );
});

test('after three days off nothing is erased until an operator confirms the clock', async (t) => {
  const service = await startService(t, { env: { ...env, TIDINGS_TICK_SECONDS: '3600' } });
  await enqueue(t, service, 'p00', pulls(9, 400));
  await waitUntil('all is folded', async () => (await shown(service)).repositories[0]?.pulls === 9);
  const trusted = async () => (await shown(service)).partitions[1].trustedTime;
  await waitUntil('the first tick', trusted);
  // Sets the trusted time of the partition back by three days, as if the service had been stopped for three days. The
  // tick with the time `at` is recorded as a jump of the clock. The approval of this jump moves the trusted time from
  // `from` to `to`. The approval is valid only for this jump. A tick that the worker writes meanwhile, for example
  // after a restart, clears the jump. Therefore, the loop sends both records until an approval is valid.
  const at = Date.now() - 3 * dayMs;
  await waitUntil('time is back', async () => {
    const now = await trusted();
    if (now === new Date(at).toISOString()) return true;
    const wait: Wait = { cause: 'clock', from: Date.parse(now), to: at };
    const back: CommandRecord = { id: ulid(at), at, kind: 'command', command: { name: 'approveRetention', wait } };
    await enqueue(t, service, 'p00', [{ id: ulid(at), at, kind: 'tick' }, back]);
    return false;
  });
  service.tidings('retention', 'sweep');
  const doubt = await waitUntil('the clock is in doubt', async () => (await shown(service)).partitions[1].waiting[0]);
  assert.deepEqual([doubt.cause, doubt.from], ['clock', new Date(at).toISOString()]);
  assert.equal((await shown(service)).repositories[0]?.pulls, 9);
  await waitUntil('the alarm is raised', async () => (await service.metric('tidings_partition_alarm')) === 1);
  await waitUntil('it is logged', () =>
    service.log.includes('the clock differs by more than a day from the last recorded time'),
  );
  assert.match(service.tidings('doctor'), /! retention of p00: the clock differs by more than a day/);
  assert.match(service.tidings('retention', 'approve', 'p00'), /^p00: the clock time \d{4}-\S+ was confirmed/);
  await waitUntil('it is swept', async () => (await shown(service)).partitions[1].lastSweep?.erased.pulls === 9);
  assert.equal(service.tidings('retention', 'approve'), 'No erasure waits for approval.\n');
});

test('an organization is erased a month after its app was removed (spec 8)', async (t) => {
  const service = await startService(t, { env });
  const [rocket, other] = [repository('1001', 'rocket'), repository('2002', 'other')];
  await enqueue(t, service, 'directory', [installation('installed', 60, [rocket])]);
  await enqueue(t, service, 'p00', [...pulls(150, 60, rocket)]);
  await waitUntil('all is folded', async () => (await shown(service)).partitions[1].total === 150);
  // The directory folds its own record of the installation, so it can be later than the partition.
  await waitUntil('it is listed', async () => (await service.api('GET', '/api/repos')).body.total === 1);
  const key = service.tidings('keys', 'create', '--org', 'acme', '--name', 'ci', '--quiet').trim();
  assert.equal((await service.api('GET', '/api/repos', undefined, key)).body.total, 1);
  const refused = await service.api('GET', '/api/retention', undefined, key);
  assert.deepEqual([refused.status, refused.body.error], [403, 'Forbidden']);
  const refusedWord = await service.api('POST', '/api/retention/approve', {}, key);
  assert.equal(refusedWord.status, 403);
  const range = { repoId: rocket.id, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 999 };
  const made = await service.api('POST', '/api/ranges', range);
  assert.equal(made.body.prCount, 150);

  await enqueue(t, service, 'directory', [installation('uninstalled', 31)]);
  const organization = await waitUntil('it is due', async () => (await shown(service)).organizations[0]);
  assert.deepEqual([organization.login, organization.due, organization.repositories[0].pulls], ['acme', true, 150]);
  assert.match(
    service.tidings('retention', 'show'),
    /acme: app removed .*, due since [\s\S]*acme\/rocket: 150 pull requests/,
  );
  service.tidings('retention', 'sweep');
  const [wait] = (await shown(service)).partitions[0].waiting;
  assert.deepEqual([wait.cause, wait.shares], ['organizations', [{ partition: 'p00', records: 150, total: 150 }]]);
  assert.equal((await service.api('GET', '/api/repos')).body.total, 1, 'everything is still stored');
  assert.match(service.tidings('retention', 'approve'), /^directory: number of organizations that will be erased: 1/);
  await waitUntil('it is erased', async () => (await service.api('GET', '/api/repos')).body.total === 0);
  assert.equal((await service.api('GET', `/api/ranges/${made.body.id}`)).status, 404);
  assert.equal((await service.api('GET', '/api/repos', undefined, key)).status, 401);
  await waitUntil('the partition has erased it', async () => (await shown(service)).partitions[1].total === 0);
  await snapshot(service);
  for (const text of [marker, 'acme/rocket', rocket.id, made.body.id])
    assert.deepEqual(traces(service, text), [], text);

  // When the organization appears again, the service treats it as unknown.
  await enqueue(t, service, 'p00', pulls(1, 0, other));
  await waitUntil('a new incarnation begins', async () => (await service.api('GET', '/api/repos')).body.total === 1);
});

/** Starts a service with nine pull requests, a published page about them, and an app that was installed 60 days ago. */
async function publishedNotes(t: TestContext) {
  const service = await startService(t, { env });
  const rocket = repository('1001', 'rocket');
  await enqueue(t, service, 'directory', [installation('installed', 60, [rocket])]);
  await enqueue(t, service, 'p00', pulls(9, 60, rocket));
  await waitUntil('all is folded', async () => (await shown(service)).partitions[1].total === 9);
  // The directory folds its own record of the installation, so it can be later than the partition.
  await waitUntil('it is listed', async () => (await service.api('GET', '/api/repos')).body.total === 1);
  const bounds = { repoId: rocket.id, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
  const range = (await service.api('POST', '/api/ranges', bounds)).body;
  const draft = await generateDraft(service, range.id, 'customer');
  const asked = service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' });
  const published = (await toEnd(service, asked)).body;
  assert.equal(published.status, 'completed', JSON.stringify(published));
  return { service, rocket, range, draft, published };
}

test('published notes remain after the app is removed, and can be deleted (spec 8)', async (t) => {
  const { service, rocket, range, draft, published } = await publishedNotes(t);
  const page = async () => (await fetch(published.url)).status;
  assert.equal(await page(), 200);
  const former = service.tidings('keys', 'create', '--org', 'acme', '--name', 'ci', '--quiet').trim();
  const { orgId } = (await service.api('GET', '/api/repos')).body.repos[0];
  assert.equal(
    (await service.api('GET', `/api/orgs/${orgId}`, undefined, former)).body.keepPublishedAfterUninstall,
    true,
  );

  await enqueue(t, service, 'directory', [installation('uninstalled', 31)]);
  await waitUntil('it is due', async () => (await shown(service)).organizations[0]);
  service.tidings('retention', 'sweep');
  await waitUntil('the rest is erased', async () => (await shown(service)).partitions[1].total === 0);
  assert.equal((await service.api('GET', '/api/repos', undefined, former)).status, 401, 'its keys are erased');
  for (const path of [`/api/ranges/${range.id}`, `/api/drafts/${draft.id}`])
    assert.equal((await service.api('GET', path)).status, 404, path);
  assert.deepEqual([await page(), (await shown(service)).organizations], [200, []]);
  await snapshot(service);
  assert.deepEqual(traces(service, marker), [], 'no body of a pull request is left');
  const resent = await service.api('POST', `/api/publications/${published.id}/resend`, {});
  assert.deepEqual(
    [resent.status, /because its draft was erased/.test(resent.body.message)],
    [409, true],
    resent.body.message,
  );

  await enqueue(t, service, 'directory', [installation('installed', 0, [rocket])]);
  const key = await waitUntil('the app is installed again', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return (
      repos[0]?.state === 'connected' && service.tidings('keys', 'create', '--org', 'acme', '--name', 'b', '--quiet')
    );
  });
  const { publications } = (await service.api('GET', `/api/publications?repoId=${rocket.id}`, undefined, key.trim()))
    .body;
  assert.deepEqual(
    publications.map(({ id }: { id: string }) => id),
    [published.id],
  );
  assert.equal((await service.api('DELETE', `/api/publications/${published.id}`, undefined, key.trim())).status, 200);
  assert.equal(await page(), 404);
});

test('an organization that keeps nothing loses its published notes too (spec 8)', async (t) => {
  const {
    service,
    published: { url },
  } = await publishedNotes(t);
  await enqueue(t, service, 'directory', [installation('uninstalled', 31)]);
  await waitUntil('it is due', async () => (await shown(service)).organizations[0]);
  service.tidings('retention', 'sweep');
  await waitUntil('the rest is erased', async () => (await shown(service)).partitions[1].total === 0);
  assert.equal((await fetch(url)).status, 200);
  assert.match(service.tidings('orgs', 'keep-published', 'acme', 'false'), /are erased with its other data/);
  service.tidings('retention', 'sweep');
  await waitUntil('the page is removed', async () => (await fetch(url)).status === 404);
  await waitUntil('the repository is erased', async () => (await service.api('GET', '/api/repos')).body.total === 0);
  assert.equal((await service.api('GET', '/api/orgs')).body.total, 0);
});
