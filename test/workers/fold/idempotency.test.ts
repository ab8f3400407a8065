/**
 * Checks Idempotency-Keys in the fold: a repeated write is carried out once, and the result of the write is kept for a
 * day.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { idAt, ulid } from '../../../src/foundation/ids.ts';
import type { Command, CommandResult } from '../../../src/protocol/commands.ts';
import type { CommandRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listRanges } from '../../../src/store/tables/ranges.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { epoch, pullRecord, repositoryFields, tickRecord } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const day = 86_400_000;
let seq = 1;

/**
 * Returns a command that creates a range with a new id. `scope` represents the Idempotency-Key, and `fingerprint`
 * represents the body.
 */
function createRange(scope: string, fingerprint: string, at = epoch, repository = repoId): CommandRecord {
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2 } as const;
  const rangeId = `range_00${ulid()}`;
  const counts = { prCount: 0, issueCount: 0, resolution: 'window' } as const;
  const command: Command = { name: 'createRange', rangeId, repoId: repository, bounds, ...counts };
  // The time of this id may be earlier than the time of the previous id, but `ulid` never goes back in time. The id
  // therefore combines the time part of `idAt` with the random part of `ulid`.
  const id = idAt(at).slice(0, 10) + ulid().slice(10);
  return { id, at, kind: 'command', command, once: { scope, fingerprint } };
}

async function open(t: Parameters<typeof openTestPartition>[0]): Promise<Partition> {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1));
  return partition;
}

async function fold(partition: Partition, record: CommandRecord): Promise<CommandResult> {
  seq += 1;
  await foldRecords(partition, seq, record);
  return readResult(partition, record.id) ?? assert.fail('a result is stored');
}

function contentOf(result: CommandResult): unknown {
  return result.ok ? result.value : result.message;
}

test('carries a write out once and returns the first result', async (t) => {
  const partition = await open(t);
  const first = await fold(partition, createRange('s', 'body'));
  const again = await fold(partition, createRange('s', 'body', epoch + 1000));
  assert.deepEqual([first.ok, again.ok, again.replayed], [true, true, true]);
  assert.deepEqual(contentOf(again), contentOf(first));
  assert.equal(listRanges(partition, repoId).length, 1);
  await fold(partition, createRange('other', 'body'));
  assert.equal(listRanges(partition, repoId).length, 2, 'another key is another write');
});

test('refuses another body and keeps the first result', async (t) => {
  const partition = await open(t);
  const first = await fold(partition, createRange('s', 'body'));
  const other = await fold(partition, createRange('s', 'other'));
  assert.ok(!other.ok && other.kind === 'unprocessable');
  assert.deepEqual(contentOf(await fold(partition, createRange('s', 'body'))), contentOf(first));
  assert.equal(listRanges(partition, repoId).length, 1);
});

test('repeats a refusal too', async (t) => {
  const partition = await open(t);
  const unknown = repositoryFields({}, 9).id;
  const first = await fold(partition, createRange('s', 'body', epoch, unknown));
  const again = await fold(partition, createRange('s', 'body', epoch, unknown));
  assert.deepEqual([first.ok, again.ok, again.replayed], [false, false, true]);
  assert.equal(contentOf(again), contentOf(first));
});

test('remembers a key for a day', async (t) => {
  const partition = await open(t);
  await fold(partition, createRange('s', 'body', epoch));
  await fold(partition, createRange('s', 'body', epoch + day - 1));
  assert.equal(listRanges(partition, repoId).length, 1);
  const late = await fold(partition, createRange('s', 'body', epoch + day));
  assert.deepEqual([late.ok, late.replayed, listRanges(partition, repoId).length], [true, undefined, 2]);
});

test('forgets a key together with its result', async (t) => {
  const partition = await open(t);
  await fold(partition, createRange('old', 'body', epoch));
  await fold(partition, createRange('again', 'body', epoch));
  await fold(partition, createRange('again', 'body', epoch + day));
  await foldRecords(partition, 900, tickRecord(epoch + day + 1));
  const left = rows<{ at: number }>(partition, 'once');
  assert.deepEqual(
    left.map(({ at }) => at),
    [epoch + day],
    'the row of a newer command stays',
  );
});

test('behaves like a table of keys, in any order', async (t) => {
  const partition = await open(t);
  const step = fc.record({
    scope: fc.constantFrom('a', 'b', 'c'),
    fingerprint: fc.constantFrom('x', 'y'),
    gap: fc.constantFrom(0, 1000, day / 2, day),
  });
  let now = epoch;
  const made = () => listRanges(partition, repoId).length;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      // Keys are stored for a day. Each run starts two days after the previous run, so the keys of the previous run
      // have expired.
      now += 2 * day;
      const model = new Map<string, { fingerprint: string; at: number; value: unknown }>();
      for (const { scope, fingerprint, gap } of steps) {
        now += gap;
        const before = made();
        const result = await fold(partition, createRange(scope, fingerprint, now));
        const known = model.get(scope);
        if (!known || now >= known.at + day) {
          model.set(scope, { fingerprint, at: now, value: contentOf(result) });
          assert.deepEqual([result.ok, result.replayed, made()], [true, undefined, before + 1]);
        } else if (known.fingerprint === fingerprint) {
          assert.deepEqual([result.replayed, contentOf(result), made()], [true, known.value, before]);
        } else assert.deepEqual([!result.ok && result.kind, made()], ['unprocessable', before]);
      }
    }),
    { numRuns: 40 },
  );
});
