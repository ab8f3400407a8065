/**
 * Tests snapshots, the purges that they allow, and the restore of a damaged partition. A restored partition folds the
 * rest of the journal and repeats no effect.
 */
import assert from 'node:assert/strict';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { draftId } from '../../src/foundation/ids.ts';
import { streamState } from '../../src/journal/topology.ts';
import { currentGeneration } from '../../src/store/generation.ts';
import { listSnapshots, restoreSnapshot, type Snapshot } from '../../src/store/snapshot.ts';
import { readDirectoryRepository } from '../../src/store/tables/directory.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { countEffects, readRelayed } from '../../src/store/tables/outbox.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import type { PartitionOwner } from '../../workers/partition/owner.ts';
import { PartitionLostError } from '../../workers/partition/restore.ts';
import { dump } from '../helpers/partition.ts';
import { type Bench, enqueueAndFold, feed, keep, own, ownWithOutbox, startBench } from '../helpers/partition-owner.ts';
import { commandRecord, pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { readStream } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const theDraft = draftId(rangeId, 'engineer');

async function foldApart(owner: PartitionOwner, bench: Bench, from: number, to: number): Promise<void> {
  const lane = feed(bench.journal);
  for (let number = from; number <= to; number++) await enqueueAndFold(owner, lane, [pullRecord(number)]);
}

/**
 * Folds pull requests 1 to 9 and takes snapshots after pull requests 3 and 6. At the second snapshot, the stream is
 * purged up to the first snapshot. Finally closes the owner and returns a dump of its partition.
 */
async function makeHistory(t: TestContext, bench: Bench): Promise<string> {
  const { owner } = await own(t, bench);
  const keeper = keep(t, bench, owner);
  await foldApart(owner, bench, 1, 3);
  await keeper.snapshot();
  await foldApart(owner, bench, 4, 6);
  await keeper.snapshot();
  await foldApart(owner, bench, 7, 9);
  const live = dump(owner.partition);
  await keeper.close();
  await owner.close();
  return live;
}

function storeFile({ dataDir }: Bench, generation = 1): string {
  return join(dataDir, `partitions/p00/g${String(generation).padStart(6, '0')}/data.mdb`);
}

async function reopened(t: TestContext, bench: Bench): Promise<PartitionOwner> {
  const { owner, lost } = await own(t, bench);
  await waitUntil('it has caught up', () => owner.caughtUp || lost.length > 0);
  assert.deepEqual(lost, []);
  return owner;
}

test('a snapshot purges what the older of the two newest snapshots covers', async (t) => {
  const bench = await startBench(t);
  const { owner } = await own(t, bench);
  const keeper = keep(t, bench, owner);
  const first = async () => (await streamState(bench.journal, 'p00')).firstSeq;
  await foldApart(owner, bench, 1, 3);
  await keeper.snapshot();
  assert.equal(await first(), 1);
  await foldApart(owner, bench, 4, 6);
  // Two concurrent calls take only one snapshot, and both return it.
  assert.deepEqual(...((await Promise.all([keeper.snapshot(), keeper.snapshot()])) as [Snapshot, Snapshot]));
  assert.equal(await first(), 4);
  await foldApart(owner, bench, 7, 8);
  await keeper.snapshot();
  assert.deepEqual([await first(), listSnapshots(bench.dataDir, 'p00').map(({ seq }) => seq)], [7, [6, 8]]);
});

const damages: [string, (bench: Bench) => void][] = [
  ['emptied', (bench) => truncateSync(storeFile(bench))],
  ['deleted', (bench) => rmSync(storeFile(bench))],
  ['found to end the process', (bench) => writeFileSync(join(storeFile(bench), '../opening'), '..')],
];

for (const [what, damage] of damages) {
  test(`a store that was ${what} is restored`, async (t) => {
    const bench = await startBench(t);
    const live = await makeHistory(t, bench);
    damage(bench);
    const owner = await reopened(t, bench);
    assert.deepEqual([currentGeneration(bench.dataDir, 'p00'), owner.seq], [2, 9]);
    assert.equal(dump(owner.partition), live);
    await foldApart(owner, bench, 10, 11);
    assert.equal(readPull(owner.partition, repoId, 11)?.number, 11);
  });
}

test('a restore skips a snapshot that cannot be read', async (t) => {
  const bench = await startBench(t);
  const live = await makeHistory(t, bench);
  rmSync(storeFile(bench));
  const newest = listSnapshots(bench.dataDir, 'p00').at(-1) as Snapshot;
  writeFileSync(join(newest.folder, 'opening'), '..');
  const owner = await reopened(t, bench);
  assert.equal(dump(owner.partition), live);
});

test('a lost store is rebuilt from only the journal', async (t) => {
  const bench = await startBench(t);
  const first = await own(t, bench);
  await foldApart(first.owner, bench, 1, 9);
  const live = dump(first.owner.partition);
  await first.owner.close();
  rmSync(join(bench.dataDir, 'partitions'), { recursive: true });
  const owner = await reopened(t, bench);
  assert.equal(dump(owner.partition), live);
});

test('a partition that cannot be restored fails with PartitionLostError', async (t) => {
  const bench = await startBench(t);
  await makeHistory(t, bench);
  rmSync(join(bench.dataDir, 'partitions'), { recursive: true });
  await assert.rejects(own(t, bench), (error: Error) => {
    assert.ok(error instanceof PartitionLostError);
    return /no readable snapshot reaches sequence 4/.test(error.message);
  });
  // The failed attempt has released the lock, so a person can put a snapshot back and start again.
  await assert.rejects(own(t, bench), PartitionLostError);
});

test('no effect is repeated after an older snapshot is restored', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const first = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  const keeper = keep(t, bench, first.owner);
  await foldApart(first.owner, bench, 1, 2);
  await keeper.snapshot();
  await lane.enqueue(commandRecord(createRange));
  await lane.enqueue(
    commandRecord({ name: 'generateDraft', rangeId, draftId: theDraft, persona: 'engineer', ticket: 'one' }),
  );
  await enqueueAndFold(first.owner, lane, [pullRecord(3), pullRecord(4, { repository: repositoryFields({}, 1) })]);
  await waitUntil('all effects have left', () => countEffects(first.owner.partition) === 0);
  await waitUntil('the directory has received both', () => readRelayed(directory.owner.partition, 'p00') > 0);
  const live = { draft: readDraft(first.owner.partition, theDraft), dump: dump(first.owner.partition) };
  assert.deepEqual([live.draft?.status, live.draft?.revision], ['ready', 1]);
  await keeper.close();
  await first.close();
  const relays = await count(bench, 'directory', 'relay');
  const results = await count(bench, 'p00', 'result');

  await restoreSnapshot(bench.dataDir, 'p00', listSnapshots(bench.dataDir, 'p00')[0] as Snapshot);
  const second = await ownWithOutbox(t, bench);
  await waitUntil('it has caught up', () => second.owner.caughtUp);
  await foldApart(second.owner, bench, 5, 5);
  await waitUntil('all effects have left', () => countEffects(second.owner.partition) === 0);
  const outdated = { outdatedBecause: [{ number: 5, what: 'merged' }] };
  assert.deepEqual(readDraft(second.owner.partition, theDraft), { ...live.draft, ...outdated });
  // Pull request 5 causes a recount and a check of drafts, and each of them the relay of an event. All four have one
  // result. The outbox repeats neither the render nor an earlier relay.
  assert.equal(await count(bench, 'directory', 'relay'), relays + 2);
  assert.equal(await count(bench, 'p00', 'result'), results + 4);
  assert.equal(readDirectoryRepository(directory.owner.partition, repoId)?.fullName, 'acme/rocket');
});

const createRange = {
  name: 'createRange',
  rangeId,
  repoId,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 100 },
  prCount: 0,
  issueCount: 0,
  resolution: 'window',
} as const;

async function count({ journal }: Bench, name: string, kind: string): Promise<number> {
  return (await readStream(journal, name)).flatMap(({ records }) => records.filter((record) => record.kind === kind))
    .length;
}
