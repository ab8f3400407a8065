/**
 * Describes the history of a repository. A test host makes its answers and deliveries from this history. Times are in
 * milliseconds, rounded to whole seconds.
 */

export interface Person {
  login: string;
  id: number;
  bot?: boolean;
}

export interface HistoryCommit {
  sha: string;
  /** The first parent is the commit that the branch pointed to before this commit was made. */
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
  /** The newest commit of the head; undefined for a commit that no test looks at. */
  headSha?: string;
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

/** A comment in a discussion, a comment on a line, or a review. */
export interface HistoryRemark {
  id: number;
  number: number;
  author: Person;
  body: string;
  createdAt: number;
  updatedAt: number;
  /** The state of a review; undefined for comments. */
  state?: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
}

export interface HistoryTag {
  name: string;
  sha: string;
  /** The tag object of an annotated tag and its creation time; undefined for a lightweight tag. */
  object?: { sha: string; at: number };
  pushedAt: number;
}

/** A push to a branch. `shas` lists the commits that were not in the repository before, oldest first. */
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
  /** Former names of the repository. The host redirects a GET with a former name to the current name (301). */
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
  /** The newest commit of each branch. */
  branches: Map<string, string>;
  commits: Map<string, HistoryCommit>;
  pushes: HistoryPush[];
}

/** Returns the commits that are reachable from a commit, newest first. Each commit comes before its parents. */
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

/** Formats a time in ISO 8601 as hosts do. */
export function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
