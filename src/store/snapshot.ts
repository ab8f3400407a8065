/**
 * Takes, verifies, lists and restores snapshots of a partition. A snapshot is a plain copy of the LMDB files. LMDB's
 * compacting copy is not used, because an open bug report says that this copy can corrupt data. A snapshot is verified
 * by opening the copy and reading every row. Its digest is then stored beside it, so that a later check only compares
 * digests. The journal may be purged up to the position of the second newest verified snapshot.
 */
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { generationFolder, prepareGeneration, snapshotFolder, switchGeneration } from './generation.ts';
import { openFolder, type Partition } from './partition.ts';
import { copySteadily } from './steady-file.ts';
import { foldedTables } from './table-registry.ts';
import { readCursor, readStreamIdentity } from './tables/meta.ts';

/** A verified snapshot. `seq` is the last journal message that the snapshot contains, in the stream of `epoch`. */
export interface Snapshot {
  folder: string;
  epoch: number;
  seq: number;
}

const kept = 2;
export const dataFile = 'data.mdb';
/** The file in the folder of a snapshot with the SHA-256 of the data file. Snapshots of earlier versions lack it. */
export const digestFile = 'data.sha256';

/**
 * Returns the snapshots of a partition, oldest first. They are sorted by epoch, then by journal sequence, because
 * sequences begin again with each epoch. Unfinished snapshots are not listed: their folders end in `.new`.
 */
export function listSnapshots(dataDir: string, partition: string): Snapshot[] {
  const folder = snapshotFolder(dataDir, partition);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => {
      const match = /^e(\d{6})-s(\d{15})b?$/.exec(name);
      return match ? [{ folder: join(folder, name), epoch: Number(match[1]), seq: Number(match[2]) }] : [];
    })
    .sort((a, b) => a.epoch - b.epoch || a.seq - b.seq || (a.folder < b.folder ? -1 : 1));
}

/** Returns when the newest snapshot of a partition was taken, in milliseconds since 1970; 0 if there is none. */
export function lastSnapshotAt(dataDir: string, partition: string): number {
  const newest = listSnapshots(dataDir, partition).at(-1);
  return newest ? statSync(join(newest.folder, dataFile)).mtimeMs : 0;
}

/**
 * Takes and verifies a snapshot. Then removes all snapshots except the newest two. The new snapshot can have the same
 * journal sequence as the previous snapshot, because a full journal accepts no new message. In this case, both
 * snapshots are kept: the messages of a full journal are purged only when two snapshots contain them.
 */
export async function takeSnapshot(dataDir: string, partition: Partition): Promise<Snapshot> {
  const folder = snapshotFolder(dataDir, partition.name);
  const unfinished = join(folder, 'taking.new');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await partition.root.backup(unfinished, false);
  const { epoch, seq } = await verifySnapshot(partition.name, unfinished);
  writeFileSync(join(unfinished, digestFile), `${await digestOf(unfinished)}\n`);
  const place = placeOf(dataDir, partition.name, { epoch, seq });
  const finished = existsSync(place) ? `${place}b` : place;
  rmSync(finished, { recursive: true, force: true });
  renameSync(unfinished, finished);
  for (const old of listSnapshots(dataDir, partition.name).slice(0, -kept)) rmSync(old.folder, { recursive: true });
  return { folder: finished, epoch, seq };
}

/** Returns the folder of the snapshot at a position. */
export function placeOf(dataDir: string, partition: string, { epoch, seq }: Omit<Snapshot, 'folder'>): string {
  const name = `e${String(epoch).padStart(6, '0')}-s${String(seq).padStart(15, '0')}`;
  return join(snapshotFolder(dataDir, partition), name);
}

/**
 * Opens a copy and reads every row of every table.
 * @returns the journal position that the copy contains
 * @throws if the copy cannot be read
 */
export async function verifySnapshot(name: string, folder: string): Promise<Omit<Snapshot, 'folder'>> {
  const copy = openFolder(name, 0, folder, true);
  try {
    // A snapshot of an earlier version of Tidings lacks the tables that later versions added.
    for (const table of foldedTables) for (const _ of copy.tables[table]?.getRange({ snapshot: true }) ?? []) void _;
    for (const _ of copy.responses.getRange({ snapshot: true })) void _;
    return { epoch: readStreamIdentity(copy)?.epoch ?? 0, seq: readCursor(copy).seq };
  } finally {
    await copy.close();
  }
}

/**
 * Checks that a snapshot has not changed since it was verified. Reading all rows again would take ten times as long. If
 * the snapshot has no digest, all rows are read.
 * @throws if the snapshot has changed or cannot be read
 */
export async function checkSnapshot(name: string, folder: string): Promise<void> {
  const file = join(folder, digestFile);
  if (!existsSync(file)) await verifySnapshot(name, folder);
  else if ((await digestOf(folder)) !== readFileSync(file, 'utf8').trim())
    throw new Error(`${join(folder, dataFile)} has changed since the snapshot was taken`);
}

/** Returns the SHA-256 of the data file in the folder of a snapshot, in hexadecimal. */
export async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(join(folder, dataFile), { highWaterMark: 1_048_576 })) hash.update(piece);
  return hash.digest('hex');
}

/**
 * Copies a snapshot into a new generation and puts this generation into use. The owner later opens the generation and
 * folds the rest of the journal into it. The replaced store stays on disk, so that a person can examine it.
 * @param isReadable checks the snapshot while it is copied
 * @returns the number of the generation; undefined if the check fails. Then the store in use stays in use
 */
export async function restoreSnapshot(
  dataDir: string,
  partition: string,
  snapshot: Snapshot,
  isReadable: () => Promise<boolean> = async () => true,
): Promise<number | undefined> {
  const generation = prepareGeneration(dataDir, partition);
  const target = join(generationFolder(dataDir, partition, generation), dataFile);
  const [copied, checked] = await Promise.allSettled([
    copySteadily(join(snapshot.folder, dataFile), target),
    isReadable(),
  ]);
  if (checked.status === 'rejected') throw checked.reason;
  if (!checked.value) return undefined;
  if (copied.status === 'rejected') throw copied.reason;
  switchGeneration(dataDir, partition, generation);
  return generation;
}
