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
  /** The last row is the one with which the bodies exceed this number of characters. Default: no limit. */
  maxTexts?: number;
}

/** The rows of each table. Both tables have keys of the form `[repoId, number]`. */
export interface CapturedRows {
  pulls: PullRecord;
  issues: IssueRecord;
}

/** Returns rows of a repository, the highest number first. Rows that are not returned are not decoded. */
export function newestRows<T extends keyof CapturedRows>(
  partition: Partition,
  table: T,
  repoId: string,
  { below, offset = 0, limit, maxTexts = Number.POSITIVE_INFINITY }: Stretch,
): CapturedRows[T][] {
  const found: CapturedRows[T][] = [];
  let texts = 0;
  const within = { start: [repoId, below - 1], end: [repoId], reverse: true, offset, limit };
  for (const { value } of partition.tables[table].getRange(within)) {
    const row = value as CapturedRows[T];
    found.push(row);
    texts += row.body.length;
    if (texts > maxTexts) break;
  }
  return found;
}

/** Returns how many rows of a repository have a smaller number. The rows are not decoded. */
export function countRows(partition: Partition, table: keyof CapturedRows, repoId: string, below: number): number {
  return partition.tables[table].getKeysCount({ start: [repoId], end: [repoId, below] });
}
