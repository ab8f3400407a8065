/**
 * Pushed commits, and the branch pushes that listed them. Each commit names the pushes that listed it, so history can
 * be followed back from any commit. Example: commit C was listed by push 2. The history of C first contains the commits
 * of push 2. Push 2 started from a commit that is the head of push 1. So the commits of push 1 follow.
 */
import type { CommitRecord, PushRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

export function readCommit(partition: Partition, repoId: string, sha: string): CommitRecord | undefined {
  return partition.tables.commits.get([repoId, sha]);
}

export function writeCommit(partition: Partition, repoId: string, commit: CommitRecord): void {
  partition.tables.commits.putSync([repoId, commit.sha], commit);
}

export function readPush(partition: Partition, repoId: string, branch: string, after: string): PushRecord | undefined {
  return partition.tables.pushes.get([repoId, branch, after]);
}

export function writePush(partition: Partition, repoId: string, push: PushRecord): void {
  partition.tables.pushes.putSync([repoId, push.branch, push.after], push);
}
