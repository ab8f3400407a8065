/**
 * Captured pull requests, stored by number. Merged pull requests also have indexes by merge commit, by time of merge,
 * and by author. Numbers of reactions that arrive before their pull request are stored in a table of their own.
 */
import type { PullRecord } from '../../protocol/stored.ts';
import { addRow } from '../add-row.ts';
import type { Partition } from '../partition.ts';
import { countMerge } from './weeks.ts';

export function readPull(partition: Partition, repoId: string, number: number): PullRecord | undefined {
  return partition.tables.pulls.get([repoId, number]);
}

/** Writes a pull request, and updates its index rows and the counts of its week. */
export function writePull(
  partition: Partition,
  repoId: string,
  pull: PullRecord,
  before: PullRecord | undefined,
): void {
  const { pulls, pullsByMergedAt, pullsByAuthor } = partition.tables;
  pulls.putSync([repoId, pull.number], pull);
  if (before?.mergeSha !== pull.mergeSha) {
    if (before?.mergeSha) removeMergedAs(partition, repoId, before.mergeSha, pull.number);
    if (pull.mergeSha) addMergedAs(partition, repoId, pull.mergeSha, pull.number);
  }
  if (before?.mergedAt !== pull.mergedAt) {
    if (before?.mergedAt != null) pullsByMergedAt.removeSync([repoId, before.mergedAt, pull.number]);
    if (pull.mergedAt !== null) pullsByMergedAt.putSync([repoId, pull.mergedAt, pull.number], true);
  }
  countMerge(partition, repoId, before, pull);
  const [was, is] = [before && authorKey(repoId, before), authorKey(repoId, pull)];
  if (was && String(was) !== String(is)) pullsByAuthor.removeSync(was);
  if (is && String(was) !== String(is)) pullsByAuthor.putSync(is, true);
}

/**
 * Returns the key of a merged pull request in the index by author; undefined if the pull request is not merged. The key
 * contains the author's login in lower case.
 */
export function authorKey(repoId: string, pull: PullRecord): [string, string, number, number] | undefined {
  if (pull.mergedAt === null) return undefined;
  return [repoId, pull.author.login.toLowerCase(), pull.mergedAt, pull.number];
}

/** Stores the number of reactions to a pull request that is not captured yet. Zero is not stored. */
export function holdReactions(partition: Partition, repoId: string, number: number, reactions: number): void {
  if (reactions === 0) partition.tables.earlyReactions.removeSync([repoId, number]);
  else partition.tables.earlyReactions.putSync([repoId, number], reactions);
}

/** Returns the number of reactions that `holdReactions` stored, and removes it. */
export function takeReactions(partition: Partition, repoId: string, number: number): number {
  const reactions: number | undefined = partition.tables.earlyReactions.get([repoId, number]);
  if (reactions !== undefined) partition.tables.earlyReactions.removeSync([repoId, number]);
  return reactions ?? 0;
}

/** Returns the number of the earliest merged pull request of the author `login`. The case of `login` is ignored. */
export function firstPullBy(partition: Partition, repoId: string, login: string): number | undefined {
  const author = login.toLowerCase();
  const range = { start: [repoId, author], end: [repoId, author, Number.MAX_SAFE_INTEGER], limit: 1 };
  const [key] = partition.tables.pullsByAuthor.getKeys(range);
  return (key as [string, string, number, number] | undefined)?.[3];
}

/** Returns the merged pull requests whose merge commit is `sha`, ordered by number. */
export function pullsMergedAs(partition: Partition, repoId: string, sha: string): PullRecord[] {
  const found: PullRecord[] = [];
  for (const number of numbersMergedAs(partition, repoId, sha)) {
    const pull = readPull(partition, repoId, number);
    if (pull) found.push(pull);
  }
  return found;
}

/**
 * Removes a pull request from the index row of its merge commit. When the row contains no other number, the whole row
 * is removed.
 */
export function removeMergedAs(partition: Partition, repoId: string, sha: string, number: number): void {
  const { pullsByMergeSha } = partition.tables;
  const left = numbersMergedAs(partition, repoId, sha).filter((other) => other !== number);
  if (left.length === 0) pullsByMergeSha.removeSync([repoId, sha]);
  else pullsByMergeSha.putSync([repoId, sha], left);
}

function addMergedAs(partition: Partition, repoId: string, sha: string, number: number): void {
  const { pullsByMergeSha } = partition.tables;
  const key = [repoId, sha];
  // Nearly every merge commit has one number, so the first attempt saves a lookup.
  if (addRow(pullsByMergeSha, key, [number])) return;
  const others = numbersMergedAs(partition, repoId, sha).filter((other) => other !== number);
  pullsByMergeSha.putSync(
    key,
    [...others, number].sort((a, b) => a - b),
  );
}

/**
 * Returns the numbers of the pull requests with this merge commit. A draft reads these numbers for each of its commits.
 * So one row contains all numbers of a merge commit. Reading one row takes half the time of reading a range of keys.
 */
function numbersMergedAs(partition: Partition, repoId: string, sha: string): number[] {
  return partition.tables.pullsByMergeSha.get([repoId, sha]) ?? [];
}

/** Returns the pull requests with `from` ≤ mergedAt < `to`, ordered by (mergedAt, number). */
export function pullsMergedBetween(partition: Partition, repoId: string, from: number, to: number): PullRecord[] {
  const keys = partition.tables.pullsByMergedAt.getKeys({ start: [repoId, from], end: [repoId, to] });
  return byKeys(partition, repoId, keys);
}

/** Returns the captured pull requests with `from` ≤ number ≤ `to`, ordered by number. */
export function pullsNumbered(partition: Partition, repoId: string, from: number, to: number): PullRecord[] {
  const rows = partition.tables.pulls.getRange({ start: [repoId, from], end: [repoId, to + 1] });
  return [...rows].map((row) => row.value as PullRecord);
}

/** Returns up to `limit` captured pull requests whose number is greater than `number`, ordered by number. */
export function pullsAfter(partition: Partition, repoId: string, number: number, limit: number): PullRecord[] {
  const rows = partition.tables.pulls.getRange({ start: [repoId, number + 1], end: [repoId, 1e12], limit });
  return [...rows].map((row) => row.value as PullRecord);
}

function byKeys(partition: Partition, repoId: string, keys: Iterable<[string, unknown, number]>): PullRecord[] {
  const found: PullRecord[] = [];
  for (const key of keys) {
    const pull = readPull(partition, repoId, key[2]);
    if (pull) found.push(pull);
  }
  return found;
}
