/**
 * Builds a history of any size; the same options always give the same history. Some pull requests are merged (by merge
 * commit, squash or rebase), some are closed, and some are still open. The authors of pull requests are people and a
 * bot. The base branches are the default branch and `release/1.x`. Issues, comments, reviews, and lightweight and
 * annotated tags are also included. Each pull request and each issue gets an event for its last change. The field
 * `updated_at` is therefore the time of the last delivery about the pull request or issue.
 */
import { createHash } from 'node:crypto';
import type { History, HistoryCommit, HistoryPull, HistoryRemark, Person } from './history.ts';

const start = Date.UTC(2026, 0, 5, 9);
const hour = 3_600_000;
const minute = 60_000;

export const people: readonly Person[] = [
  { login: 'ada', id: 5 },
  { login: 'grace', id: 6 },
  { login: 'linus', id: 7 },
];
const bot: Person = { login: 'dependabot[bot]', id: 49699333, bot: true };
const releaseBranch = 'release/1.x';

export interface HistoryOptions {
  /** Total number of pull requests and issues. Both share one sequence of numbers. */
  numbers?: number;
  id?: number;
  fullName?: string;
  formerNames?: string[];
}

/** Builds a history. With at least 24 numbers, the history contains every kind of object. */
export function buildHistory(options: HistoryOptions = {}): History {
  const { numbers = 36, id = 4711, fullName = 'acme/rocket', formerNames = [] } = options;
  const owner = { login: fullName.split('/')[0] as string, id: 77 };
  const history: History = {
    ...{ id, fullName, formerNames, owner, defaultBranch: 'main' },
    ...{ pulls: [], issues: [], issueComments: [], reviewComments: [], reviews: [], tags: [], releases: [] },
    ...{ branches: new Map(), commits: new Map(), pushes: [] },
  };
  push(history, 'main', [commit(history, 'Start', 'main', start)], start);
  for (let number = 1; number <= numbers; number++) {
    if (number % 4 === 0) addIssue(history, number);
    else addPull(history, number);
    if (number === Math.ceil(numbers / 3)) release(history, number);
  }
  finish(history, numbers);
  return history;
}

/**
 * Returns the creation time of the pull request or issue that has the given number. The times are one hour apart and
 * start on a Monday morning.
 */
export function timeOfNumber(number: number): number {
  return start + number * hour;
}

/** Adds an issue to the history; every second issue is closed. */
export function addIssue(history: History, number: number): void {
  const at = timeOfNumber(number);
  const closed = number % 8 === 0;
  history.issues.push({
    number,
    title: `Issue ${number}: it stalls`,
    body: number % 3 === 0 ? null : `Seen by mail-${number}@example.com in the log.\r\nSteps:\r\n1. start`,
    author: person(number),
    labels: closed ? ['type: bug'] : [],
    createdAt: at,
    updatedAt: at + 50 * minute,
    closedAt: closed ? at + 50 * minute : null,
  });
  remark(history.issueComments, number, 1, at + 5 * minute);
}

/** Adds a pull request to the history. If the pull request is merged, its commits are added too. */
export function addPull(history: History, number: number): void {
  const at = timeOfNumber(number);
  const turn = number % 12;
  const base = turn === 9 && history.branches.has(releaseBranch) ? releaseBranch : 'main';
  const author = turn === 3 ? bot : person(number);
  const merged = turn !== 7 && turn !== 11;
  const endedAt = at + 50 * minute;
  const pull: HistoryPull = {
    ...{ number, author, base, head: `change-${number}`, createdAt: at, updatedAt: endedAt },
    title: turn === 3 ? `Bump lib-${number} from 1.0.0 to 1.0.1` : `Change ${number}: faster 🚀 start`,
    body: turn === 2 ? null : `What it does.\n\n<!-- Fixes #1 -->\nFixes #${Math.max(4, number - (number % 4))}`,
    labels: [['type: feature'], ['type: bug'], []][number % 3] as string[],
    closedAt: turn === 11 ? null : endedAt,
    mergedAt: merged ? endedAt : null,
    mergeSha: merged ? merge(history, number, base, author, endedAt) : null,
  };
  history.pulls.push(pull);
  if (number % 3 === 0) remark(history.issueComments, number, 1, at + 10 * minute);
  if (number % 5 === 0) remark(history.reviewComments, number, 2, at + 15 * minute);
  if (number % 2 === 1)
    remark(history.reviews, number, 3, at + 20 * minute, turn === 1 ? 'CHANGES_REQUESTED' : 'APPROVED');
}

/**
 * Adds the commits of a merged pull request to its base branch. Returns the sha that the host reports as the merge
 * commit.
 */
function merge(history: History, number: number, base: string, author: Person, at: number): string {
  const side = (name: string, parent: string, minutes: number): HistoryCommit =>
    commit(history, `${name} of ${number}`, parent, at - minutes * minute, author);
  const tip = history.branches.get(base) as string;
  const commits: HistoryCommit[] = [];
  if (number % 12 === 1 || number % 12 === 5) {
    commits.push(side('First part', tip, 30));
    commits.push(side('Second part', last(commits).sha, 25));
    const message = `Merge pull request #${number} from acme/change-${number}\n\nChange ${number}`;
    commits.push(commit(history, message, tip, at - 1000, person(number), [last(commits).sha]));
  } else if (number % 12 === 2) {
    commits.push(side('Rebased part', tip, 0.05));
    commits.push(side('Rebased rest', last(commits).sha, 0.025));
  } else {
    commits.push(commit(history, `Change ${number} (#${number})`, tip, at - 1000, author));
  }
  push(history, base, commits, at);
  return last(commits).sha;
}

/** Adds the first release: a tag on the default branch, and a maintenance branch that starts at the tag. */
function release(history: History, number: number): void {
  const head = history.branches.get('main') as string;
  const at = timeOfNumber(number) + 55 * minute;
  history.tags.push({ name: 'v1.0.0', sha: head, pushedAt: at });
  history.releases.push('v1.0.0');
  history.branches.set(releaseBranch, head);
  history.pushes.push({ branch: releaseBranch, before: null, after: head, shas: [], at: at + minute });
}

/** Adds the later tags: two annotated tags, and a lightweight tag with a slash in its name. */
function finish(history: History, numbers: number): void {
  const at = timeOfNumber(numbers) + 55 * minute;
  const tag = (name: string, branch: string, annotated: boolean, pushedAt: number): void => {
    const sha = history.branches.get(branch) as string;
    const object = { sha: shaOf(`tag ${name}`), at: pushedAt - 2000 };
    history.tags.push({ name, sha, pushedAt, ...(annotated && { object }) });
  };
  tag('v1.0.1', history.branches.has(releaseBranch) ? releaseBranch : 'main', true, at);
  tag('nightly/2026-02-01', 'main', false, at + minute);
  tag('v2.0.0', 'main', true, at + 2 * minute);
  history.releases.push('v2.0.0');
}

function commit(
  history: History,
  message: string,
  parent: string,
  at: number,
  author: Person = people[0] as Person,
  others: string[] = [],
): HistoryCommit {
  const parents = history.commits.has(parent) ? [parent, ...others] : others;
  const made = { sha: shaOf(`${history.id} ${message} ${at}`), parents, message, author, at };
  history.commits.set(made.sha, made);
  return made;
}

function push(history: History, branch: string, commits: HistoryCommit[], at: number): void {
  const before = history.branches.get(branch) ?? null;
  const after = last(commits).sha;
  history.branches.set(branch, after);
  history.pushes.push({ branch, before, after, shas: commits.map(({ sha }) => sha), at });
}

function remark(list: HistoryRemark[], number: number, kind: number, at: number, state?: HistoryRemark['state']): void {
  const author = person(number + kind);
  const body = `Well done @ada, mail me at reviewer-${number}@example.com or call +49 30 901820.`;
  const id = 3_000_000_000 + kind * 100_000_000 + number;
  list.push({ id, number, author, body, createdAt: at, updatedAt: at, ...(state && { state }) });
}

function person(number: number): Person {
  return people[number % people.length] as Person;
}

function shaOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function last<Item>(items: readonly Item[]): Item {
  return items[items.length - 1] as Item;
}
