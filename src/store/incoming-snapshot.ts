/**
 * Receives a snapshot from another node, piece by piece. The snapshot counts only after it was verified like an own one,
 * and after everything in it that concerns the other node was removed. Until then, its folder ends in `.new`, and no
 * restore sees it.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { snapshotFolder } from './generation.ts';
import { openFolder } from './partition.ts';
import {
  checkSnapshot,
  dataFile,
  digestFile,
  digestOf,
  listSnapshots,
  placeOf,
  type Snapshot,
  verifySnapshot,
} from './snapshot.ts';
import type { SnapshotFacts } from './snapshot-offers.ts';
import { SteadyFile } from './steady-file.ts';

/** Thrown when a snapshot that was received is not the one that was offered, or cannot be read. */
export class BadSnapshotError extends Error {}

/** Free space that a fetch leaves on the disk, in bytes. A NATS server may use the same disk. */
const sparedBytes = 268_435_456;

/** Marks a snapshot that is being opened. LMDB can crash the process when it opens a damaged file. */
const openingFile = 'opening';

/**
 * Keys of the table `local` that a node may take over with the store of another node: they describe the store's file and
 * the stream, which both are the same here. All others are about the other node: its owner, the snapshots and files that
 * it has cleaned of erased data, and attempts that ended its process.
 */
const keptKeys: ReadonlySet<string> = new Set(['stream', 'renewed', 'padded']);

export class IncomingSnapshot {
  /** Number of bytes that were received. */
  offset = 0;
  private readonly dataDir: string;
  private readonly partition: string;
  private readonly offer: Omit<SnapshotFacts, 'clean'>;
  private readonly folder: string;
  private file: SteadyFile | undefined;

  private constructor(dataDir: string, partition: string, offer: Omit<SnapshotFacts, 'clean'>) {
    this.dataDir = dataDir;
    this.partition = partition;
    this.offer = offer;
    this.folder = join(snapshotFolder(dataDir, partition), `fetching-${offer.sha256.slice(0, 16)}.new`);
  }

  /**
   * Begins to receive a snapshot. Removes what an earlier process has left of another one.
   * @throws BadSnapshotError if opening this snapshot has ended the process before
   * @throws Error if the disk has too little space
   */
  static async begin(
    dataDir: string,
    partition: string,
    offer: Omit<SnapshotFacts, 'clean'>,
  ): Promise<IncomingSnapshot> {
    const incoming = new IncomingSnapshot(dataDir, partition, offer);
    const { folder } = incoming;
    if (existsSync(join(folder, openingFile))) {
      rmSync(join(folder, dataFile), { force: true });
      throw new BadSnapshotError('the process ended while it opened this snapshot before');
    }
    removeUnfinishedFetches(dataDir, partition);
    mkdirSync(folder, { recursive: true });
    requireSpace(folder, offer.bytes);
    incoming.file = await SteadyFile.create(join(folder, dataFile));
    return incoming;
  }

  /** Adds the next piece. */
  async add(piece: Uint8Array): Promise<void> {
    await this.file?.write(piece, this.offset);
    this.offset += piece.byteLength;
  }

  /**
   * Verifies the snapshot and lists it as an own one. Older snapshots of the partition are removed: the journal does not
   * continue them, and their epochs and erased data must not be mixed with those of this one.
   * @throws BadSnapshotError if the snapshot is not the one that was offered
   */
  async finish(): Promise<Snapshot> {
    const { dataDir, partition, folder, offer } = this;
    await this.file?.sync();
    await this.closeFile();
    const digest = join(folder, digestFile);
    writeFileSync(digest, `${offer.sha256}\n`);
    await asBad(() => checkSnapshot(partition, folder));
    appendFileSync(join(folder, openingFile), '.');
    const { epoch, seq } = await asBad(() => verifySnapshot(partition, folder));
    if (epoch !== offer.epoch || seq !== offer.seq)
      throw new BadSnapshotError(`it ends at epoch ${epoch}, sequence ${seq}; expected ${offer.epoch}, ${offer.seq}`);
    await this.makeOwn();
    rmSync(join(folder, openingFile));
    writeFileSync(digest, `${await digestOf(folder)}\n`);
    const older = listSnapshots(dataDir, partition);
    const place = placeOf(dataDir, partition, { epoch, seq });
    rmSync(place, { recursive: true, force: true });
    renameSync(folder, place);
    for (const old of older) if (old.folder !== place) rmSync(old.folder, { recursive: true });
    removeUnfinishedFetches(dataDir, partition);
    return { folder: place, epoch, seq };
  }

  /** Ends the transfer and removes what was received. */
  async abandon(): Promise<void> {
    await this.closeFile();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Removes the data of the other node from the table `local`. */
  private async makeOwn(): Promise<void> {
    const store = openFolder(this.partition, 0, this.folder, false);
    try {
      const { local } = store.tables;
      const strange = [...local.getKeys({})].filter((key) => !keptKeys.has(key as string));
      await store.write(() => {
        for (const key of strange) local.removeSync(key);
      });
      await store.root.flushed;
    } finally {
      await store.close();
    }
  }

  private async closeFile(): Promise<void> {
    const { file } = this;
    this.file = undefined;
    await file?.close();
  }
}

/** Removes what a process that was killed has received of snapshots. */
export function removeUnfinishedFetches(dataDir: string, partition: string): void {
  const folder = snapshotFolder(dataDir, partition);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (/^fetching-.*\.new$/.test(name)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Checks that the disk has space for a snapshot and the store that is made from it. */
function requireSpace(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const [free, needed] = [bavail * bsize, 2 * bytes + sparedBytes];
  if (free < needed) throw new Error(`the disk has ${free} bytes of free space; expected at least ${needed}`);
}

async function asBad<T>(check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw new BadSnapshotError((error as Error).message);
  }
}
