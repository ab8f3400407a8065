/**
 * Opens partitions for reading on a node of a cluster. Every read first checks that the state of the partition is not
 * too old to be served (`docs/architecture.md` decision 40).
 */
import type { Partition } from './partition.ts';
import { Readers } from './readers.ts';

export class FreshReaders extends Readers {
  private check: ((name: string) => void) | undefined;

  /**
   * Begins to check. Before that, the process prepares itself with the state that it finds, and serves no one.
   * @param check throws if the state of a partition must not be served
   */
  begin(check: (name: string) => void): void {
    this.check = check;
  }

  override fresh(name: string): Partition | undefined {
    this.check?.(name);
    return super.fresh(name);
  }

  override current(name: string): Partition | undefined {
    this.check?.(name);
    return super.current(name);
  }

  override ofAnyAge(name: string): Partition | undefined {
    return super.fresh(name);
  }
}
