/**
 * Brings a store that an earlier version wrote to the layout of this one, when its owner opens it and before anything is
 * read. What comes out has the bytes that a replay of the journal would have.
 */
import type { KeyRecord } from '../protocol/commands.ts';
import type { Partition } from './partition.ts';
import { type DirectoryRepository, putKeyInUse } from './tables/directory.ts';
import { indexRepository } from './tables/repository-index.ts';

/** One transaction, so that a store has one layout or the other. */
export function upgradeLayout(partition: Partition): void {
  if (hasNumbersInKeys(partition)) partition.root.transactionSync(() => gatherNumbers(partition));
  if (lacksKeysInUse(partition)) partition.root.transactionSync(() => listKeysInUse(partition));
  if (lacksNames(partition)) partition.root.transactionSync(() => indexNames(partition));
}

/** Earlier versions did not find repositories by name. */
function lacksNames({ tables }: Partition): boolean {
  const [any] = tables.directoryRepositories.getKeys({ limit: 1 });
  const [named] = tables.repositoriesByName.getKeys({ limit: 1 });
  return any !== undefined && named === undefined;
}

function indexNames(partition: Partition): void {
  for (const { value } of [...partition.tables.directoryRepositories.getRange({})])
    indexRepository(partition, undefined, value as DirectoryRepository);
}

/** Earlier versions kept no list of the keys in use. A service has a key of the instance, so its own list is never empty. */
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

/** Pull requests of a merge commit once had a row each, with their number in the key. */
function hasNumbersInKeys({ tables }: Partition): boolean {
  const [first] = tables.pullsByMergeSha.getKeys({ limit: 1 }) as Iterable<unknown[]>;
  return first !== undefined && first.length > 2;
}

/** A row for each merge commit instead. Keys come in order, numbers with them. */
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
