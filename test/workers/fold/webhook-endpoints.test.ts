/**
 * Checks the fold of webhook endpoints and their deliveries: events become deliveries, attempts change the state of a
 * delivery, and an endpoint that keeps failing is disabled.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs } from '../../../src/foundation/days.ts';
import type { JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import {
  testEvent,
  type WebhookAttempted,
  type WebhookDelivery,
  type WebhookEndpointRecord,
  webhookEvents,
} from '../../../src/protocol/webhooks.ts';
import { readDirectoryRepository } from '../../../src/store/tables/directory.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { listQueueHeads, listWebhookDeliveries } from '../../../src/store/tables/webhook-deliveries.ts';
import { listWebhookEndpoints, readWebhookEndpoint } from '../../../src/store/tables/webhook-endpoints.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  repositoryFields,
  resultRecord,
  sweepRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const hour = 3_600_000;
const repository = repositoryFields();
const other = repositoryFields({ fullName: 'moon/base', owner: { id: '88', login: 'moon' } }, 1);

function relayRecord(body: RelayRecord['body'], row: number, at = epoch): RelayRecord {
  return { id: `relay ${row}`, at, kind: 'relay', source: 'p00', row, body };
}

/** Opens a directory partition with two organizations. Each organization has one repository. */
async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  let row = 0;
  const fold = (...records: JournalRecord[]) => foldRecords(directory, ++seq, ...records);
  const run = async (command: object, at = epoch) => {
    const record = commandRecord(command as never, at);
    await fold(record);
    return readResult(directory, record.id) ?? assert.fail();
  };
  for (const each of [repository, other])
    await fold(relayRecord({ relay: 'repositorySeen', repository: each, seenAt: epoch }, ++row));
  const orgId = readDirectoryRepository(directory, repository.id)?.orgId as string;
  const create = (id: string, fields: Partial<WebhookEndpointRecord> = {}) => {
    const endpoint = { id, orgId, url: `https://${id}.example/`, description: '', events: [...webhookEvents] };
    const rest = {
      disabled: null,
      sealed: `v1.of ${id}`,
      previous: [],
      failingSince: null,
      createdAt: 0,
      updatedAt: 0,
    };
    return run({ name: 'createWebhookEndpoint', endpoint: { ...endpoint, ...rest, ...fields } });
  };
  const emit = (nth: number, at = epoch, repoId = repository.id) => {
    const data = { draftId: `draft_${nth}`, persona: 'engineer', releaseRangeId: 'range_1' } as const;
    return fold(
      relayRecord({ relay: 'webhookEvent', repoId, event: 'draft.generated', happenedAt: at, data }, ++row, at),
    );
  };
  const deliveries = (endpointId: string) => listWebhookDeliveries(directory, endpointId);
  const attempt = (delivery: WebhookDelivery, outcome: WebhookAttempted['outcome'], at: number, retryAt?: number) => {
    const failed = outcome !== 'delivered';
    return fold(
      resultRecord(
        {
          result: 'webhookAttempted',
          endpointId: delivery.endpointId,
          deliveryId: delivery.id,
          number: delivery.attemptCount + 1,
          attempt: { at, ms: 5, status: failed ? 500 : 204, error: failed ? 'it failed' : null, response: null },
          outcome,
          retryAt: retryAt ?? null,
        },
        at,
      ),
    );
  };
  return { directory, fold, run, create, emit, deliveries, attempt, orgId };
}

const heads = (directory: Parameters<typeof listQueueHeads>[0]) => [...listQueueHeads(directory)];

test('an event becomes a delivery for each subscribed endpoint of the organization', async (t) => {
  const { directory, create, emit, deliveries } = await openDirectory(t);
  await create('ep_a');
  await create('ep_b', { events: ['draft.generated'] });
  await create('ep_c', { events: ['range.created', 'draft.published'] });
  const moon = readDirectoryRepository(directory, other.id)?.orgId as string;
  await create('ep_d', { orgId: moon });
  await emit(1);
  assert.deepEqual(
    ['ep_c', 'ep_d'].map((id) => deliveries(id).length),
    [0, 0],
  );
  const [a] = deliveries('ep_a');
  const [b] = deliveries('ep_b');
  assert.equal(a?.eventId, b?.eventId);
  assert.notEqual(a?.id, b?.id);
  assert.match(a?.id ?? '', /^dlv_00/);
  assert.deepEqual(JSON.parse(a?.body ?? ''), {
    event: 'draft.generated',
    timestamp: '2026-01-01T00:00:00.000Z',
    data: { draftId: 'draft_1', persona: 'engineer', releaseRangeId: 'range_1' },
  });
  assert.deepEqual(
    heads(directory).map(({ endpointId, dueAt }) => [endpointId, dueAt]),
    [
      ['ep_a', 0],
      ['ep_b', 0],
    ],
  );
  await emit(2, epoch, 'repo_of nobody');
  assert.equal(deliveries('ep_a').length, 1);
});

test('a repeated event becomes one delivery', async (t) => {
  const { create, fold, deliveries } = await openDirectory(t);
  await create('ep_a');
  const data = { draftId: 'd', persona: 'engineer', releaseRangeId: 'r' } as const;
  const body = {
    relay: 'webhookEvent',
    repoId: repository.id,
    event: 'draft.generated',
    happenedAt: epoch,
    data,
  } as const;
  await fold(relayRecord(body, 9));
  const before = deliveries('ep_a');
  await fold({ ...relayRecord(body, 9), id: 'the same again' });
  assert.equal(before.length, 1);
  assert.deepEqual(deliveries('ep_a'), before);
});

test('the queue is ordered by time, and a retry does not block later deliveries', async (t) => {
  const { directory, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  for (const nth of [1, 2, 3]) await emit(nth, epoch + nth);
  const [first, second] = deliveries('ep_a') as [WebhookDelivery, WebhookDelivery];
  assert.equal(heads(directory)[0]?.number, first.number);
  await attempt(first, 'failed', epoch + 10, epoch + 5000);
  assert.equal(heads(directory)[0]?.number, second.number);
  for (const each of deliveries('ep_a').slice(1)) await attempt(each, 'delivered', epoch + 20);
  assert.deepEqual(heads(directory), [{ endpointId: 'ep_a', dueAt: epoch + 5000, number: first.number }]);
  assert.deepEqual(
    deliveries('ep_a').map(({ status, tries, attempts }) => [status, tries, attempts.length]),
    [
      ['pending', 1, 1],
      ['delivered', 1, 1],
      ['delivered', 1, 1],
    ],
  );
});

test('an attempt counts once, and the last one ends the delivery', async (t) => {
  const { directory, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  await emit(1);
  const [before] = deliveries('ep_a') as [WebhookDelivery];
  await attempt(before, 'failed', epoch, epoch + 5000);
  await attempt(before, 'delivered', epoch);
  assert.equal(deliveries('ep_a')[0]?.attemptCount, 1);
  const [again] = deliveries('ep_a') as [WebhookDelivery];
  await attempt(again, 'failed', epoch + 6000);
  assert.deepEqual([deliveries('ep_a')[0]?.status, heads(directory)], ['failed', []]);
});

test('five days of failures only disable an endpoint', async (t) => {
  const { directory, fold, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  await create('ep_b');
  await emit(1);
  await emit(2);
  const next = (endpointId: string) =>
    deliveries(endpointId).find(({ status }) => status === 'pending') as WebhookDelivery;
  const fail = (endpointId: string, at: number) => attempt(next(endpointId), 'failed', at, at + hour);
  const state = (id: string) => readWebhookEndpoint(directory, id);
  await fold(tickRecord(epoch));
  for (const id of ['ep_a', 'ep_b']) await fail(id, epoch);
  assert.equal(state('ep_a')?.failingSince, epoch);
  for (const day of [1, 2, 3]) {
    await fold(tickRecord(epoch + day * dayMs));
    for (const id of ['ep_a', 'ep_b']) await fail(id, epoch + day * dayMs);
  }
  await attempt(deliveries('ep_b')[1] as WebhookDelivery, 'delivered', epoch + 3 * dayMs);
  assert.equal(state('ep_b')?.failingSince, null);
  await fold(...dailyTicks(epoch + 4 * dayMs, epoch + 5 * dayMs));
  await fail('ep_a', epoch + 5 * dayMs - 1);
  assert.equal(state('ep_a')?.disabled, null);
  await fail('ep_a', epoch + 5 * dayMs);
  await fail('ep_b', epoch + 5 * dayMs);
  assert.deepEqual(state('ep_a')?.disabled, { reason: 'failing', at: epoch + 5 * dayMs });
  assert.equal(state('ep_b')?.disabled, null);
  assert.deepEqual(
    deliveries('ep_a').map(({ status }) => status),
    ['skipped', 'skipped'],
  );
  assert.deepEqual(
    heads(directory).map(({ endpointId }) => endpointId),
    ['ep_b'],
  );
});

test('a clock that jumps disables nothing', async (t) => {
  const { directory, fold, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  await emit(1);
  await fold(tickRecord(epoch));
  await attempt(deliveries('ep_a')[0] as WebhookDelivery, 'failed', epoch, epoch + hour);
  const later = epoch + 4000 * dayMs;
  await fold(tickRecord(later));
  await attempt(deliveries('ep_a')[0] as WebhookDelivery, 'failed', later, later + hour);
  assert.equal(readWebhookEndpoint(directory, 'ep_a')?.disabled, null);
});

test('410 disables an endpoint immediately, and later events can be replayed', async (t) => {
  const { directory, run, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  for (const nth of [1, 2]) await emit(nth, epoch + nth);
  await attempt(deliveries('ep_a')[0] as WebhookDelivery, 'gone', epoch + 10);
  assert.equal(readWebhookEndpoint(directory, 'ep_a')?.disabled?.reason, 'gone');
  await emit(3, epoch + 20);
  assert.deepEqual(
    deliveries('ep_a').map(({ status }) => status),
    ['failed', 'skipped', 'skipped'],
  );
  assert.deepEqual(heads(directory), []);
  const replay = { name: 'replayWebhookDeliveries', endpointId: 'ep_a', from: epoch, to: epoch + 21, status: null };
  for (const command of [
    replay,
    { name: 'testWebhookEndpoint', endpointId: 'ep_a', eventId: 'evt_1' },
    { name: 'resendWebhookDelivery', endpointId: 'ep_a', deliveryId: deliveries('ep_a')[0]?.id },
  ]) {
    const refused = await run(command);
    assert.deepEqual([refused.ok, (refused as { kind?: string }).kind], [false, 'conflict'], command.name);
  }
  await run({ name: 'updateWebhookEndpoint', endpointId: 'ep_a', enabled: true });
  assert.equal(readWebhookEndpoint(directory, 'ep_a')?.failingSince, null);
  const skipped = await run({ ...replay, status: 'skipped', to: epoch + 20 });
  assert.deepEqual(skipped, { ok: true, value: { endpointId: 'ep_a', replayed: 1 } });
  assert.deepEqual(
    deliveries('ep_a').map(({ status }) => status),
    ['failed', 'pending', 'skipped'],
  );
  const all = await run(replay);
  assert.deepEqual(all, { ok: true, value: { endpointId: 'ep_a', replayed: 2 } });
  assert.equal(heads(directory)[0]?.number, deliveries('ep_a')[0]?.number);
});

test('resending starts the schedule again and keeps the event', async (t) => {
  const { run, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  await emit(1);
  const [first] = deliveries('ep_a') as [WebhookDelivery];
  await attempt(first, 'delivered', epoch);
  await run({ name: 'resendWebhookDelivery', endpointId: 'ep_a', deliveryId: first.id });
  const [again] = deliveries('ep_a') as [WebhookDelivery];
  assert.deepEqual([again.status, again.dueAt, again.tries, again.attemptCount], ['pending', 0, 0, 1]);
  assert.deepEqual([again.id, again.eventId, again.body], [first.id, first.eventId, first.body]);
  for (let nth = 0; nth < 30; nth++) {
    await attempt(deliveries('ep_a')[0] as WebhookDelivery, 'failed', epoch + nth, epoch + nth + 1);
  }
  const [ended] = deliveries('ep_a') as [WebhookDelivery];
  assert.deepEqual([ended.attemptCount, ended.attempts.length], [31, 20]);
});

test('a test is one delivery of its own event', async (t) => {
  const { run, create, deliveries } = await openDirectory(t);
  await create('ep_a', { events: ['range.created'] });
  await run({ name: 'testWebhookEndpoint', endpointId: 'ep_a', eventId: 'evt_1' });
  const [delivery] = deliveries('ep_a') as [WebhookDelivery];
  assert.deepEqual([delivery.event, delivery.eventId, delivery.status], [testEvent, 'evt_1', 'pending']);
});

test('a rotation keeps old secrets for the overlap, up to a maximum', async (t) => {
  const { directory, run, create } = await openDirectory(t);
  await create('ep_a');
  const rotate = (sealed: string, overlapMs: number, at: number) =>
    run({ name: 'rotateWebhookEndpointSecret', endpointId: 'ep_a', sealed, overlapMs }, at);
  const secrets = () => {
    const endpoint = readWebhookEndpoint(directory, 'ep_a') as WebhookEndpointRecord;
    return [endpoint.sealed, ...endpoint.previous.map(({ sealed }) => sealed)];
  };
  for (const sealed of ['2', '3', '4']) assert.equal((await rotate(sealed, hour, epoch)).ok, true);
  assert.deepEqual(secrets(), ['4', '3', '2', 'v1.of ep_a']);
  const refused = await rotate('5', hour, epoch);
  assert.deepEqual([refused.ok, (refused as { kind?: string }).kind], [false, 'conflict']);
  await rotate('5', hour, epoch + hour);
  assert.deepEqual(secrets(), ['5', '4']);
  await rotate('6', 0, epoch + hour);
  assert.deepEqual(secrets(), ['6']);
  assert.equal(
    rows(directory, 'results').some((row) => JSON.stringify(row).includes('v1.of')),
    false,
  );
});

test('an organization has at most twenty endpoints without a setting', async (t) => {
  const { directory, create, orgId } = await openDirectory(t);
  for (let nth = 0; nth < 20; nth++) assert.equal((await create(`ep_${nth}`)).ok, true);
  const refused = await create('ep_more');
  assert.deepEqual([refused.ok, (refused as { kind?: string }).kind], [false, 'conflict']);
  assert.equal(listWebhookEndpoints(directory, orgId).length, 20);
});

test('an organization has as many endpoints as the command allows', async (t) => {
  const { directory, create, run, orgId } = await openDirectory(t);
  for (const id of ['ep_a', 'ep_b']) await create(id);
  const { id: _, ...endpoint } = rows<WebhookEndpointRecord>(directory, 'webhookEndpoints')[0] as WebhookEndpointRecord;
  const more = (id: string, most: number) =>
    run({ name: 'createWebhookEndpoint', endpoint: { ...endpoint, id }, most } as never);
  const refused = await more('ep_c', 2);
  assert.match((refused as { message?: string }).message ?? '', /at most 2 .* \(TIDINGS_MAX_WEBHOOK_ENDPOINTS\)/);
  assert.deepEqual([(await more('ep_c', 3)).ok, (await more('ep_d', 0)).ok], [true, true]);
  assert.equal(listWebhookEndpoints(directory, orgId).length, 4);
});

test('keeps the newest thousand ended deliveries and all waiting ones', async (t) => {
  const { directory, create, emit, deliveries, attempt } = await openDirectory(t);
  await create('ep_a');
  for (let nth = 0; nth < 1010; nth++) await emit(nth, epoch + nth);
  assert.equal(deliveries('ep_a').length, 1010, 'what waits stays');
  for (const each of deliveries('ep_a')) await attempt(each, 'delivered', epoch + 2000);
  await emit(1011, epoch + 3000);
  assert.deepEqual([deliveries('ep_a').length, deliveries('ep_a')[0]?.createdAt], [1000, epoch + 11]);
  for (const table of ['webhookDeliveriesById', 'webhookDeliveriesByTime'] as const)
    assert.equal(rows(directory, table).length, 1000, table);
});

test('ticks forget deliveries after thirty days', async (t) => {
  const { directory, fold, create, emit, deliveries } = await openDirectory(t);
  await create('ep_a');
  await emit(1, epoch);
  await emit(2, epoch + dayMs);
  await fold(...dailyTicks(epoch, epoch + 30 * dayMs));
  assert.equal(deliveries('ep_a').length, 2);
  await fold(tickRecord(epoch + 30 * dayMs + 1));
  assert.deepEqual(
    deliveries('ep_a').map(({ createdAt }) => createdAt),
    [epoch + dayMs],
  );
  assert.equal(rows(directory, 'webhookQueue').length, 1);
});

test('deleting an endpoint leaves no rows of it', async (t) => {
  const { directory, run, create, emit } = await openDirectory(t);
  await create('ep_a');
  await emit(1);
  const result = await run({ name: 'deleteWebhookEndpoint', endpointId: 'ep_a' });
  assert.equal(result.ok, true);
  for (const table of [
    'webhookEndpoints',
    'webhookEndpointsByOrganization',
    'webhookDeliveries',
    'webhookQueue',
  ] as const)
    assert.deepEqual(rows(directory, table), [], table);
  for (const table of ['webhookDeliveriesById', 'webhookDeliveriesByTime'] as const)
    assert.deepEqual(rows(directory, table), [], table);
  assert.doesNotMatch(JSON.stringify([...directory.tables.meta.getKeys({})]), /ep_a/);
  assert.equal((await run({ name: 'deleteWebhookEndpoint', endpointId: 'ep_a' })).ok, false);
});

test('erasing an organization erases its endpoints', async (t) => {
  const { directory, fold, create, emit } = await openDirectory(t);
  await create('ep_a');
  await emit(1);
  const body = {
    action: 'uninstalled',
    origin: repository.origin,
    installationId: '77',
    owner: repository.owner,
  } as const;
  await fold({
    id: 'i',
    at: epoch,
    kind: 'installation',
    delivery: 'd',
    source: '',
    body: { ...body, added: [], removed: [] },
  });
  await fold(...dailyTicks(epoch, epoch + 30 * dayMs));
  const orgId = readDirectoryRepository(directory, repository.id)?.orgId as string;
  const organizations = [{ id: orgId, uninstalledAt: epoch }];
  await fold(
    sweepRecord(
      { sweep: 'organisations', organisations: organizations, partitions: 1, shares: [] },
      epoch + 30 * dayMs,
    ),
  );
  assert.deepEqual(listWebhookEndpoints(directory, null), []);
  assert.deepEqual(rows(directory, 'webhookDeliveries'), []);
});

test('a sealed query stays until another address is set', async (t) => {
  const { directory, create, run } = await openDirectory(t);
  const query = { sealed: 'v1.query', digest: 'one' };
  const read = () => readWebhookEndpoint(directory, 'ep_a') as WebhookEndpointRecord;
  const update = async (fields: object) => {
    const { ok, value } = (await run({ name: 'updateWebhookEndpoint', endpointId: 'ep_a', ...fields })) as {
      ok: boolean;
      value?: { url: string; digest: string };
    };
    assert.ok(ok && value);
    return value;
  };
  const made = await create('ep_a', { query, failingSince: 5 });
  assert.ok(made.ok && !JSON.stringify(made).includes('v1.query'), 'a result holds nothing of it');
  const described = await update({ description: 'x' });
  assert.deepEqual([described.url, read().query, read().failingSince], ['https://ep_a.example/?…', query, 5]);
  await update({ url: 'https://ep_a.example/', query: { ...query, sealed: 'v1.again' } });
  assert.deepEqual([read().query?.sealed, read().failingSince], ['v1.again', 5], 'the same address sealed again');
  const other = await update({ url: 'https://ep_a.example/', query: { sealed: 'v1.other', digest: 'two' } });
  assert.equal(read().failingSince, null, 'another query has failed nothing yet');
  const bare = await update({ url: 'https://ep_a.example/' });
  assert.deepEqual([bare.url, 'query' in read()], ['https://ep_a.example/', false]);
  assert.equal(new Set([described.digest, other.digest, bare.digest]).size, 3, 'a validator tells them apart');
});

test('a record of an earlier version folds to the row of that version', async (t) => {
  const { directory, create, run } = await openDirectory(t);
  await create('ep_a', { url: 'https://ep_a.example/?token=x' });
  await run({ name: 'updateWebhookEndpoint', endpointId: 'ep_a', url: 'https://ep_a.example/?token=y' });
  const row = readWebhookEndpoint(directory, 'ep_a') as WebhookEndpointRecord;
  assert.deepEqual(Object.keys(row), [
    ...['id', 'orgId', 'url', 'description', 'events', 'disabled', 'sealed', 'previous', 'failingSince'],
    ...['createdAt', 'updatedAt'],
  ]);
  assert.equal(row.url, 'https://ep_a.example/?token=y');
});
