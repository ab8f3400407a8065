/**
 * Upgrades a store to the current layout, if an earlier version of Tidings wrote the store. The owner of a partition
 * upgrades the partition's store before it reads any data. The upgraded store has the same bytes as a store that is
 * rebuilt from the journal, except for two tables. A store that is rebuilt also has the heads of branches that were
 * deleted or set back. It counts publications that were deleted or sent again by the time of their first success.
 */
import { isPartEnd } from '../foundation/ids.ts';
import type { KeyRecord } from '../protocol/commands.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { PullRecord, PushRecord } from '../protocol/stored.ts';
import type { Partition } from './partition.ts';
import { noteHead } from './tables/branch-heads.ts';
import { type DirectoryRepository, putKeyInUse } from './tables/directory.ts';
import { readDraft } from './tables/drafts.ts';
import { readTime } from './tables/meta.ts';
import { countPublicationWaits } from './tables/publication-waits.ts';
import { indexState } from './tables/publications.ts';
import { indexRepository } from './tables/repository-index.ts';
import { lacksVerdict, rewriteDraftResponse } from './tables/responses.ts';
import { countMerge } from './tables/weeks.ts';

/**
 * Runs the upgrades that the store needs. Each upgrade is one transaction. If the process is killed during an upgrade,
 * the store still has the old layout.
 */
export function upgradeLayout(partition: Partition): void {
  if (hasNumbersInKeys(partition)) partition.root.transactionSync(() => gatherNumbers(partition));
  if (lacksKeysInUse(partition)) partition.root.transactionSync(() => listKeysInUse(partition));
  if (lacksNames(partition)) partition.root.transactionSync(() => indexNames(partition));
  if (hasOldDraftReplies(partition)) partition.root.transactionSync(() => rewriteDraftReplies(partition));
  if (lacksStates(partition)) partition.root.transactionSync(() => indexStates(partition));
  if (lacksWeeks(partition)) partition.root.transactionSync(() => countWeeks(partition));
  if (lacksHeads(partition)) partition.root.transactionSync(() => noteHeads(partition));
}

/** Whether the store lacks the index of publications by state. Earlier versions of Tidings did not have this index. */
function lacksStates({ tables }: Partition): boolean {
  const [any] = tables.publications.getKeys({ limit: 1 });
  const [indexed] = tables.publicationsByState.getKeys({ limit: 1 });
  return any !== undefined && indexed === undefined;
}

function indexStates(partition: Partition): void {
  for (const { value } of partition.tables.publications.getRange({})) indexState(partition, value as PublicationRecord);
}

/** Whether the store lacks the counts per week. Earlier versions of Tidings did not have these counts. */
function lacksWeeks({ tables }: Partition): boolean {
  const [merged] = tables.pullsByMergedAt.getKeys({ limit: 1 });
  const [counted] = tables.weeks.getKeys({ limit: 1 });
  return merged !== undefined && counted === undefined;
}

function countWeeks(partition: Partition): void {
  for (const { key, value } of partition.tables.pulls.getRange({}))
    countMerge(partition, (key as [string, number])[0], undefined, value as PullRecord);
  const published = [...partition.tables.publications.getRange({})]
    .map(({ value }) => value as PublicationRecord)
    .filter(({ publishedAt }) => publishedAt !== null)
    .sort((a, b) => Number(a.publishedAt) - Number(b.publishedAt));
  for (const publication of published) countPublicationWaits(partition, publication, Number(publication.publishedAt));
}

/** Whether the store lacks the heads of branches. Earlier versions of Tidings did not store them. */
function lacksHeads({ tables }: Partition): boolean {
  const [push] = tables.pushes.getKeys({ limit: 1 });
  const [head] = tables.branchHeads.getKeys({ limit: 1 });
  return push !== undefined && head === undefined;
}

function noteHeads(partition: Partition): void {
  const latest = readTime(partition);
  for (const { key, value } of partition.tables.pushes.getRange({})) {
    const push = value as PushRecord;
    // The time of a step that a backfill read is the date of a commit, which can be in the future.
    const at = push.backfilled ? Math.min(push.at, latest) : push.at;
    if (!isPartEnd(push.after)) noteHead(partition, key[0], { ...push, at });
  }
}

/** Whether the stored replies of drafts lack their verdicts. All of them lack the field, or none. */
function hasOldDraftReplies(partition: Partition): boolean {
  for (const id of partition.tables.drafts.getKeys({}) as Iterable<string>) {
    const row = partition.responses.getBinary(id) as Buffer | undefined;
    if (row) return lacksVerdict(row);
  }
  return false;
}

function rewriteDraftReplies(partition: Partition): void {
  for (const id of [...(partition.tables.drafts.getKeys({}) as Iterable<string>)]) {
    const row = partition.responses.getBinary(id) as Buffer | undefined;
    const draft = readDraft(partition, id);
    if (row && draft) rewriteDraftResponse(partition, draft, row);
  }
}

/** Whether the store lacks the index of repositories by name. Earlier versions of Tidings did not have this index. */
function lacksNames({ tables }: Partition): boolean {
  const [any] = tables.directoryRepositories.getKeys({ limit: 1 });
  const [named] = tables.repositoriesByName.getKeys({ limit: 1 });
  return any !== undefined && named === undefined;
}

function indexNames(partition: Partition): void {
  for (const { value } of [...partition.tables.directoryRepositories.getRange({})])
    indexRepository(partition, undefined, value as DirectoryRepository);
}

/**
 * Whether the store lacks the list of keys in use. Earlier versions of Tidings did not have this list. An empty list
 * means that the list was never written, because a service has at least one instance key in use.
 */
function lacksKeysInUse({ tables }: Partition): boolean {
  const [anyKey] = tables.keys.getKeys({ limit: 1 });
  const [inUse] = tables.keysInUse.getKeys({ limit: 1 });
  return anyKey !== undefined && inUse === undefined;
}

function listKeysInUse(partition: Partition): void {
  for (const { value } of partition.tables.keys.getRange({})) {
    const key = value as KeyRecord;
    if (key.revokedAt === null) putKeyInUse(partition, key);
  }
}

/**
 * Whether the index of merge commits has the layout of earlier versions of Tidings. In this layout, each pull request
 * of a merge commit has its own row, and the key contains the number of the pull request.
 */
function hasNumbersInKeys({ tables }: Partition): boolean {
  const [first] = tables.pullsByMergeSha.getKeys({ limit: 1 }) as Iterable<unknown[]>;
  return first !== undefined && first.length > 2;
}

/**
 * Writes one row per merge commit, with the numbers of all its pull requests. The old keys are read in order, so the
 * numbers are sorted.
 */
function gatherNumbers({ tables: { pullsByMergeSha } }: Partition): void {
  const rows = [...pullsByMergeSha.getKeys({})] as [repoId: string, sha: string, number: number][];
  let numbers: number[] = [];
  for (const [index, [repoId, sha, number]] of rows.entries()) {
    pullsByMergeSha.removeSync([repoId, sha, number]);
    numbers.push(number);
    const next = rows[index + 1];
    if (next && next[0] === repoId && next[1] === sha) continue;
    pullsByMergeSha.putSync([repoId, sha], numbers);
    numbers = [];
  }
}
