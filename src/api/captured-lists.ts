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
import type { Stretch } from '../store/tables/newest.ts';
import { issueFields, pullFields, viewOf } from './captured.ts';
import { placeOf } from './page.ts';
import type { ApiRoute } from './route.ts';

/**
 * Maximum number of rows that a request with a filter examines. Reading a thousand pull requests with bodies of 2 KB
 * takes about 5 ms. With long bodies, a request ends with the row at which the bodies exceed `maxTexts` characters.
 */
const [maxExamined, maxTexts] = [1_000, 4_194_304];

type Captured = PullRecord | IssueRecord;

const listPullRequests: ApiRoute<ListPullRequestsQuery> = {
  method: 'GET',
  path: '/api/repos/:repoId/pulls',
  operation: 'listPullRequests',
  contract: capturedContracts.listPullRequests,
  scope: 'repos:read',
  query: ListPullRequestsQuerySchema,
  handle: (request) => {
    const { query } = request;
    const [repoId = ''] = request.params;
    const view = viewOf(request, repoId);
    const { items, ...rest } = numberedPage(query, {
      count: (below) => view.count('pulls', below),
      read: (stretch) => view.newestPulls(stretch),
      examine: (below) => view.boundedRows('pulls', { below, limit: maxExamined, maxTexts }),
      isWanted: filterOf(query),
    });
    return { status: 200, body: { pulls: items.map((pull) => pullFields(repoId, pull)), ...rest } };
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
    const { query } = request;
    const [repoId = ''] = request.params;
    const view = viewOf(request, repoId);
    const { items, ...rest } = numberedPage(query, {
      count: (below) => view.count('issues', below),
      read: (stretch) => view.newestIssues(stretch),
      examine: (below) => view.boundedRows('issues', { below, limit: maxExamined, maxTexts }),
      isWanted: filterOf(query),
    });
    return { status: 200, body: { issues: items.map((issue) => issueFields(repoId, issue)), ...rest } };
  },
};

/**
 * Reads the rows of a list, and selects those that the query asks for. `examine` reads a limited number of rows.
 * `isWanted` is undefined without a filter.
 */
interface Rows<T> {
  count: (below: number) => number;
  read: (stretch: Stretch) => T[];
  examine: (below: number) => T[];
  isWanted: ((record: Captured) => boolean) | undefined;
}

/** Returns one page of a list. The total of a list with a filter is the number of matches among the examined rows. */
function numberedPage<T extends Captured>(
  { limit = 20, offset = 0, cursor }: Pick<ListIssuesQuery, 'limit' | 'offset' | 'cursor'>,
  { count, read, examine, isWanted }: Rows<T>,
) {
  const below = cursor === undefined ? maxNumber + 1 : Number(cursor);
  if (!isWanted) {
    const items = read({ below, offset, limit });
    return { items, ...placeOf(offset, items.length, count(below)), nextCursor: null };
  }
  const examined = examine(below);
  const last = examined.at(-1)?.number;
  const isMore = last !== undefined && read({ below: last, limit: 1 }).length > 0;
  const found = examined.filter(isWanted);
  const items = found.slice(offset, offset + limit);
  return { items, ...placeOf(offset, items.length, found.length), nextCursor: isMore ? String(last) : null };
}

/** Returns the filter of a query; undefined for a query without a filter. */
function filterOf({ state, label, base }: ListPullRequestsQuery): Rows<Captured>['isWanted'] {
  if (state === undefined && label === undefined && base === undefined) return undefined;
  const name = label?.toLowerCase();
  return (record) =>
    (state === undefined || record.state === state) &&
    (name === undefined || record.labels.some((each) => each.toLowerCase() === name)) &&
    (base === undefined || ('baseRef' in record && record.baseRef === base));
}

export const capturedListRoutes = [listPullRequests, listIssues];
