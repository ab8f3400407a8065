/**
 * Read-only access to partitions that another process writes. Every request begins with `fresh`, which drops the old read
 * transaction: without it a reply can miss its own commit, and an idle thread would stay stale for ever (`DESIGN.md`
 * decision 10).
 */
import { currentGeneration } from './generation.ts';
import { openReadOnly, type Partition } from './partition.ts';

export class Readers {
  private readonly dataDir: string;
  private readonly open = new Map<string, Partition>();

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  /**
   * The partition as of now. Call it once before the first read of a request and not again after an await without need.
   * @returns undefined while the owner has not made the partition
   */
  fresh(name: string): Partition | undefined {
    const known = this.open.get(name);
    if (known) {
      known.root.resetReadTxn();
      return known;
    }
    const opened = openReadOnly(this.dataDir, name);
    if (opened) this.open.set(name, opened);
    return opened;
  }

  /** The generation open here; 0 for none. */
  generation(name: string): number {
    return this.open.get(name)?.generation ?? 0;
  }

  /** Lets go of the read transaction, so that an idle thread pins no pages. */
  release(name: string): void {
    this.open.get(name)?.root.resetReadTxn();
  }

  /** Opens the generation in use when the one open is an older one. */
  async follow(name: string): Promise<void> {
    const known = this.open.get(name);
    if (!known || currentGeneration(this.dataDir, name) <= known.generation) return;
    this.open.delete(name);
    await known.close();
  }

  async close(): Promise<void> {
    const partitions = [...this.open.values()];
    this.open.clear();
    for (const partition of partitions) await partition.close();
  }
}
