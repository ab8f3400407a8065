/** Reads captured pull requests or issues of a repository from the highest number to the lowest. */
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** A part of the rows of a repository. */
export interface Stretch {
  /** Only rows with a smaller number are read. */
  below: number;
  /** Number of rows to skip. */
  offset?: number;
  /** Maximum number of rows. */
  limit: number;
}

/** The rows of each table. Both tables have keys of the form `[repoId, number]`. */
interface Rows {
  pulls: PullRecord;
  issues: IssueRecord;
}

/** Returns rows of a repository, the highest number first. */
export function newestRows<T extends keyof Rows>(
  partition: Partition,
  table: T,
  repoId: string,
  { below, offset = 0, limit }: Stretch,
): Rows[T][] {
  const within = { start: [repoId, below - 1], end: [repoId], reverse: true, offset, limit };
  return [...partition.tables[table].getRange(within)].map((row) => row.value as Rows[T]);
}

/**
 * Returns rows of a repository, the highest number first, and ends early after `maxTexts` characters of bodies. Rows
 * are read one by one, so rows that are not returned take no time.
 */
export function boundedRows<T extends keyof Rows>(
  partition: Partition,
  table: T,
  repoId: string,
  { below, limit, maxTexts }: { below: number; limit: number; maxTexts: number },
): Rows[T][] {
  const found: Rows[T][] = [];
  let texts = 0;
  const within = { start: [repoId, below - 1], end: [repoId], reverse: true, limit };
  for (const { value } of partition.tables[table].getRange(within)) {
    found.push(value as Rows[T]);
    texts += (value as Rows[T]).body.length;
    if (texts > maxTexts) break;
  }
  return found;
}

/** Returns how many rows of a repository have a smaller number. The rows are not decoded. */
export function countRows(partition: Partition, table: keyof Rows, repoId: string, below: number): number {
  return partition.tables[table].getKeysCount({ start: [repoId], end: [repoId, below] });
}
