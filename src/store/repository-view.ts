/**
 * One repository of a partition, read at one moment: what a draft is made from. Its methods are those that `notes/` asks of
 * its source; readings of one view must not be split by an await.
 */
import type {
  CommitRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RepositoryRecord,
  TagRecord,
} from '../protocol/stored.ts';
import { issuesClosedBetween, readIssue } from './issues.ts';
import type { Partition } from './partition.ts';
import { pullsMergedAs, pullsMergedBetween, pullsNumbered, readPull } from './pulls.ts';
import { readCommit, readPush } from './pushes.ts';
import { readRepository } from './repositories.ts';
import { readTag } from './tags.ts';

export class RepositoryView {
  readonly repository: RepositoryRecord;
  private readonly partition: Partition;
  private readonly id: string;

  private constructor(partition: Partition, repository: RepositoryRecord) {
    this.partition = partition;
    this.repository = repository;
    this.id = repository.id;
  }

  /** A view of a repository; undefined when the partition does not hold it. */
  static of(partition: Partition, repoId: string): RepositoryView | undefined {
    const repository = readRepository(partition, repoId);
    return repository && new RepositoryView(partition, repository);
  }

  tag(name: string): TagRecord | undefined {
    const tag = readTag(this.partition, this.id, name);
    return tag?.deleted ? undefined : tag;
  }

  pull(number: number): PullRecord | undefined {
    return readPull(this.partition, this.id, number);
  }

  issue(number: number): IssueRecord | undefined {
    return readIssue(this.partition, this.id, number);
  }

  commit(sha: string): CommitRecord | undefined {
    return readCommit(this.partition, this.id, sha);
  }

  push(branch: string, after: string): PushRecord | undefined {
    return readPush(this.partition, this.id, branch, after);
  }

  pullsMergedAs(sha: string): PullRecord[] {
    return pullsMergedAs(this.partition, this.id, sha);
  }

  pullsMergedBetween(from: number, to: number): PullRecord[] {
    return pullsMergedBetween(this.partition, this.id, from, to);
  }

  pullsNumbered(from: number, to: number): PullRecord[] {
    return pullsNumbered(this.partition, this.id, from, to);
  }

  issuesClosedBetween(from: number, to: number): IssueRecord[] {
    return issuesClosedBetween(this.partition, this.id, from, to);
  }
}
