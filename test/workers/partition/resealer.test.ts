/**
 * Checks the resealer. The resealer seals the query of a webhook address if an earlier version of Tidings stored the
 * query as plain text. The resealer also seals again all values that were sealed with a former key. All changes are
 * written through the journal, and no record is too large.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../../../src/foundation/logger.ts';
import { createSealer, type Sealer } from '../../../src/foundation/seal.ts';
import { packRecord } from '../../../src/journal/codec.ts';
import { type Lane, maxRecordBytes } from '../../../src/journal/lane.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { WebhookEndpointRecord } from '../../../src/protocol/webhooks.ts';
import { listSeals } from '../../../src/store/tables/seals.ts';
import { openAddress, sealAddress, shownAddress } from '../../../src/store/tables/webhook-addresses.ts';
import {
  readWebhookEndpoint,
  sealedForEndpoint,
  webhookEndpointDigest,
  writeWebhookEndpoint,
} from '../../../src/store/tables/webhook-endpoints.ts';
import { Resealer } from '../../../workers/partition/resealer.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';

const [former, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const before = createSealer(former);
const after = createSealer(current, [former]);
const logger = createLogger('test', 'silent');

function endpointOf(number: number, fields: Partial<WebhookEndpointRecord>): WebhookEndpointRecord {
  const owner = { id: `ep_${number}`, orgId: 'org_1' };
  const rest = {
    description: '',
    events: [],
    disabled: null,
    previous: [],
    failingSince: null,
    createdAt: 5,
    updatedAt: 5,
  };
  const sealed = before.seal('whsec_x', sealedForEndpoint(owner));
  return { ...owner, url: 'https://hooks.example/', sealed, ...rest, ...fields };
}

/** Opens a directory partition with stored endpoints. The records that the resealer enqueues are folded immediately. */
async function openDirectory(t: TestContext, endpoints: readonly WebhookEndpointRecord[]) {
  const directory = openTestPartition(t, 'directory');
  await directory.root.transaction(() => {
    for (const endpoint of endpoints) writeWebhookEndpoint(directory, endpoint);
  });
  const records: JournalRecord[] = [];
  let seq = 0;
  const lane = {
    enqueue: async (record: JournalRecord) => {
      records.push(record);
      await foldRecords(directory, ++seq, record);
    },
  } as unknown as Lane;
  const reseal = async (sealer: Sealer) => {
    records.length = 0;
    const resealer = new Resealer({ partition: () => directory, lane, sealer, logger });
    resealer.kick();
    await resealer.close();
    return records;
  };
  return { directory, reseal };
}

test('seals a query that an earlier version stored in clear, and changes nothing else', async (t) => {
  const url = 'https://hooks.example/a?token=very-secret';
  const whole = endpointOf(1, { url, description: 'kept', failingSince: 4 });
  const bare = endpointOf(2, { url: 'https://hooks.example/b' });
  const { directory, reseal } = await openDirectory(t, [
    whole,
    bare,
    endpointOf(3, { url: 'https://hooks.example/c#d' }),
  ]);
  const records = await reseal(before);
  assert.equal(records.length, 1);
  assert.ok(!JSON.stringify(records).includes('very-secret'), 'not in the journal');
  assert.ok(!dump(directory).includes(Buffer.from('very-secret').toString('hex')), 'not in the store');
  const { query, ...sealed } = readWebhookEndpoint(directory, 'ep_1') as WebhookEndpointRecord;
  assert.deepEqual(sealed, { ...whole, url: 'https://hooks.example/a' });
  assert.equal(openAddress(before, { ...sealed, query }), url);
  assert.equal(shownAddress({ ...sealed, query }), 'https://hooks.example/a?…');
  assert.deepEqual(readWebhookEndpoint(directory, 'ep_2'), bare);
  assert.equal(readWebhookEndpoint(directory, 'ep_3')?.url, 'https://hooks.example/c');
  assert.deepEqual(await reseal(before), [], 'the next start has nothing to do');
});

test('an endpoint that has changed meanwhile keeps its new address', async (t) => {
  const { directory } = await openDirectory(t, [endpointOf(1, { url: 'https://hooks.example/a?x=1' })]);
  const late = {
    name: 'sealWebhookAddresses' as const,
    addresses: [
      {
        endpointId: 'ep_1',
        updatedAt: 4,
        ...sealAddress(before, { id: 'ep_1', orgId: 'org_1' }, 'https://hooks.example/a?x=0'),
      },
    ],
  };
  await foldRecords(directory, 1, { id: 'late', at: 6, kind: 'command', command: late });
  assert.equal(readWebhookEndpoint(directory, 'ep_1')?.url, 'https://hooks.example/a?x=1');
});

test('seals queries and secrets again that are under a former key', async (t) => {
  const url = 'https://hooks.example/a?token=very-secret';
  const stored = endpointOf(1, {});
  const endpoint = { ...stored, ...sealAddress(before, stored, url) };
  const { directory, reseal } = await openDirectory(t, [endpoint]);
  await reseal(after);
  const seals = listSeals(directory);
  assert.deepEqual(
    seals.map(({ sealed }) => after.isCurrent(sealed)),
    [true, true],
  );
  const fresh = readWebhookEndpoint(directory, 'ep_1') as WebhookEndpointRecord;
  assert.equal(openAddress(createSealer(current), fresh), url);
  for (const { sealed, belongsTo } of seals) createSealer(current).open(sealed, belongsTo);
  assert.equal(webhookEndpointDigest(fresh), webhookEndpointDigest(endpoint), 'its validator stays');
});

test('splits long addresses into records that fit', async (t) => {
  const query = `?token=${'x'.repeat(1_900)}`;
  const endpoints = Array.from({ length: 1_500 }, (_, i) =>
    endpointOf(i, { url: `https://hooks.example/${i}${query}` }),
  );
  const { directory, reseal } = await openDirectory(t, endpoints);
  for (const sealer of [before, after]) {
    const records = await reseal(sealer);
    assert.ok(records.length > 1);
    for (const record of records) assert.ok(packRecord(record).length < maxRecordBytes);
    assert.ok(listSeals(directory).every(({ sealed }) => sealer.isCurrent(sealed)));
  }
  assert.equal(listSeals(directory).length, 3_000);
});
