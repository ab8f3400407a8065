/**
 * Snapshots of a partition: a copy of the environment (not compacted: the compacting copy has an open corruption report),
 * verified by opening and reading it. The journal may be purged up to the older of the two newest verified ones.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { generationFolder, prepareGeneration, snapshotFolder, switchGeneration } from './generation.ts';
import { dumpedTables, openFolder, type Partition } from './partition.ts';
import { readCursor, readStreamIdentity } from './tables/meta.ts';

/** A verified snapshot; `seq` is the cursor it holds, in the stream of that epoch. */
export interface Snapshot {
  folder: string;
  epoch: number;
  seq: number;
}

const kept = 2;

/** Snapshots of a partition, oldest first: sequences begin again with an epoch. Unfinished ones are not listed: their folders end in `.new`. */
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

/** When the newest snapshot of a partition was taken, in milliseconds since 1970; 0 = there is none. */
export function lastSnapshotAt(dataDir: string, partition: string): number {
  const newest = listSnapshots(dataDir, partition).at(-1);
  return newest ? statSync(join(newest.folder, 'data.mdb')).mtimeMs : 0;
}

/**
 * Takes and verifies a snapshot and removes all but the two newest. A second one of the same place is kept beside the first: a
 * full journal stands still, and is purged when two snapshots cover it.
 */
export async function takeSnapshot(dataDir: string, partition: Partition): Promise<Snapshot> {
  const folder = snapshotFolder(dataDir, partition.name);
  const unfinished = join(folder, 'taking.new');
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  await partition.root.backup(unfinished, false);
  const { epoch, seq } = await verifySnapshot(partition.name, unfinished);
  const place = join(folder, `e${String(epoch).padStart(6, '0')}-s${String(seq).padStart(15, '0')}`);
  const finished = existsSync(place) ? `${place}b` : place;
  rmSync(finished, { recursive: true, force: true });
  renameSync(unfinished, finished);
  for (const old of listSnapshots(dataDir, partition.name).slice(0, -kept)) rmSync(old.folder, { recursive: true });
  return { folder: finished, epoch, seq };
}

/**
 * Opens a copy and reads every row of every table.
 * @returns the place in the journal it holds
 * @throws when it cannot be read
 */
export async function verifySnapshot(name: string, folder: string): Promise<Omit<Snapshot, 'folder'>> {
  const copy = openFolder(name, 0, folder, true);
  try {
    // A snapshot of an earlier version lacks the tables that came after it.
    for (const table of dumpedTables) for (const _ of copy.tables[table]?.getRange({ snapshot: true }) ?? []) void _;
    for (const _ of copy.responses.getRange({ snapshot: true })) void _;
    return { epoch: readStreamIdentity(copy)?.epoch ?? 0, seq: readCursor(copy).seq };
  } finally {
    await copy.close();
  }
}

/**
 * Makes a snapshot the generation in use; the journal's tail is folded onto it when the owner opens it.
 * The store it replaces stays beside it, set aside for a person to look at.
 */
export function restoreSnapshot(dataDir: string, partition: string, snapshot: Snapshot): number {
  const generation = prepareGeneration(dataDir, partition);
  cpSync(join(snapshot.folder, 'data.mdb'), join(generationFolder(dataDir, partition, generation), 'data.mdb'));
  switchGeneration(dataDir, partition, generation);
  return generation;
}
