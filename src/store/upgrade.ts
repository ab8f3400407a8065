/**
 * Brings a store that an earlier version wrote to the layout of this one, when its owner opens it and before anything is
 * read. What comes out has the bytes that a replay of the journal would have.
 */
import type { Partition } from './partition.ts';

/** One transaction, so that a store has one layout or the other. */
export function upgradeLayout(partition: Partition): void {
  if (hasNumbersInKeys(partition)) partition.root.transactionSync(() => gatherNumbers(partition));
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
