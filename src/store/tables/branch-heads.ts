/**
 * The head of each branch: the commit that the newest push to the branch led to. The order in which pushes arrive does
 * not change the heads.
 */
import type { BranchHead, PushRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** Returns the head of a branch and the time of its last push; undefined if no push to the branch is captured. */
export function readHead(
  partition: Partition,
  repoId: string,
  branch: string,
): { sha: string | null; at: number } | undefined {
  const stored: BranchHead | undefined = partition.tables.branchHeads.get([repoId, branch]);
  return stored && { sha: newestOf(stored), at: stored.at };
}

/** Returns the newest host time of a push to any branch; 0 if no push is known. */
export function newestHeadTime(partition: Partition, repoId: string): number {
  const rows = partition.tables.branchHeads.getRange({ start: [repoId], end: [repoId, '\u{10ffff}'] });
  return [...rows].reduce((newest, { value }) => Math.max(newest, (value as BranchHead).at), 0);
}

/** Stores the head that a push led to, unless a newer push is stored. `after` is null if the push deleted the branch. */
export function noteHead(
  partition: Partition,
  repoId: string,
  { branch, before, after, at }: Pick<PushRecord, 'branch' | 'before' | 'at'> & { after: string | null },
): void {
  const { branchHeads } = partition.tables;
  const known: BranchHead | undefined = branchHeads.get([repoId, branch]);
  if (known && known.at > at) return;
  const others = known?.at === at ? known.pushes : [];
  if (others.some(([from, to]) => from === before && to === after)) return;
  branchHeads.putSync([repoId, branch], { at, pushes: [...others, [before, after]].sort(byText) });
}

/**
 * Returns the head that no other push of the same time has replaced. If several remain, the last one in the order of
 * the stored pushes is returned.
 */
function newestOf({ pushes }: BranchHead): string | null {
  const replaced = new Set(pushes.map(([before]) => before));
  const heads = pushes.map(([, after]) => after);
  return heads.filter((head) => !replaced.has(head)).at(-1) ?? heads.at(-1) ?? null;
}

function byText(a: readonly unknown[], b: readonly unknown[]): number {
  const [one, other] = [JSON.stringify(a), JSON.stringify(b)];
  return one < other ? -1 : Number(one > other);
}
