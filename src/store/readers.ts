/**
 * Opens partitions for reading. Another process writes to these partitions.
 *
 * Every request begins with `fresh`, which ends the old read transaction. With the old transaction, a request could
 * miss a commit that the request itself caused. An idle thread would also continue to show old data
 * (`docs/architecture.md` decision 10).
 */
import { currentTurn } from '../foundation/turn.ts';
import { currentGeneration, inodeOf } from './generation.ts';
import { openReadOnly, type Partition } from './partition.ts';
import { readCursor } from './tables/meta.ts';

interface Opened {
  partition: Partition;
  inode: number | undefined;
  /** The turn of the event loop in which the read transaction was renewed; -1 if there is no read transaction. */
  turn: number;
  /** Cursor of the state that the read transaction shows; undefined if it has not been read since the renewal. */
  seq: number | undefined;
}

/** The part of `Readers` that a request needs to read the current state of partitions. */
export type CurrentState = Pick<Readers, 'current' | 'seq' | 'generation'>;

/** The part of `Readers` that a request needs, before and after it has waited. */
export type RequestReaders = CurrentState & Pick<Readers, 'fresh'>;

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
    const known = this.open.get(name);
    if (known) {
      known.partition.root.resetReadTxn();
      known.turn = currentTurn();
      known.seq = undefined;
      return known.partition;
    }
    const partition = openReadOnly(this.dataDir, name);
    if (partition)
      this.open.set(name, { partition, inode: inodeOf(partition.folder), turn: currentTurn(), seq: undefined });
    return partition;
  }

  /**
   * Returns the state of the partition at the first read of the current turn of the event loop. All requests that
   * arrive in one turn can share this state, which saves a renewal per request. Call it only at the start of a request.
   * After an `await`, a request must call `fresh`, or it could miss a commit that it has waited for.
   * @returns undefined until the owner has created the partition
   */
  current(name: string): Partition | undefined {
    const known = this.open.get(name);
    return known?.turn === currentTurn() ? known.partition : this.fresh(name);
  }

  /**
   * Like `fresh`, but also returns a state that is too old to be served (`FreshReaders`). For work that does not answer
   * anyone.
   */
  ofAnyAge(name: string): Partition | undefined {
    return this.fresh(name);
  }

  /**
   * Returns the sequence of the last journal message that is folded into the state which `current` or `fresh` returned
   * last. As long as the sequence stays the same, no folded row of the partition has changed.
   * @returns -1 until the owner has created the partition
   */
  seq(name: string): number {
    const known = this.open.get(name);
    if (!known) return -1;
    known.seq ??= readCursor(known.partition).seq;
    return known.seq;
  }

  /** Returns the generation number of a partition's open store; 0 if the partition is not open here. */
  generation(name: string): number {
    return this.open.get(name)?.partition.generation ?? 0;
  }

  /** Releases the read transaction, so that an idle thread does not keep old pages in use. */
  release(name: string): void {
    const known = this.open.get(name);
    if (!known) return;
    known.partition.root.resetReadTxn();
    known.turn = -1;
    known.seq = undefined;
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
