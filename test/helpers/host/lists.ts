/**
 * Answers list requests to a test host. It selects and sorts the items for a path and its query, as GitHub or Gitea
 * does.
 */

import * as gitea from './gitea.ts';
import type { History, HistoryCommit } from './history.ts';
import { iso, reachable } from './history.ts';
import type { Place, Shape } from './shapes.ts';
import * as github from './shapes.ts';

export type HostKind = 'github' | 'gitea';

/** The repository of a test host, and the kind of API that the host simulates. */
export interface Holding {
  kind: HostKind;
  history: History;
  place: Place;
}

/**
 * Returns the items of a list; undefined when the path is not a list. `rest` is the path below the repository, for
 * example `pulls`.
 */
export function listItems(holding: Holding, rest: string, query: URLSearchParams): Shape[] | undefined {
  const reviews = /^pulls\/(\d+)\/reviews$/.exec(rest);
  if (reviews) return reviewsOf(holding, Number(reviews[1]));
  const list = Object.hasOwn(lists, rest) ? lists[rest] : undefined;
  return list?.(holding, query);
}

/**
 * Returns a single object: a ref, a tag object, a commit or one of Gitea's tags. `rest` is the path below the
 * repository.
 */
export function oneObject(holding: Holding, rest: string): Shape | undefined {
  const { history, place, kind } = holding;
  const [, area = '', name = ''] = /^(git\/ref\/tags|git\/tags|git\/commits|tags)\/(.+)$/.exec(rest) ?? [];
  const tag = history.tags.find((candidate) => candidate.name === decodeURIComponent(name));
  if (area === 'git/commits') return commitObject(history.commits.get(name), holding);
  if (area === 'git/ref/tags' && kind === 'github' && tag) {
    const object = { type: tag.object ? 'tag' : 'commit', sha: tag.object?.sha ?? tag.sha };
    return { ref: `refs/tags/${tag.name}`, object };
  }
  if (area === 'tags' && kind === 'gitea' && tag) return gitea.tagShape(tag, history, place);
  if (area !== 'git/tags') return undefined;
  const annotated = history.tags.find((candidate) => candidate.object?.sha === name);
  if (!annotated?.object) return undefined;
  const tagger = { name: 'A Person', email: 'tagger@example.com', date: iso(annotated.object.at) };
  return { tag: annotated.name, sha: name, message: '', tagger, object: { type: 'commit', sha: annotated.sha } };
}

/**
 * Returns the commits of a comparison, oldest first. Returns undefined when one of the two compared commits is not in
 * the history.
 */
export function compared({ history, place }: Holding, rest: string): Shape[] | undefined {
  const [, from = '', to = ''] = /^compare\/([0-9a-f]+)\.\.\.([0-9a-f]+)$/.exec(rest) ?? [];
  if (!history.commits.has(from) || !history.commits.has(to)) return undefined;
  const before = new Set(reachable(history, from).map(({ sha }) => sha));
  const gained = reachable(history, to).filter(({ sha }) => !before.has(sha));
  return gained.reverse().map((commit) => github.commitShape(commit, history, place));
}

type List = (holding: Holding, query: URLSearchParams) => Shape[] | undefined;

const lists: Record<string, List> = {
  pulls: ({ kind, history, place }, query) => {
    const shape = kind === 'gitea' ? gitea.pullShape : github.pullShape;
    const sorted = ['updated', 'recentupdate'].includes(query.get('sort') ?? '');
    const wanted = history.pulls.filter((pull) => isWanted(query, 'open', pull.closedAt));
    return byTime(wanted, sorted ? 'updatedAt' : 'createdAt', 'desc').map((pull) => shape(pull, history, place));
  },
  issues: ({ kind, history, place }, query) => {
    const issues = history.issues.map((issue) => ({ issue, updatedAt: issue.updatedAt, closedAt: issue.closedAt }));
    const pulls = history.pulls.map((pull) => ({ pull, updatedAt: pull.updatedAt, closedAt: pull.closedAt }));
    const all = [...issues, ...(query.get('type') === 'issues' ? [] : pulls)];
    const wanted = all.filter((item) => isWanted(query, 'open', item.closedAt) && isSince(query, item.updatedAt));
    return byTime(wanted, 'updatedAt', direction(query)).map((item) => {
      if ('pull' in item) return github.pullAsIssueShape(item.pull, history, place);
      const shape = github.issueShape(item.issue, history, place);
      // Gitea sends the field `pull_request` for plain issues too, with the value null.
      return kind === 'gitea' ? { ...gitea.withoutTypes(shape), pull_request: null } : shape;
    });
  },
  'issues/comments': ({ kind, history, place }, query) => {
    const shape = kind === 'gitea' ? gitea.issueCommentShape : github.issueCommentShape;
    const wanted = history.issueComments.filter(({ updatedAt }) => isSince(query, updatedAt));
    return byTime(wanted, 'updatedAt', direction(query)).map((remark) => shape(remark, history, place));
  },
  'pulls/comments': ({ kind, history, place }, query) => {
    if (kind === 'gitea') return undefined;
    const wanted = history.reviewComments.filter(({ updatedAt }) => isSince(query, updatedAt));
    return byTime(wanted, 'updatedAt', direction(query)).map((one) => github.reviewCommentShape(one, history, place));
  },
  commits: ({ history, place }, query) => {
    const branch = query.get('sha') ?? history.defaultBranch;
    const head = history.branches.get(branch) ?? (history.commits.has(branch) ? branch : undefined);
    if (head === undefined) return undefined;
    const wanted = reachable(history, head).filter(({ at }) => isSince(query, at));
    return wanted.map((commit) => github.commitShape(commit, history, place));
  },
  tags: ({ kind, history, place }) => {
    const tags = [...history.tags].sort((a, b) => b.name.localeCompare(a.name));
    const shape = kind === 'gitea' ? gitea.tagShape : github.tagShape;
    return tags.map((tag) => shape(tag, history, place));
  },
  branches: ({ kind, history }) =>
    [...history.branches].map(([name, sha]) => ({
      name,
      protected: false,
      commit: kind === 'gitea' ? { id: sha } : { sha },
    })),
  releases: ({ history, place }) => history.releases.map((name) => github.releaseShape(name, history, place)),
};

function reviewsOf({ kind, history, place }: Holding, number: number): Shape[] | undefined {
  if (!history.pulls.some((pull) => pull.number === number)) return undefined;
  const shape = kind === 'gitea' ? gitea.reviewShape : github.reviewShape;
  return history.reviews.filter((review) => review.number === number).map((review) => shape(review, history, place));
}

/**
 * Returns a commit of the Git API. GitHub sends only a few fields; Gitea sends the same object as in a list of commits.
 */
function commitObject(commit: HistoryCommit | undefined, { kind, history, place }: Holding): Shape | undefined {
  if (commit === undefined) return undefined;
  const shape = github.commitShape(commit, history, place);
  return kind === 'gitea' ? shape : { ...(shape.commit as Shape), sha: commit.sha };
}

/**
 * Whether an item has the state that the query requests. When the query contains no `state`, the requested state is
 * `usual`.
 */
function isWanted(query: URLSearchParams, usual: string, closedAt: number | null): boolean {
  const state = query.get('state') ?? usual;
  return state === 'all' || (closedAt === null) === (state === 'open');
}

function isSince(query: URLSearchParams, at: number): boolean {
  const since = query.get('since');
  return since === null || at >= Date.parse(since);
}

function direction(query: URLSearchParams): 'asc' | 'desc' {
  return query.get('direction') === 'asc' ? 'asc' : 'desc';
}

function byTime<Key extends string, Item extends Record<Key, number>>(
  items: readonly Item[],
  key: Key,
  order: 'asc' | 'desc',
): Item[] {
  const sign = order === 'asc' ? 1 : -1;
  return [...items].sort((a, b) => sign * (a[key] - b[key]));
}
