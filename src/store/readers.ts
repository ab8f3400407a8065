/**
 * Opens partitions for reading. Another process writes to these partitions.
 *
 * Every request begins with `fresh`, which ends the old read transaction. With the old transaction, a request could
 * miss a commit that the request itself caused. An idle thread would also continue to show old data
 * (`docs/architecture.md` decision 10).
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
   * Returns the current state of the partition. Call it once before the first read of a request, and again after an
   * `await` only if newer data is needed.
   * @returns undefined until the owner has created the partition
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

  /** Returns the generation number of a partition's open store; 0 if the partition is not open here. */
  generation(name: string): number {
    return this.open.get(name)?.partition.generation ?? 0;
  }

  /** Releases the read transaction, so that an idle thread does not keep old pages in use. */
  release(name: string): void {
    this.open.get(name)?.partition.root.resetReadTxn();
  }

  /** Closes a partition's store if another store has replaced it. The next read opens the new store. */
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

  /**
   * Whether an open store is still the current store of its partition. The inodes are also compared, because a store
   * that was deleted and created again has the same generation number.
   */
  private isInUse(name: string, { partition, inode }: Opened): boolean {
    const current = inodeOf(partition.folder);
    return currentGeneration(this.dataDir, name) === partition.generation && (current ?? inode) === inode;
  }
}
