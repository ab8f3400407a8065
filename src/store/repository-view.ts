/**
 * A consistent view of one repository in a partition. Drafts are generated from this view. The view has the methods
 * that the code in `notes/` requires of a data source. No `await` may come between two reads of one view, because the
 * two reads could then see different states.
 */
import type { NotesSettings } from '../protocol/notes.ts';
import type {
  CommentRecord,
  CommitRecord,
  ComparisonRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RepositoryRecord,
  TagRecord,
} from '../protocol/stored.ts';
import type { Partition } from './partition.ts';
import { readHead } from './tables/branch-heads.ts';
import { commandComments, commandedNumbers, commentsInOrder, hasComments, listComments } from './tables/comments.ts';
import { readComparison } from './tables/comparisons.ts';
import { issuesClosedBetween, readIssue } from './tables/issues.ts';
import { currentLabels, type LabelChange, listLabelChanges } from './tables/labels.ts';
import { type CapturedRows, countRows, newestRows, type Stretch } from './tables/newest.ts';
import { firstPullBy, pullsMergedAs, pullsMergedBetween, pullsNumbered, readPull } from './tables/pulls.ts';
import { creationsOf, readCommit, readPush } from './tables/pushes.ts';
import { readRepository } from './tables/repositories.ts';
import { readSettings } from './tables/settings.ts';
import { listTags, readTag } from './tables/tags.ts';

export class RepositoryView {
  readonly repository: RepositoryRecord;
  readonly settings: NotesSettings;
  private readonly held: Partition;
  private readonly beforeRead: () => void;
  private readonly id: string;
  private readonly labelChanges: readonly LabelChange[];
  private hasComments: boolean | undefined;
  private commanded: ReadonlySet<number> | undefined;

  private constructor(partition: Partition, repository: RepositoryRecord, beforeRead: () => void) {
    this.held = partition;
    this.beforeRead = beforeRead;
    this.repository = repository;
    this.id = repository.id;
    this.settings = readSettings(partition, repository.id);
    this.labelChanges = listLabelChanges(partition, repository.id);
  }

  /**
   * Creates a view of a repository. Returns undefined if the partition does not have the repository.
   * @param beforeRead called before each read. If `beforeRead` throws, the error ends the task that is reading
   */
  static of(partition: Partition, repoId: string, beforeRead = () => {}): RepositoryView | undefined {
    const repository = readRepository(partition, repoId);
    return repository && new RepositoryView(partition, repository, beforeRead);
  }

  private get partition(): Partition {
    this.beforeRead();
    return this.held;
  }

  tag(name: string): TagRecord | undefined {
    const tag = readTag(this.partition, this.id, name);
    return tag?.deleted ? undefined : tag;
  }

  tags(): TagRecord[] {
    return listTags(this.partition, this.id);
  }

  pull(number: number): PullRecord | undefined {
    const pull = readPull(this.partition, this.id, number);
    return pull && this.relabel(pull);
  }

  issue(number: number): IssueRecord | undefined {
    const issue = readIssue(this.partition, this.id, number);
    return issue && this.relabel(issue);
  }

  comparison(from: string, to: string): ComparisonRecord | undefined {
    return readComparison(this.partition, this.id, from, to);
  }

  commit(sha: string): CommitRecord | undefined {
    return readCommit(this.partition, this.id, sha);
  }

  push(branch: string, after: string): PushRecord | undefined {
    return readPush(this.partition, this.id, branch, after);
  }

  head(branch: string): { sha: string | null; at: number } | undefined {
    return readHead(this.partition, this.id, branch);
  }

  creationsOf(branch: string): PushRecord[] {
    return creationsOf(this.partition, this.id, branch);
  }

  pullsMergedAs(sha: string): PullRecord[] {
    const pulls = pullsMergedAs(this.partition, this.id, sha);
    return this.labelChanges.length === 0 ? pulls : pulls.map((record) => this.relabel(record));
  }

  firstPullBy(login: string): number | undefined {
    return firstPullBy(this.partition, this.id, login);
  }

  pullsMergedBetween(from: number, to: number): PullRecord[] {
    return pullsMergedBetween(this.partition, this.id, from, to).map((record) => this.relabel(record));
  }

  pullsNumbered(from: number, to: number): PullRecord[] {
    return pullsNumbered(this.partition, this.id, from, to).map((record) => this.relabel(record));
  }

  commentCount(number: number): number {
    this.hasComments ??= hasComments(this.partition, this.id);
    return this.hasComments ? listComments(this.partition, this.id, number).length : 0;
  }

  /** Returns the comments of a pull request or issue, oldest first. */
  comments(number: number): CommentRecord[] {
    return commentsInOrder(this.partition, this.id, number);
  }

  commandComments(number: number): CommentRecord[] {
    this.commanded ??= commandedNumbers(this.partition, this.id);
    return this.commanded.has(number) ? commandComments(this.partition, this.id, number) : [];
  }

  issuesClosedBetween(from: number, to: number): IssueRecord[] {
    return issuesClosedBetween(this.partition, this.id, from, to).map((record) => this.relabel(record));
  }

  /** Returns pull requests or issues from the highest number to the lowest. */
  newest<T extends keyof CapturedRows>(table: T, stretch: Stretch): CapturedRows[T][] {
    return newestRows(this.partition, table, this.id, stretch).map((record) => this.relabel(record));
  }

  /** Returns how many pull requests or issues have a number smaller than `below`. */
  count(table: keyof CapturedRows, below: number): number {
    return countRows(this.partition, table, this.id, below);
  }

  /**
   * Returns a record with the current names of its labels. Stored records can contain old names of labels. When a label
   * is renamed, the host sends no event for the pull requests and issues that have the label.
   */
  private relabel<T extends PullRecord | IssueRecord>(record: T): T {
    if (this.labelChanges.length === 0 || record.labels.length === 0) return record;
    const knownAt = (record.labelsAt ?? [record.updatedAt])[0];
    return { ...record, labels: currentLabels(record.labels, knownAt, this.labelChanges) };
  }
}
