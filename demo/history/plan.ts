/**
 * The shape of the plan: every pull request and issue with number, people, moments and hashes, before any payload.
 * The schedule makes it, the timeline plays it.
 */

import type { Change, Milestone, Report } from './change.ts';
import type { Person } from './people.ts';

export type PlannedIssue = {
  number: number;
  report: Report;
  reporter: Person;
  openedAt: number;
  /** Set when someone closes it by hand with an answer. */
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
  /** When it was merged or closed; null while open. */
  endedAt: number | null;
  headSha: string;
  testMergeSha: string;
  mergeSha: string;
  /** Commits of the branch when it is merged as it stands; empty when squashed. */
  branchCommits: { sha: string; subject: string }[];
  issues: PlannedIssue[];
  /** The pull request it reverts or ports. */
  original?: PlannedPullRequest;
};

export type Schedule = { pullRequests: PlannedPullRequest[]; issues: PlannedIssue[] };
