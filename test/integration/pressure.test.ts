/**
 * Tests a stream that fills up. The stream is purged before the next snapshot is due. A full stream can still be
 * purged, even while an erasure is incomplete.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayMs, yearBefore } from '../../src/foundation/days.ts';
import { registry } from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { streamState } from '../../src/journal/topology.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { countErasures, readTrace } from '../../src/store/tables/retention.ts';
import type { PartitionOwner } from '../../workers/partition/owner.ts';
import { enqueueAndFold, feed, keep, own, startBench } from '../helpers/partition-owner.ts';
import { pullRecord, sweepRecord, tickRecord } from '../helpers/partition-records.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const mebibyte = 1_048_576;
const maxBytes = 16 * mebibyte;
const padding = ' '.repeat(mebibyte / 4);

/** Enqueues ticks that enlarge the stream by a number of mebibytes, and waits until all of them are folded. */
async function swell(owner: PartitionOwner, lane: Lane, mebibytes: number): Promise<void> {
  for (let i = 0; i < mebibytes * 4; i++) await enqueueAndFold(owner, lane, [{ ...tickRecord(Date.now()), padding }]);
}

test('a stream over half of its maximum is purged, and a smaller one is left alone', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench, 'p00', () => {}, maxBytes);
  const [lane, keeper] = [feed(bench.journal), keep(t, bench, owner)];
  await swell(owner, lane, 7);
  await keeper.relieve();
  assert.deepEqual(listSnapshots(bench.dataDir, 'p00'), []);
  // In all rounds together, the total size of the added records is two and a half times the maximum size of the stream.
  // No record is refused, because space is freed in each round.
  for (let round = 0; round < 20; round++) {
    await swell(owner, lane, 2);
    await keeper.relieve();
    const { bytes } = await streamState(bench.journal, 'p00');
    assert.ok(bytes <= maxBytes / 2, `${bytes} bytes are left`);
  }
  assert.match(await registry.getSingleMetricAsString('tidings_journal_relieved_total'), /partition="p00"\} [1-9]/);
});

test('a full stream is purged although an erasure is not completed', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench, 'p00', () => {}, maxBytes);
  const [lane, keeper] = [feed(bench.journal), keep(t, bench, owner)];
  const old = Date.now() - 400 * dayMs;
  await enqueueAndFold(owner, lane, [pullRecord(1, { at: old }), pullRecord(2, { at: Date.now() })]);
  await keeper.snapshot();
  await enqueueAndFold(owner, lane, [tickRecord(Date.now())]);
  await enqueueAndFold(owner, lane, [sweepRecord({ sweep: 'records', before: yearBefore(Date.now()) }, Date.now())]);
  await waitUntil('something is erased', () => countErasures(owner.partition) > 0);
  await swell(owner, lane, 15);
  // Enqueues smaller and smaller records until even an empty record is refused.
  for (let size = padding.length; size >= 1; size = Math.floor(size / 2)) {
    const isTaken = () => enqueueAndFold(owner, lane, [{ ...tickRecord(Date.now()), padding: padding.slice(0, size) }]);
    while (
      await isTaken().then(
        () => true,
        () => false,
      )
    );
  }
  await assert.rejects(lane.enqueue(tickRecord(Date.now())));
  await keeper.snapshot();
  const { bytes } = await streamState(bench.journal, 'p00');
  assert.ok(bytes < maxBytes / 2, `${bytes} bytes are left`);
  await keeper.snapshot();
  assert.equal(
    readTrace(owner.partition, 'purged'),
    countErasures(owner.partition),
    'the next snapshot completes the purge',
  );
});
