/**
 * Pushed commits and the branch pushes that listed them. A commit names its pushes, so history can be walked back from any
 * commit: along its push, then to the push that ends where that one began.
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
