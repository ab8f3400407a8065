/**
 * Pushed commits, and the pushes to branches that listed these commits. Each commit names the pushes that listed it. So
 * the history of a commit can be followed back. Example: push 2 listed commit C. The history of C begins with the
 * commits of push 2. Push 2 started from the head of push 1. So the commits of push 1 follow in the history.
 */
import type { CommitRecord, PushRecord } from '../../protocol/stored.ts';
import { addRow } from '../add-row.ts';
import type { Partition } from '../partition.ts';

export function readCommit(partition: Partition, repoId: string, sha: string): CommitRecord | undefined {
  return partition.tables.commits.get([repoId, sha]);
}

export function writeCommit(partition: Partition, repoId: string, commit: CommitRecord): void {
  partition.tables.commits.putSync([repoId, commit.sha], commit);
}

/** Writes a commit that is not stored yet. Returns false if it is already stored. */
export function addCommit(partition: Partition, repoId: string, commit: CommitRecord): boolean {
  return addRow(partition.tables.commits, [repoId, commit.sha], commit);
}

export function readPush(partition: Partition, repoId: string, branch: string, after: string): PushRecord | undefined {
  return partition.tables.pushes.get([repoId, branch, after]);
}

/**
 * Returns the pushes that created a branch, ordered by time. A branch has several if it was deleted and created again.
 */
export function creationsOf(partition: Partition, repoId: string, branch: string): PushRecord[] {
  const rows = partition.tables.pushes.getRange({ start: [repoId, branch], end: [repoId, branch, '\uffff'] });
  const pushes = [...rows].map((row) => row.value as PushRecord);
  return pushes.filter(({ before }) => before === null).sort((a, b) => a.at - b.at);
}

/** Writes a push unless there is a push to the same commit of its branch. Returns whether it was written. */
export function addPush(partition: Partition, repoId: string, push: PushRecord): boolean {
  return addRow(partition.tables.pushes, [repoId, push.branch, push.after], push);
}

export function writePush(partition: Partition, repoId: string, push: PushRecord): void {
  partition.tables.pushes.putSync([repoId, push.branch, push.after], push);
}
