/** Tests what a snapshot from another node must pass before its bytes are received. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { BadSnapshotError, IncomingSnapshot } from '../../../src/store/incoming-snapshot.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const offer = { created: 'today', epoch: 0, seq: 9, bytes: 5, sha256: 'a'.repeat(64) };
const snapshotsOf = (dataDir: string) => join(dataDir, 'partitions/p00/snapshots');

test('a snapshot whose opening has ended the process is not fetched again', async (t) => {
  const dataDir = temporaryFolder(t);
  const folder = join(snapshotsOf(dataDir), `fetching-${'a'.repeat(16)}.new`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'data.mdb'), 'large');
  writeFileSync(join(folder, 'opening'), '.');
  for (const _ of [1, 2]) await assert.rejects(IncomingSnapshot.begin(dataDir, 'p00', offer), BadSnapshotError);
  assert.ok(!existsSync(join(folder, 'data.mdb')));
  // Another snapshot is received, and the first one is forgotten.
  const other = await IncomingSnapshot.begin(dataDir, 'p00', { ...offer, sha256: 'b'.repeat(64) });
  assert.deepEqual(readdirSync(snapshotsOf(dataDir)), [`fetching-${'b'.repeat(16)}.new`]);
  await other.abandon();
  assert.deepEqual(readdirSync(snapshotsOf(dataDir)), []);
});

test('a snapshot for which the disk has too little space is not begun', async (t) => {
  const dataDir = temporaryFolder(t);
  const begun = IncomingSnapshot.begin(dataDir, 'p00', { ...offer, bytes: 2 ** 60 });
  await assert.rejects(begun, /^Error: the disk has \d+ bytes of free space; expected at least \d+$/);
});

test('bytes with another digest are refused before they are opened', async (t) => {
  const dataDir = temporaryFolder(t);
  const incoming = await IncomingSnapshot.begin(dataDir, 'p00', offer);
  await incoming.add(Buffer.from('bytes'));
  await assert.rejects(incoming.finish(), BadSnapshotError);
  await incoming.abandon();
  assert.deepEqual(readdirSync(snapshotsOf(dataDir)), []);
});
