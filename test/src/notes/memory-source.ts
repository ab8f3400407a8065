/**
 * Provides a source of notes that reads plain arrays, and functions that make records. The source returns the same
 * records as a partition would, but needs no store.
 */
import type { NotesSource } from '../../../src/notes/range/source.ts';
import { defaultSettings, type NotesSettings } from '../../../src/protocol/notes.ts';
import type {
  CommentRecord,
  CommitRecord,
  ComparisonRecord,
  IssueRecord,
  PullRecord,
  PushRecord,
  RepositoryRecord,
  TagRecord,
} from '../../../src/protocol/stored.ts';

export interface Memory {
  repository?: Partial<RepositoryRecord>;
  pulls?: PullRecord[];
  issues?: IssueRecord[];
  commits?: CommitRecord[];
  pushes?: PushRecord[];
  tags?: TagRecord[];
  comparisons?: ComparisonRecord[];
  /** Count of comments, by the number of the issue or pull request. */
  comments?: Record<number, number>;
  /** Comments with commands, oldest first. */
  commandComments?: CommentRecord[];
  settings?: NotesSettings;
}

/** Returns noon (UTC) of a day of 2026 in epoch milliseconds. Day 1 is 2026-01-01. */
export function day(number: number): number {
  return Date.UTC(2026, 0, number, 12);
}

export function aRepository(fields: Partial<RepositoryRecord> = {}): RepositoryRecord {
  return {
    id: 'repo_1',
    origin: 'https://scm.example',
    hostId: '7',
    fullName: 'acme/rocket',
    formerNames: [],
    defaultBranch: 'main',
    url: 'https://scm.example/acme/rocket',
    private: false,
    owner: { id: '1', login: 'acme' },
    createdAt: 0,
    seenAt: 0,
    revision: 1,
    ...fields,
  };
}

/** Returns a pull request that was merged on day `number` by the merge commit `m<number>`. */
export function aPull(number: number, fields: Partial<PullRecord> = {}): PullRecord {
  const mergedAt = day(number);
  return {
    number,
    title: `Change ${number}`,
    body: '',
    state: 'merged',
    labels: [],
    author: { login: 'ada', bot: false },
    createdAt: mergedAt - 1000,
    updatedAt: mergedAt,
    closedAt: mergedAt,
    mergedAt,
    mergeSha: `m${number}`,
    baseRef: 'main',
    headRef: `topic-${number}`,
    url: `https://scm.example/acme/rocket/pull/${number}`,
    linkedIssues: [],
    rank: 6,
    ...fields,
  };
}

export function anIssue(number: number, fields: Partial<IssueRecord> = {}): IssueRecord {
  const closedAt = day(number);
  return {
    number,
    title: `Issue ${number}`,
    body: '',
    state: 'closed',
    stateReason: 'completed',
    labels: [],
    author: { login: 'rita', bot: false },
    createdAt: closedAt - 1000,
    updatedAt: closedAt,
    closedAt,
    url: `https://scm.example/acme/rocket/issues/${number}`,
    rank: 6,
    ...fields,
  };
}

export function aTag(name: string, sha: string | null, fields: Partial<TagRecord> = {}): TagRecord {
  return { name, sha, tagObject: null, baseRef: null, date: day(1), pushedAt: day(1), deleted: false, ...fields };
}

/**
 * Returns a push and its commits. Each commit is given as `sha` or `sha|message`, oldest first.
 * @param at day of the push
 */
export function aPush(
  branch: string,
  before: string | null,
  commits: string[],
  at: number,
  fields: Partial<PushRecord> = {},
): { push: PushRecord; commits: CommitRecord[] } {
  const read = commits.map((text) => text.split('|') as [string, string | undefined]);
  const shas = read.map(([sha]) => sha);
  const after = shas.at(-1) as string;
  return {
    push: { branch, before, after, baseRef: null, shas, forced: false, gap: false, at: day(at), ...fields },
    commits: read.map(([sha, message]) => ({
      sha,
      message: message ?? `Commit ${sha}`,
      at: day(at),
      author: 'ada',
      coAuthors: [],
      pushes: [[branch, after]],
    })),
  };
}

/**
 * Combines pushes and their commits. If several pushes list a commit, the record of the commit names all these pushes.
 */
export function history(
  ...pushed: { push: PushRecord; commits: CommitRecord[] }[]
): Required<Pick<Memory, 'commits' | 'pushes'>> {
  const commits = new Map<string, CommitRecord>();
  for (const commit of pushed.flatMap((each) => each.commits)) {
    const known = commits.get(commit.sha);
    commits.set(commit.sha, known ? { ...known, pushes: [...known.pushes, ...commit.pushes] } : commit);
  }
  return { commits: [...commits.values()], pushes: pushed.map(({ push }) => push) };
}

/**
 * Returns a source that reads the given records. The source returns records in the orders that `NotesSource` requires.
 */
export function memorySource(memory: Memory): NotesSource {
  const pulls = index(memory.pulls ?? [], (pull) => pull.number);
  const issues = index(memory.issues ?? [], (issue) => issue.number);
  const commits = index(memory.commits ?? [], (commit) => commit.sha);
  const pushes = index(memory.pushes ?? [], (push) => `${push.branch}\n${push.after}`);
  const tags = index(memory.tags ?? [], (tag) => tag.name);
  const byNumber = [...pulls.values()].sort((a, b) => a.number - b.number);
  const merged = byNumber.filter((pull) => pull.state === 'merged');
  const mergedAs = new Map<string, PullRecord[]>();
  for (const pull of merged)
    if (pull.mergeSha) mergedAs.set(pull.mergeSha, [...(mergedAs.get(pull.mergeSha) ?? []), pull]);
  const byMerge = [...merged].sort((a, b) => (a.mergedAt ?? 0) - (b.mergedAt ?? 0));
  const byClose = [...issues.values()]
    .filter((issue) => issue.state === 'closed')
    .sort((a, b) => (a.closedAt ?? 0) - (b.closedAt ?? 0) || a.number - b.number);
  return {
    repository: aRepository(memory.repository),
    settings: memory.settings ?? defaultSettings,
    tags: () => [...tags.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    tag: (name) => tags.get(name),
    pull: (number) => pulls.get(number),
    issue: (number) => issues.get(number),
    commit: (sha) => commits.get(sha),
    comparison: (from, to) => memory.comparisons?.find((each) => each.from === from && each.to === to),
    push: (branch, after) => pushes.get(`${branch}\n${after}`),
    head: (branch) => {
      const [newest] = [...pushes.values()].filter((push) => push.branch === branch).sort((a, b) => b.at - a.at);
      return newest && { sha: newest.after, at: newest.at };
    },
    creationsOf: (branch) =>
      [...pushes.values()].filter((push) => push.branch === branch && push.before === null).sort((a, b) => a.at - b.at),
    pullsMergedAs: (sha) => mergedAs.get(sha) ?? [],
    firstPullBy: (login) => byMerge.find(({ author }) => author.login.toLowerCase() === login.toLowerCase())?.number,
    pullsMergedBetween: (from, to) =>
      byMerge.filter(({ mergedAt }) => mergedAt !== null && mergedAt >= from && mergedAt < to),
    pullsNumbered: (from, to) => byNumber.filter(({ number }) => number >= from && number <= to),
    commentCount: (number) => memory.comments?.[number] ?? 0,
    commandComments: (number) => (memory.commandComments ?? []).filter((comment) => comment.number === number),
    issuesClosedBetween: (from, to) =>
      byClose.filter(({ closedAt }) => closedAt !== null && closedAt >= from && closedAt < to),
  };
}

function index<Key, Item>(items: Item[], key: (item: Item) => Key): Map<Key, Item> {
  return new Map(items.map((item) => [key(item), item]));
}
