/**
 * Defines the plan: every pull request and issue with its number, people, times and hashes, but without payloads. The
 * schedule makes the plan, and the timeline turns the plan into deliveries.
 */

import type { Change, Milestone, Report } from './change.ts';
import type { Person } from './people.ts';

export type PlannedIssue = {
  number: number;
  report: Report;
  reporter: Person;
  openedAt: number;
  /**
   * Text and time of the last comment of an issue that a person closes by hand. The field is absent if no person closes
   * the issue by hand.
   */
  answer?: { text: string; at: number };
};

export type PlannedPullRequest = {
  number: number;
  change: Change;
  milestone: Milestone;
  author: Person;
  coAuthors: Person[];
  mergedBy: Person;
  base: string;
  branch: string;
  fromFork: boolean;
  openedAt: number;
  /** Time at which the pull request was merged or closed. Null while it is open. */
  endedAt: number | null;
  headSha: string;
  testMergeSha: string;
  mergeSha: string;
  /** Commits of the branch if the pull request is merged with a merge commit. The list is empty for a squash merge. */
  branchCommits: { sha: string; subject: string }[];
  issues: PlannedIssue[];
  /** The pull request that this one reverts or backports. */
  original?: PlannedPullRequest;
};

export type Schedule = { pullRequests: PlannedPullRequest[]; issues: PlannedIssue[] };
