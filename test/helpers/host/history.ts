/**
 * The history of a repository as plain facts, from which a test host makes its answers and its deliveries. Times are in
 * milliseconds, whole seconds.
 */

export interface Person {
  login: string;
  id: number;
  bot?: boolean;
}

export interface HistoryCommit {
  sha: string;
  /** First the commit that the branch stood at. */
  parents: string[];
  message: string;
  author: Person;
  at: number;
}

export interface HistoryPull {
  number: number;
  title: string;
  body: string | null;
  author: Person;
  labels: string[];
  base: string;
  head: string;
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  mergedAt: number | null;
  mergeSha: string | null;
}

export interface HistoryIssue {
  number: number;
  title: string;
  body: string | null;
  author: Person;
  labels: string[];
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
}

/** A comment in a discussion or on a line, or a review. */
export interface HistoryRemark {
  id: number;
  number: number;
  author: Person;
  body: string;
  createdAt: number;
  updatedAt: number;
  /** Of a review. */
  state?: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
}

export interface HistoryTag {
  name: string;
  sha: string;
  /** The tag object of an annotated tag, with the time it was made. */
  object?: { sha: string; at: number };
  pushedAt: number;
}

/** A push to a branch: `shas` are what was new to the repository, oldest first. */
export interface HistoryPush {
  branch: string;
  before: string | null;
  after: string;
  shas: string[];
  at: number;
}

export interface History {
  id: number;
  fullName: string;
  /** Names that lead to the present one by 301. */
  formerNames: string[];
  defaultBranch: string;
  owner: Person;
  pulls: HistoryPull[];
  issues: HistoryIssue[];
  issueComments: HistoryRemark[];
  reviewComments: HistoryRemark[];
  reviews: HistoryRemark[];
  tags: HistoryTag[];
  /** Names of the tags that have a release. */
  releases: string[];
  /** Heads by branch. */
  branches: Map<string, string>;
  commits: Map<string, HistoryCommit>;
  pushes: HistoryPush[];
}

/** The commits reachable from one, newest first, a child always before its parents. */
export function reachable(history: History, head: string): HistoryCommit[] {
  const found = new Map<string, HistoryCommit>();
  const open = [head];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    const commit = history.commits.get(sha);
    if (commit === undefined || found.has(sha)) continue;
    found.set(sha, commit);
    open.push(...commit.parents);
  }
  return [...found.values()].sort((a, b) => b.at - a.at || b.sha.localeCompare(a.sha));
}

/** ISO 8601 as hosts write it. */
export function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
