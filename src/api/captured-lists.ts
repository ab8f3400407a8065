/**
 * Lists captured pull requests and issues by number, the newest first. A list with a filter examines a limited number
 * of rows per request, and its reply has the cursor that continues the list. The spec does not define these lists.
 */
import { maxNumber } from '../protocol/limits.ts';
import {
  capturedContracts,
  type ListIssuesQuery,
  ListIssuesQuerySchema,
  type ListPullRequestsQuery,
  ListPullRequestsQuerySchema,
} from '../protocol/resources/captured.ts';
import type { IssueRecord, PullRecord } from '../protocol/stored.ts';
import type { CapturedRows } from '../store/tables/newest.ts';
import { issueFields, pullFields, viewOf } from './captured.ts';
import { placeOf } from './page.ts';
import type { ApiRequest, ApiRoute } from './route.ts';

/**
 * Maximum number of rows that a request with a filter examines. Reading a thousand pull requests with bodies of 2 KB
 * takes about 5 ms. With long bodies, a request ends with the row at which the bodies exceed `maxTexts` characters.
 */
const [maxExamined, maxTexts] = [1_000, 4_194_304];

const listPullRequests: ApiRoute<ListPullRequestsQuery> = {
  method: 'GET',
  path: '/api/repos/:repoId/pulls',
  operation: 'listPullRequests',
  contract: capturedContracts.listPullRequests,
  scope: 'repos:read',
  query: ListPullRequestsQuerySchema,
  handle: (request) => {
    const { items, ...rest } = numberedPage(request, 'pulls');
    return { status: 200, body: { pulls: items.map((pull) => pullFields(repoIdOf(request), pull)), ...rest } };
  },
};

const listIssues: ApiRoute<ListIssuesQuery> = {
  method: 'GET',
  path: '/api/repos/:repoId/issues',
  operation: 'listIssues',
  contract: capturedContracts.listIssues,
  scope: 'repos:read',
  query: ListIssuesQuerySchema,
  handle: (request) => {
    const { items, ...rest } = numberedPage(request, 'issues');
    return { status: 200, body: { issues: items.map((issue) => issueFields(repoIdOf(request), issue)), ...rest } };
  },
};

function repoIdOf({ params: [repoId = ''] }: Pick<ApiRequest, 'params'>): string {
  return repoId;
}

/** Returns one page of a list. The total of a list with a filter is the number of matches among the examined rows. */
function numberedPage<T extends keyof CapturedRows>(request: ApiRequest<ListPullRequestsQuery>, table: T) {
  const view = viewOf(request, repoIdOf(request));
  const { query } = request;
  const { limit = 20, offset = 0, cursor } = query;
  const below = cursor === undefined ? maxNumber + 1 : Number(cursor);
  const isWanted = filterOf(query);
  if (!isWanted) {
    const items = view.newest(table, { below, offset, limit });
    return { items, ...placeOf(offset, items.length, view.count(table, below)), nextCursor: null };
  }
  const examined = view.newest(table, { below, limit: maxExamined, maxTexts });
  const last = examined.at(-1)?.number;
  const isMore = last !== undefined && view.newest(table, { below: last, limit: 1 }).length > 0;
  const found = examined.filter(isWanted);
  const items = found.slice(offset, offset + limit);
  return { items, ...placeOf(offset, items.length, found.length), nextCursor: isMore ? String(last) : null };
}

/** Returns the filter of a query; undefined for a query without a filter. */
function filterOf({
  state,
  label,
  base,
}: ListPullRequestsQuery): ((record: PullRecord | IssueRecord) => boolean) | undefined {
  if (state === undefined && label === undefined && base === undefined) return undefined;
  const name = label?.toLowerCase();
  return (record) =>
    (state === undefined || record.state === state) &&
    (name === undefined || record.labels.some((each) => each.toLowerCase() === name)) &&
    (base === undefined || ('baseRef' in record && record.baseRef === base));
}

export const capturedListRoutes = [listPullRequests, listIssues];
