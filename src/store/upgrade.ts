/**
 * Upgrades a store that an earlier version of Tidings wrote to the current layout. The owner of the partition does this
 * when it opens the store, before anything is read. The result has the same bytes as a replay of the journal.
 */
import type { KeyRecord } from '../protocol/commands.ts';
import type { Partition } from './partition.ts';
import { type DirectoryRepository, putKeyInUse } from './tables/directory.ts';
import { indexRepository } from './tables/repository-index.ts';

/**
 * Runs the upgrades that the store needs. Each upgrade is one transaction, so a killed process leaves either the old or
 * the new layout.
 */
export function upgradeLayout(partition: Partition): void {
  if (hasNumbersInKeys(partition)) partition.root.transactionSync(() => gatherNumbers(partition));
  if (lacksKeysInUse(partition)) partition.root.transactionSync(() => listKeysInUse(partition));
  if (lacksNames(partition)) partition.root.transactionSync(() => indexNames(partition));
}

/** Whether the store lacks the index of repositories by name, which earlier versions of Tidings did not have. */
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
 * Whether the store lacks the list of keys in use, which earlier versions of Tidings did not have. An upgraded list is
 * never empty, because a service has at least one instance key.
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
 * Whether the store has the layout of earlier versions of Tidings: one row per pull request of a merge commit, with the
 * number of the pull request in the key.
 */
function hasNumbersInKeys({ tables }: Partition): boolean {
  const [first] = tables.pullsByMergeSha.getKeys({ limit: 1 }) as Iterable<unknown[]>;
  return first !== undefined && first.length > 2;
}

/**
 * Gathers the numbers of the pull requests of each merge commit in one row. Keys are read in order, so the numbers are
 * sorted.
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
