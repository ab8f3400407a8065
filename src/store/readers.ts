/**
 * Read-only access to partitions that another process writes. Every request begins with `fresh`, which drops the old read
 * transaction: without it a reply can miss its own commit, and an idle thread would stay stale for ever (`docs/architecture.md`
 * decision 10).
 */
import { currentGeneration, inodeOf } from './generation.ts';
import { openReadOnly, type Partition } from './partition.ts';

interface Opened {
  partition: Partition;
  inode: number | undefined;
}

export class Readers {
  private readonly dataDir: string;
  private readonly open = new Map<string, Opened>();

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /**
   * The partition as of now. Call it once before the first read of a request and not again after an await without need.
   * @returns undefined while the owner has not made the partition
   */
  fresh(name: string): Partition | undefined {
    const known = this.open.get(name)?.partition;
    if (known) {
      known.root.resetReadTxn();
      return known;
    }
    const partition = openReadOnly(this.dataDir, name);
    if (partition) this.open.set(name, { partition, inode: inodeOf(partition.folder) });
    return partition;
  }

  /** The generation open here; 0 for none. */
  generation(name: string): number {
    return this.open.get(name)?.partition.generation ?? 0;
  }

  /** Lets go of the read transaction, so that an idle thread pins no pages. */
  release(name: string): void {
    this.open.get(name)?.partition.root.resetReadTxn();
  }

  /** Lets go of a store that is not the one in use any more; the next read opens that one. */
  async follow(name: string): Promise<void> {
    const known = this.open.get(name);
    if (!known || this.isInUse(name, known)) return;
    this.open.delete(name);
    await known.partition.close();
  }

  async close(): Promise<void> {
    const opened = [...this.open.values()];
    this.open.clear();
    for (const { partition } of opened) await partition.close();
  }

  /** A store that was deleted and made again has its generation's number, but another file. */
  private isInUse(name: string, { partition, inode }: Opened): boolean {
    const current = inodeOf(partition.folder);
    return currentGeneration(this.dataDir, name) === partition.generation && (current ?? inode) === inode;
  }
}
