/**
 * Checks the usage counts in the directory. Each record of a gateway counts once, and all counts begin at zero every
 * day. Partitions relay their counts to the directory. The last use of each key is stored.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { UsageMeter } from '../../../src/api/usage.ts';
import { ulid } from '../../../src/foundation/ids.ts';
import type { UsageRecord } from '../../../src/protocol/journal.ts';
import type { RelayBody } from '../../../src/protocol/relays.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listOrganizations } from '../../../src/store/tables/directory.ts';
import { readDay, readKeyUse, readMonth } from '../../../src/store/tables/usage.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields, repositoryFields } from '../../helpers/partition-records.ts';

const repository = repositoryFields();
const month = new Date(epoch).toISOString().slice(0, 7);
let seq = 10;
let row = 0;

function relay(body: RelayBody) {
  row += 1;
  return { id: `relay-${row}`, at: epoch, kind: 'relay' as const, source: 'p00', row, body };
}

/** Creates an organization in a directory partition and returns the organization's id. */
async function withOrganization(directory: Partition): Promise<string> {
  await foldRecords(directory, 1, relay({ relay: 'repositorySeen', repository, seenAt: epoch }));
  return listOrganizations(directory)[0]?.id ?? assert.fail();
}

function usage(fields: Partial<UsageRecord>): UsageRecord {
  return { id: ulid(), at: epoch, kind: 'usage', boot: ulid(epoch), number: 1, calls: [], keys: [], ...fields };
}

async function fold(directory: Partition, ...records: UsageRecord[]): Promise<void> {
  seq += 1;
  await foldRecords(directory, seq, ...records);
}

test('counts a repeated record once', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const calls = (count: number) => [{ org, month, daySince: epoch, calls: count }];
  const first = usage({ calls: calls(3) });
  await fold(directory, first, { ...first, id: ulid() });
  await fold(directory, { ...first, id: ulid(), number: 2, calls: calls(4) }, first);
  assert.equal(readMonth(directory, org, month).apiCalls, 7);
  assert.deepEqual(readDay(directory, org), { since: epoch, used: 7 });
  await fold(directory, usage({ calls: calls(1) }));
  assert.equal(readMonth(directory, org, month).apiCalls, 8, 'another boot counts from one again');
  assert.equal(rows(directory, 'deadLetters').length, 0);
});

test('begins a new day and drops late counts of the old one', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const calls = (daySince: number, count: number) => ({ org, month, daySince, calls: count });
  const day = 86_400_000;
  await fold(directory, usage({ calls: [calls(epoch, 5), calls(epoch + day, 2), calls(epoch, 9), calls(0, 1)] }));
  assert.deepEqual(readDay(directory, org), { since: epoch + day, used: 2 });
  assert.equal(readMonth(directory, org, month).apiCalls, 17, 'the month counts them all');
});

test('ignores organizations and keys that do not exist', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const calls = [{ org: 'org_gone', month, daySince: epoch, calls: 5 }];
  await fold(directory, usage({ calls, keys: [{ id: 'key_gone', usedAt: epoch }] }));
  assert.equal(readMonth(directory, 'org_gone', month).apiCalls, 0);
  assert.equal(readKeyUse(directory, 'key_gone'), undefined);
});

test('counts a draft once for the organization of its repository', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const relayed = relay({ relay: 'counted', repoId: repository.id, counter: 'draftsGenerated', countedAt: epoch });
  const stray = relay({ relay: 'counted', repoId: 'repo_x', counter: 'draftsGenerated', countedAt: epoch });
  await foldRecords(directory, 2, relayed, relayed, stray);
  const counted = { apiCalls: 0, draftsGenerated: 1, publishedReleases: 0, publications: 0 };
  assert.deepEqual(readMonth(directory, org, month), counted);
  const bare = { apiCalls: 0, draftsGenerated: 1, publishedReleases: 0 };
  assert.deepEqual(directory.tables.usage.get(['month', org, month]), bare, 'the bytes of earlier versions');
});

test('counts publications and releases, and folds counts of earlier versions', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const about = { relay: 'counted', repoId: repository.id, countedAt: epoch } as const;
  const first = relay({ ...about, counter: 'publications', isRelease: true });
  const second = relay({ ...about, counter: 'publications' });
  const former = relay({ ...about, counter: 'publishedReleases' });
  await foldRecords(directory, 2, first, second, first, former, former);
  const { publications, publishedReleases } = readMonth(directory, org, month);
  assert.deepEqual([publications, publishedReleases], [2, 2]);
});

test('keeps the months of two years', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const months = Array.from({ length: 30 }, (_, i) => new Date(Date.UTC(2026, i, 1)).toISOString().slice(0, 7));
  for (const each of months) {
    await fold(directory, usage({ calls: [{ org, month: each, daySince: 0, calls: 1 }] }));
  }
  const counted = months.map((each) => readMonth(directory, org, each).apiCalls);
  assert.deepEqual(counted, [...Array(6).fill(0), ...Array(24).fill(1)]);
});

test('a meter and the directory never lose or duplicate a call', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  const step = fc.constantFrom('call', 'call', 'flush', 'flush is lost', 'flush is doubled', 'answer is lost', 'later');
  let counted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const meter = new UsageMeter();
      const journal: UsageRecord[] = [];
      const check = () =>
        assert.equal(readMonth(directory, org, month).apiCalls + meter.unfolded(directory, org, month), counted);
      const send = (times: number, known: boolean) => async (record: UsageRecord) => {
        for (let i = 0; i < times; i++) journal.push(record);
        if (!known) throw new Error('no answer in time');
      };
      for (const each of steps) {
        if (each === 'call') {
          meter.count('key_1', org, epoch, epoch + counted);
          counted += 1;
        } else if (each === 'flush') await meter.flush(directory, send(1, true));
        else if (each === 'flush is doubled') await meter.flush(directory, send(2, true));
        else if (each === 'later') await fold(directory, ...journal.splice(0));
        else await meter.flush(directory, send(each === 'flush is lost' ? 0 : 1, false)).catch(() => {});
        check();
      }
      await meter.flush(directory, send(1, true));
      await meter.flush(directory, send(1, true));
      await fold(directory, ...journal);
      assert.equal(meter.unfolded(directory, org, month), 0);
      check();
    }),
    { numRuns: 60 },
  );
});

test('a gateway that runs for days counts once, although another one starts', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const org = await withOrganization(directory);
  let now = Date.now();
  const meter = new UsageMeter(() => now);
  const journal: UsageRecord[] = [];
  const send = async (record: UsageRecord) => void journal.push(record);
  for (let day = 0; day < 4; day++) {
    meter.count('key_1', org, epoch, epoch);
    await meter.flush(directory, send);
    await fold(directory, ...journal.splice(0));
    now += 86_400_000;
  }
  meter.count('key_1', org, epoch, epoch);
  const unanswered = async (record: UsageRecord) => {
    await send(record);
    throw new Error('no answer in time');
  };
  await assert.rejects(meter.flush(directory, unanswered));
  await fold(directory, ...journal.splice(0));
  await fold(directory, usage({ boot: ulid(now) }));
  await meter.flush(directory, send);
  await fold(directory, ...journal);
  assert.equal(readMonth(directory, org, month).apiCalls, 5);
  assert.equal(meter.unfolded(directory, org, month), 0);
});

test('writes the last use of a key once per minute', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(
    directory,
    1,
    commandRecord({ name: 'createKey', org: null, origin: '', key: keyFields('key_1') } as never),
  );
  const meter = new UsageMeter();
  const sent: UsageRecord[] = [];
  const use = async (second: number) => {
    meter.count('key_1', 'instance', 0, epoch + second * 1000);
    await meter.flush(directory, async (each) => void sent.push(each));
    await fold(directory, ...sent.slice(-1));
    return readKeyUse(directory, 'key_1');
  };
  assert.deepEqual([await use(0), await use(30), await use(59)], [epoch, epoch, epoch]);
  assert.equal(await use(60), epoch + 60_000);
  assert.deepEqual(
    sent.map(({ keys }) => keys.length),
    [1, 0, 0, 1],
  );
});
