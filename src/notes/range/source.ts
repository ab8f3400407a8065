/**
 * What `notes/` needs to read of one repository, as an interface: the store implements it over a partition, tests over
 * plain arrays. Every reading order is part of the contract, since a draft is a pure function of what is read here.
 */
import type { NotesSettings } from '../../protocol/notes.ts';
import type {
  CommitRecord,
  ComparisonRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RepositoryRecord,
  TagRecord,
} from '../../protocol/stored.ts';

/** Reads one repository at one moment; all calls see the same state. */
export interface NotesSource {
  readonly repository: RepositoryRecord;
  /** How the repository wants its notes. */
  readonly settings: NotesSettings;
  /** All tags that exist, by name. */
  tags(): TagRecord[];
  tag(name: string): TagRecord | undefined;
  pull(number: number): PullRecord | undefined;
  issue(number: number): IssueRecord | undefined;
  commit(sha: string): CommitRecord | undefined;
  /** What the host said of two commits, both shas. */
  comparison(from: string, to: string): ComparisonRecord | undefined;
  /** The push of `branch` whose head is `after`. */
  push(branch: string, after: string): PushRecord | undefined;
  /** Merged pull requests whose merge commit is `sha`, by number. */
  pullsMergedAs(sha: string): PullRecord[];
  /** Number of the first merged pull request of an author, by (mergedAt, number), the case of the login aside. */
  firstPullBy(login: string): number | undefined;
  /** Merged pull requests with `from` ≤ mergedAt < `to` (milliseconds), by (mergedAt, number). */
  pullsMergedBetween(from: number, to: number): Iterable<PullRecord>;
  /** All captured pull requests with `from` ≤ number ≤ `to`, by number. */
  pullsNumbered(from: number, to: number): Iterable<PullRecord>;
  /** How many comments an issue or pull request has. */
  commentCount(number: number): number;
  /** Closed issues with `from` ≤ closedAt < `to` (milliseconds), by (closedAt, number). */
  issuesClosedBetween(from: number, to: number): Iterable<IssueRecord>;
}
