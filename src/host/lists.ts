/**
 * Builds the address of a list's first page on GitHub and on Gitea: its path and query. The host itself sends the
 * addresses of further pages.
 */
import type { Host } from '../../config/hosts.ts';
import { invalid } from '../foundation/errors.ts';

/** The lists of a repository. */
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

/** A request for the first page of a list. */
export interface ListRequest {
  kind: ListKind;
  /**
   * Selects the items that changed since this time, in milliseconds. The field has no effect on pulls, reviews, tags,
   * releases and branches.
   */
  since?: number;
  /** For `commits`: the branch whose commits are listed. */
  branch?: string;
  /** For `reviews`: the number of the pull request whose reviews are listed. */
  number?: number;
  /**
   * The etag of an earlier first page. If the list has not changed since then, the reply is an empty page with
   * `notModified`.
   */
  etag?: string;
}

type Query = Record<string, string>;

/** Returns the path of a repository below the API's base. The name is checked, since a person may have entered it. */
export function repositoryPath(fullName: string): string {
  const parts = fullName.split('/');
  const isName = (part: string): boolean => /^[\w.-]{1,100}$/.test(part) && part !== '.' && part !== '..';
  if (parts.length !== 2 || !parts.every(isName)) throw invalid({ repository: 'expected OWNER/NAME' });
  return `/repos/${fullName}`;
}

/** Returns the address of a list's first page; undefined when the host has no such list. */
export function listUrl(host: Host, fullName: string, request: ListRequest): string | undefined {
  const since: Query = request.since === undefined ? {} : { since: toTime(request.since) };
  const list = (host.kind === 'gitea' ? giteaList : githubList)(request, since);
  if (list === undefined) return undefined;
  const [path, query] = list;
  const size: Query = host.kind === 'gitea' ? { limit: '50' } : { per_page: '100' };
  return `${host.apiUrl}${repositoryPath(fullName)}/${path}?${new URLSearchParams({ ...query, ...size })}`;
}

function githubList(request: ListRequest, since: Query): [string, Query] {
  // The newest items come first. If an item changes while the list is read, it moves to the first page, and other items
  // move to later pages. An unchanged item can then appear twice, but it is not missed. The first page shows whether
  // anything has changed.
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
      // Gitea lists review comments per review only, and sends no events about them.
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

/** Formats a time in whole seconds, since hosts handle fractions differently. */
function toTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
