/**
 * Describes the snapshots of a partition to other nodes and reads pieces of them. A snapshot never changes after it was
 * verified, so its SHA-256 identifies it.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Sequence } from '../foundation/sequence.ts';
import { openFolder } from './partition.ts';
import { dataFile, digestFile, listSnapshots, type Snapshot } from './snapshot.ts';
import { readStreamIdentity } from './tables/meta.ts';
import { readTrace } from './tables/retention.ts';

/**
 * A snapshot with its SHA-256. `created` identifies its stream. `clean` is the number of erasures whose bytes the
 * snapshot does not contain.
 */
export interface SnapshotFacts {
  created: string;
  epoch: number;
  seq: number;
  bytes: number;
  sha256: string;
  clean: number;
}

/** Describes snapshots, and remembers the facts that are read from their files. */
export class SnapshotCatalogue {
  private readonly dataDir: string;
  private readonly partition: string;
  private known = new Map<string, SnapshotFacts>();
  /** A snapshot is opened only once at the same time. */
  private readonly lists = new Sequence();

  constructor(dataDir: string, partition: string) {
    this.dataDir = dataDir;
    this.partition = partition;
  }

  /** Returns the snapshots that have a digest, oldest first. Snapshots of earlier versions lack it. */
  list(): Promise<SnapshotFacts[]> {
    return this.lists.run(() => this.listNow());
  }

  private async listNow(): Promise<SnapshotFacts[]> {
    const found = new Map<string, SnapshotFacts>();
    for (const snapshot of listSnapshots(this.dataDir, this.partition)) {
      const sha256 = digestOf(snapshot);
      if (sha256 === undefined) continue;
      const facts = this.known.get(sha256) ?? (await this.read(snapshot, sha256));
      found.set(`${snapshot.folder} ${sha256}`, facts);
    }
    this.known = new Map([...found.values()].map((facts) => [facts.sha256, facts]));
    return [...found.values()];
  }

  private async read({ folder, epoch, seq }: Snapshot, sha256: string): Promise<SnapshotFacts> {
    const { size } = statSync(join(folder, dataFile));
    const copy = openFolder(this.partition, 0, folder, true);
    try {
      const created = readStreamIdentity(copy)?.created ?? '';
      return { created, epoch, seq, bytes: size, sha256, clean: readTrace(copy, 'renewed') };
    } finally {
      await copy.close();
    }
  }
}

/** An open snapshot, and when a piece of it was last read. */
interface OpenSnapshot {
  sha256: string;
  file: FileHandle;
  usedAt: number;
}

/**
 * Snapshots that are open at the same time. A snapshot stays open while another node reads it, because a newer snapshot
 * may replace it meanwhile.
 */
const maxOpen = 4;
/** A snapshot of which no piece was read for this time is closed, in milliseconds. */
const idleMs = 60_000;

/** Reads pieces of the snapshots of a partition. */
export class SnapshotPieces {
  private readonly dataDir: string;
  private readonly partition: string;
  private readonly opened: OpenSnapshot[] = [];

  constructor(dataDir: string, partition: string) {
    this.dataDir = dataDir;
    this.partition = partition;
  }

  /** Returns `length` bytes of the snapshot from `offset` on; undefined if there are no such bytes. */
  async read(sha256: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const file = await this.open(sha256);
    if (!file) return undefined;
    const piece = Buffer.allocUnsafe(length);
    const { bytesRead } = await file.read(piece, 0, length, offset);
    return bytesRead === length ? piece : undefined;
  }

  /** Closes the snapshots that no node reads any more. */
  async closeIdle(): Promise<void> {
    const now = performance.now();
    await this.closeAll((each) => now - each.usedAt > idleMs);
  }

  async close(): Promise<void> {
    await this.closeAll(() => true);
  }

  private async open(sha256: string): Promise<FileHandle | undefined> {
    const found = this.opened.find((each) => each.sha256 === sha256);
    if (found) {
      found.usedAt = performance.now();
      return found.file;
    }
    const snapshot = listSnapshots(this.dataDir, this.partition).find((each) => digestOf(each) === sha256);
    if (!snapshot) return undefined;
    const file = await open(join(snapshot.folder, dataFile), 'r');
    this.opened.push({ sha256, file, usedAt: performance.now() });
    const [oldest] = [...this.opened].sort((a, b) => a.usedAt - b.usedAt);
    if (this.opened.length > maxOpen) await this.closeAll((each) => each === oldest);
    return file;
  }

  private async closeAll(isMeant: (each: OpenSnapshot) => boolean): Promise<void> {
    for (const each of this.opened.filter(isMeant)) {
      this.opened.splice(this.opened.indexOf(each), 1);
      await each.file.close();
    }
  }
}

function digestOf({ folder }: Snapshot): string | undefined {
  const file = join(folder, digestFile);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}
