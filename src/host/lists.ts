/**
 * Where each host keeps its lists: paths and query of the first page, in GitHub's and in Gitea's spelling. The pages after
 * it are the host's own addresses.
 */
import type { Host } from '../../config/hosts.ts';
import { invalid } from '../foundation/errors.ts';

/** What can be listed of a repository. */
export type ListKind =
  | 'pulls'
  | 'issues'
  | 'issueComments'
  | 'reviewComments'
  | 'reviews'
  | 'tags'
  | 'releases'
  | 'branches'
  | 'commits';

/** A list from its first page on. */
export interface ListRequest {
  kind: ListKind;
  /** Only what was changed since then, in milliseconds; pull requests, reviews, tags, releases and branches come whole. */
  since?: number;
  /** The branch of commits. */
  branch?: string;
  /** The pull request of reviews. */
  number?: number;
  /** From an earlier first page: when it still holds, the answer is empty and `notModified`. */
  etag?: string;
}

type Query = Record<string, string>;

/** The path of a repository below the API's base; the name is checked, as it can come from a person. */
export function repositoryPath(fullName: string): string {
  const parts = fullName.split('/');
  const isName = (part: string): boolean => /^[\w.-]{1,100}$/.test(part) && part !== '.' && part !== '..';
  if (parts.length !== 2 || !parts.every(isName)) throw invalid({ repository: 'expected OWNER/NAME' });
  return `/repos/${fullName}`;
}

/** Address of a list's first page; undefined where the host has no such list. */
export function listUrl(host: Host, fullName: string, request: ListRequest): string | undefined {
  const since: Query = request.since === undefined ? {} : { since: toTime(request.since) };
  const list = (host.kind === 'gitea' ? giteaList : githubList)(request, since);
  if (list === undefined) return undefined;
  const [path, query] = list;
  const size: Query = host.kind === 'gitea' ? { limit: '50' } : { per_page: '100' };
  return `${host.apiUrl}${repositoryPath(fullName)}/${path}?${new URLSearchParams({ ...query, ...size })}`;
}

function githubList(request: ListRequest, since: Query): [string, Query] {
  // The newest first: pages that shift then show an item twice and hide none, and the first page tells of any change.
  const downwards: Query = { ...since, sort: 'updated', direction: 'desc' };
  switch (request.kind) {
    case 'pulls':
      return ['pulls', { state: 'all', sort: 'updated', direction: 'desc' }];
    case 'issues':
      return ['issues', { state: 'all', ...downwards }];
    case 'issueComments':
      return ['issues/comments', downwards];
    case 'reviewComments':
      return ['pulls/comments', downwards];
    case 'commits':
      return ['commits', { ...branchOf(request, 'sha'), ...since }];
    default:
      return commonList(request);
  }
}

function giteaList(request: ListRequest, since: Query): [string, Query] | undefined {
  switch (request.kind) {
    case 'pulls':
      return ['pulls', { state: 'all', sort: 'recentupdate' }];
    case 'issues':
      return ['issues', { type: 'issues', state: 'all', ...since }];
    case 'issueComments':
      return ['issues/comments', since];
    case 'reviewComments':
      // Known by review only, and no event tells of them either.
      return undefined;
    case 'commits':
      return [
        'commits',
        { ...branchOf(request, 'sha'), ...since, stat: 'false', verification: 'false', files: 'false' },
      ];
    default:
      return commonList(request);
  }
}

function commonList(request: ListRequest): [string, Query] {
  return [request.kind === 'reviews' ? `pulls/${request.number ?? 0}/reviews` : request.kind, {}];
}

function branchOf({ branch }: ListRequest, name: string): Query {
  return branch === undefined ? {} : { [name]: branch };
}

/** Whole seconds: hosts differ in what they make of fractions. */
function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
