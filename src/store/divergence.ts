/**
 * Remembers on disk that the state of a partition differs from that of other nodes. The store and the snapshots of such a
 * partition are not used after a restart (`docs/architecture.md` decision 47). This is a file beside the store, because
 * the store itself is replaced.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partitionFolder } from './generation.ts';

/** What is known about the state of a partition on this node. */
export interface Divergence {
  /**
   * - `diverged`: most nodes have another state. The next start replaces the store.
   * - `undecided`: another node has another state, and there is no majority.
   * - `repaired`: the store was replaced, but not compared since.
   * - `sound`: the store was replaced, and is equal to that of other nodes.
   */
  state: 'diverged' | 'undecided' | 'repaired' | 'sound';
  /** The nodes whose states differ, if no majority says which one is right. */
  against: readonly string[];
  /** When the store was replaced, in milliseconds since 1970. */
  repairs: readonly number[];
}

const states: readonly unknown[] = ['diverged', 'undecided', 'repaired', 'sound'] satisfies Divergence['state'][];

/**
 * Returns what is remembered about a partition; undefined if its state has never differed. A file that cannot be
 * understood was damaged. It counts as `diverged`, because the store beside it may be damaged too.
 */
export function readDivergence(dataDir: string, partition: string): Divergence | undefined {
  const path = fileOf(dataDir, partition);
  if (!existsSync(path)) return undefined;
  try {
    const { state, against, repairs } = JSON.parse(readFileSync(path, 'utf8')) as Divergence;
    if (states.includes(state) && Array.isArray(against) && Array.isArray(repairs)) return { state, against, repairs };
  } catch {
    // The text of the file is not JSON.
  }
  return { state: 'diverged', against: [], repairs: [] };
}

/** Remembers the state of a partition. A kill leaves either the old or the new file. */
export function writeDivergence(dataDir: string, partition: string, divergence: Divergence): void {
  const path = fileOf(dataDir, partition);
  writeFileSync(`${path}.new`, `${JSON.stringify(divergence)}\n`, { flush: true } as object);
  renameSync(`${path}.new`, path);
}

function fileOf(dataDir: string, partition: string): string {
  return join(partitionFolder(dataDir, partition), 'diverged.json');
}
