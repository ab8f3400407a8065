/**
 * Tests generations and snapshots of a partition on disk: which generation is in use, which are kept, and the content
 * of a restored generation.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  currentGeneration,
  generationFolder,
  prepareGeneration,
  snapshotFolder,
  switchGeneration,
} from '../../../src/store/generation.ts';
import { openPartition, openReadOnly } from '../../../src/store/partition.ts';
import {
  checkSnapshot,
  listSnapshots,
  restoreSnapshot,
  takeSnapshot,
  verifySnapshot,
} from '../../../src/store/snapshot.ts';
import { writeCursor, writeStreamIdentity } from '../../../src/store/tables/meta.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullRecord, repositoryFields } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const repoId = repositoryFields().id;

test('takeSnapshot keeps the two newest snapshots', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  for (let seq = 1; seq <= 4; seq++) {
    await foldRecords(partition, seq, pullRecord(seq));
    const taken = await takeSnapshot(dataDir, partition);
    assert.deepEqual([taken.seq, taken.epoch], [seq, 0]);
  }
  assert.deepEqual(
    listSnapshots(dataDir, 'p00').map(({ seq }) => seq),
    [3, 4],
  );
});

test('a snapshot contains what was folded when it was taken', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await foldRecords(partition, 1, pullRecord(1));
  const before = dump(partition);
  const snapshot = await takeSnapshot(dataDir, partition);
  await foldRecords(partition, 2, pullRecord(2));
  await partition.close();
  assert.equal(await restoreSnapshot(dataDir, 'p00', snapshot), 2);
  const restored = openTestPartition(t, 'p00', dataDir);
  assert.equal(dump(restored), before);
  assert.ok(existsSync(generationFolder(dataDir, 'p00', 1)), 'the replaced generation is kept');
});

test('a snapshot that fails its check is not put into use', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await foldRecords(partition, 1, pullRecord(1));
  const snapshot = await takeSnapshot(dataDir, partition);
  assert.equal(await restoreSnapshot(dataDir, 'p00', snapshot, async () => false), undefined);
  assert.equal(currentGeneration(dataDir, 'p00'), 1);
  const unreadable = () => Promise.reject(new Error('unreadable'));
  await assert.rejects(restoreSnapshot(dataDir, 'p00', snapshot, unreadable), /unreadable/);
  assert.equal(currentGeneration(dataDir, 'p00'), 1);
  assert.equal(await restoreSnapshot(dataDir, 'p00', snapshot), 2, 'a later restore removes what was copied');
});

test('a snapshot is complete although folding continues while it is taken', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  for (let seq = 1; seq <= 20; seq++) await foldRecords(partition, seq, ...pulls(seq));
  const taking = takeSnapshot(dataDir, partition);
  for (let seq = 21; seq <= 60; seq++) await foldRecords(partition, seq, ...pulls(seq));
  const { folder, seq } = await taking;
  await restoreSnapshot(dataDir, 'p00', { folder, epoch: 0, seq });
  const copy = openReadOnly(dataDir, 'p00');
  assert.ok(copy && readPull(copy, repoId, seq * 10) && !readPull(copy, repoId, seq * 10 + 1));
  await copy.close();
});

test('listSnapshots sorts by epoch before sequence', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  for (const [epoch, seq] of [
    [0, 500],
    [1, 3],
    [1, 20],
  ] as const) {
    await partition.write(() => {
      writeCursor(partition, { seq, recordId: '' });
      writeStreamIdentity(partition, { created: 'now', epoch });
    });
    await takeSnapshot(dataDir, partition);
  }
  assert.deepEqual(
    listSnapshots(dataDir, 'p00').map(({ epoch, seq }) => [epoch, seq]),
    [
      [1, 3],
      [1, 20],
    ],
  );
});

test('listSnapshots leaves out everything but finished snapshots', (t) => {
  const dataDir = temporaryFolder(t);
  for (const name of ['taking.new', 's1', 'e000000-s1', 'notes'])
    mkdirSync(join(snapshotFolder(dataDir, 'p00'), name), { recursive: true });
  assert.deepEqual(listSnapshots(dataDir, 'p00'), []);
});

test('checkSnapshot accepts a snapshot as it was taken', async (t) => {
  const { snapshot } = await snapshotOf(t);
  await checkSnapshot('p00', snapshot.folder);
});

test('checkSnapshot rejects a snapshot of which one bit has changed', async (t) => {
  const { snapshot } = await snapshotOf(t);
  const file = join(snapshot.folder, 'data.mdb');
  const bytes = readFileSync(file);
  const last = bytes.length - 1;
  bytes[last] = (bytes[last] as number) ^ 1;
  writeFileSync(file, bytes);
  await assert.rejects(checkSnapshot('p00', snapshot.folder), /data\.mdb has changed since the snapshot was taken/);
});

test('checkSnapshot reads the rows of a snapshot without a digest', async (t) => {
  const { snapshot } = await snapshotOf(t);
  rmSync(join(snapshot.folder, 'data.sha256'));
  await checkSnapshot('p00', snapshot.folder);
  rmSync(join(snapshot.folder, 'data.mdb'));
  await assert.rejects(checkSnapshot('p00', snapshot.folder));
});

async function snapshotOf(t: TestContext) {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await foldRecords(partition, 1, pullRecord(1));
  return { snapshot: await takeSnapshot(dataDir, partition) };
}

test('verifySnapshot rejects a folder without a store', async (t) => {
  const folder = temporaryFolder(t);
  await assert.rejects(verifySnapshot('p00', join(folder, 'nothing')));
});

test('a generation stays in use until the next one is switched to', async (t) => {
  const dataDir = temporaryFolder(t);
  assert.equal(currentGeneration(dataDir, 'p00'), 0);
  await openPartition(dataDir, 'p00').close();
  const next = prepareGeneration(dataDir, 'p00');
  assert.deepEqual([currentGeneration(dataDir, 'p00'), next], [1, 2]);
  switchGeneration(dataDir, 'p00', next);
  assert.equal(currentGeneration(dataDir, 'p00'), 2);
  assert.equal(openReadOnly(dataDir, 'p00'), undefined, 'its owner has not filled it yet');
  assert.deepEqual(readdirSync(join(dataDir, 'partitions/p00')).sort(), ['current', 'g000001', 'g000002']);
});

test('currentGeneration throws if the pointer does not name a generation', (t) => {
  const dataDir = temporaryFolder(t);
  mkdirSync(join(dataDir, 'partitions/p00'), { recursive: true });
  writeFileSync(join(dataDir, 'partitions/p00/current'), 'gone\n');
  assert.throws(() => currentGeneration(dataDir, 'p00'), /does not contain the name of a generation/);
});

function pulls(seq: number) {
  return Array.from({ length: 10 }, (_, i) => pullRecord((seq - 1) * 10 + i + 1));
}
