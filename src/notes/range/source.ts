/**
 * Defines what `notes/` needs to read from one repository. The store implements the interface over a partition, and
 * tests implement it over plain arrays. A draft is a pure function of the records that are read here. So the order in
 * which a function returns records is part of the contract.
 */
import type { NotesSettings } from '../../protocol/notes.ts';
import type {
  CommentRecord,
  CommitRecord,
  ComparisonRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RepositoryRecord,
  TagRecord,
} from '../../protocol/stored.ts';

/** The head of a branch. `sha` is null if the branch is deleted. `at` is the time of its last push, in milliseconds. */
export interface BranchHead {
  sha: string | null;
  at: number;
}

/** Reads one repository at one moment. All calls see the same state. */
export interface NotesSource {
  readonly repository: RepositoryRecord;
  /** The settings of the repository for its notes. */
  readonly settings: NotesSettings;
  /** Returns all existing tags, sorted by name. */
  tags(): TagRecord[];
  tag(name: string): TagRecord | undefined;
  pull(number: number): PullRecord | undefined;
  issue(number: number): IssueRecord | undefined;
  commit(sha: string): CommitRecord | undefined;
  /** Returns the host's comparison of two commits, given by sha. */
  comparison(from: string, to: string): ComparisonRecord | undefined;
  /** Returns the push of `branch` whose head is `after`. */
  push(branch: string, after: string): PushRecord | undefined;
  /** Returns the head of a branch; undefined if no push to the branch is captured. */
  head(branch: string): BranchHead | undefined;
  /** Returns the pushes that created `branch`, sorted by time. */
  creationsOf(branch: string): PushRecord[];
  /** Returns merged pull requests whose merge commit is `sha`, sorted by number. */
  pullsMergedAs(sha: string): PullRecord[];
  /**
   * Returns the number of an author's earliest merged pull request. If several pull requests have this merge time,
   * returns the lowest number. The login is compared without regard to case.
   */
  firstPullBy(login: string): number | undefined;
  /** Returns merged pull requests with `from` ≤ mergedAt < `to` (milliseconds), sorted by (mergedAt, number). */
  pullsMergedBetween(from: number, to: number): Iterable<PullRecord>;
  /** Returns all captured pull requests with `from` ≤ number ≤ `to`, sorted by number. */
  pullsNumbered(from: number, to: number): Iterable<PullRecord>;
  /** Returns how many comments an issue or pull request has. */
  commentCount(number: number): number;
  /** Returns the comments of a pull request that may contain commands, oldest first, of all authors. */
  commandComments(number: number): readonly CommentRecord[];
  /** Returns closed issues with `from` ≤ closedAt < `to` (milliseconds), sorted by (closedAt, number). */
  issuesClosedBetween(from: number, to: number): Iterable<IssueRecord>;
}
