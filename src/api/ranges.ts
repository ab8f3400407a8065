/**
 * Handles release ranges: list, get, create, preview (spec part 4).
 */
import { type ErrorDetails, invalid, type ServiceError } from '../foundation/errors.ts';
import { newId, slotInside } from '../foundation/ids.ts';
import { versionName } from '../foundation/page-url.ts';
import { ask } from '../journal/query.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type CreateRangeBody,
  CreateRangeBodySchemas,
  type ListRangesQuery,
  ListRangesQuerySchema,
  rangeContracts,
} from '../protocol/resources/ranges.ts';
import type { RangeBounds, RangeRecord, ShownBounds } from '../protocol/stored.ts';
import type { Preview, PreviewTask } from '../protocol/tasks.ts';
import { readRange, listRanges as storedRanges } from '../store/tables/ranges.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { rangeResponse } from '../store/tables/responses.ts';
import { readUnreleased } from '../store/tables/unreleased-ranges.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, incarnationFor, partitionOfId, readPartition, runCommand } from './context.ts';
import { spanOfDays } from './local-days.ts';
import { page } from './page.ts';
import { previewOf, rangePreviewResponse } from './range-previews.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { replyReady } from './stored-object.ts';
import { check, shown } from './validate.ts';

const listRanges: ApiRoute<ListRangesQuery> = {
  method: 'GET',
  path: '/api/ranges',
  operation: 'listRanges',
  contract: rangeContracts.listRanges,
  scope: 'ranges:read',
  query: ListRangesQuerySchema,
  handle: ({ query, caller, context }) => {
    const { repoId } = query;
    assertVisible(caller, repoId, 'Repository', repoId);
    const partition = readPartition(context, partitionOfId(context, repoId) ?? '');
    const url = readRepository(partition, repoId)?.url ?? '';
    const all = storedRanges(partition, repoId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { ranges: items.map((range) => rangeResponse(range, url)), ...rest } };
  },
};

const getRange: ApiRoute = {
  method: 'GET',
  path: '/api/ranges/:rangeId',
  operation: 'getRange',
  contract: rangeContracts.getRange,
  scope: 'ranges:read',
  query: NoQuerySchema,
  handle: (request) => replyReady(request, 'range', 'Release range'),
};

const createRange: ApiRoute = {
  method: 'POST',
  path: '/api/ranges',
  operation: 'createRange',
  contract: rangeContracts.createRange,
  scope: 'ranges:write',
  query: NoQuerySchema,
  checkBody: checkWhole,
  once: { home: ({ body }) => (body as { repoId?: unknown } | null)?.repoId, reply: created },
  handle: async (request) => {
    const { repoId, ...named } = checkBody(request.body);
    assertVisible(request.caller, repoId, 'Repository', repoId);
    const bounds = toBounds(request.context, repoId, named);
    const existing = unreleasedRange(request.context, repoId, bounds);
    if (existing) return { ...created(existing), status: 200 };
    return created(await makeRange(request, repoId, bounds));
  },
};

const previewRange: ApiRoute = {
  method: 'POST',
  path: '/api/ranges/preview',
  operation: 'previewRange',
  contract: rangeContracts.previewRange,
  scope: 'ranges:read',
  query: NoQuerySchema,
  checkBody: checkWhole,
  handle: async ({ body, caller, context }) => {
    const { repoId, ...named } = checkBody(body);
    assertVisible(caller, repoId, 'Repository', repoId);
    const bounds = toBounds(context, repoId, named);
    const previewed = await previewOf(context, { repoId, bounds, limit: maxChanges, offset: 0 });
    return { status: 200, body: rangePreviewResponse(previewed) };
  },
};

/** Maximum number of changes in a preview. */
const maxChanges = 100;

/**
 * Creates a range after its content was counted.
 * @returns the body of a reply that shows the range
 */
export function makeRange(
  { context, once, quotas }: Pick<ApiRequest, 'context' | 'once' | 'quotas'>,
  repoId: string,
  bounds: RangeBounds,
): Promise<unknown> {
  const incarnation = incarnationFor(context, repoId);
  const name = partitionOfId(context, repoId) as string;
  const question: PreviewTask = { task: 'preview', repoId, bounds };
  return quotas.withinRanges(context, repoId, async (used) => {
    const counts = await ask<PreviewTask, Preview>(context.journal, name, question);
    const rangeId = newId('range', slotInside(repoId));
    return runCommand(
      context,
      name,
      { name: 'createRange', rangeId, repoId, bounds, ...counts, ...used, ...incarnation },
      once,
    );
  });
}

/** Returns the unreleased range with the given bounds, as a reply shows it; undefined if there is none. */
export function unreleasedRange(
  context: ApiContext,
  repoId: string,
  bounds: RangeBounds,
): { id: string; [field: string]: unknown } | undefined {
  if (bounds.type !== 'UNRELEASED') return undefined;
  const partition = readPartition(context, partitionOfId(context, repoId) ?? '');
  const range = readRange(partition, readUnreleased(partition, repoId, bounds) ?? '');
  const url = readRepository(partition, repoId)?.url ?? '';
  return range && { ...rangeResponse(range, url), id: range.id };
}

/**
 * Checks the bounds that a request names, and returns them as they are stored. An unreleased range that names the
 * default branch follows the default branch, also after that is renamed.
 * @throws ServiceError `invalid`
 */
export function toBounds(context: ApiContext, repoId: string, named: ShownBounds): RangeBounds {
  checkBounds(named);
  if (named.type !== 'UNRELEASED') return withSpan(named);
  const { type, branch, tagPattern, prereleases } = named;
  const repository = readRepository(readPartition(context, partitionOfId(context, repoId) ?? ''), repoId);
  return {
    type,
    ...(branch !== undefined && branch !== repository?.defaultBranch && { branch }),
    ...(tagPattern !== undefined && tagPattern !== '*' && { tagPattern }),
    ...(prereleases === true && { prereleases }),
  };
}

function created(value: unknown): ApiReply {
  const range = value as { id: string };
  return { status: 201, body: range, headers: ['Location', `/api/ranges/${range.id}`] };
}

function checkWhole(body: unknown): void {
  const { repoId: _, ...bounds } = checkBody(body);
  checkBounds(bounds);
}

function checkBody(body: unknown): CreateRangeBody {
  const type = (body as { type?: unknown } | null)?.type;
  if (isRangeType(type)) return check<CreateRangeBody>(CreateRangeBodySchemas[type], body, 'body');
  const types = Object.keys(CreateRangeBodySchemas).join(', ');
  const details: ErrorDetails = { type: `expected one of ${types}, got ${shown(type)}` };
  const { repoId } = (body ?? {}) as { repoId?: unknown };
  if (typeof repoId !== 'string' || repoId === '') details.repoId = 'expected a string that is not empty';
  throw invalid(details, 'The body is invalid.');
}

function isRangeType(type: unknown): type is keyof typeof CreateRangeBodySchemas {
  return typeof type === 'string' && Object.hasOwn(CreateRangeBodySchemas, type);
}

/**
 * Checks that the bounds of a range are in order. The error for reversed bounds names both fields. Two equal tags are
 * refused, as no changes are between them. Equal days or pull request numbers are valid: the range contains that one
 * day or pull request.
 * @throws ServiceError `invalid`
 */
function checkBounds(bounds: ShownBounds): void {
  const { fromTag, toTag, fromDate, toDate, fromPrNumber, toPrNumber } = bounds;
  if (fromTag !== undefined && fromTag === toTag) throw unfit({ fromTag, toTag }, 'two different tags');
  if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
    throw unfit({ fromDate, toDate }, 'fromDate to be on or before toDate');
  }
  if (fromPrNumber !== undefined && toPrNumber !== undefined && fromPrNumber > toPrNumber) {
    throw unfit({ fromPrNumber, toPrNumber }, 'fromPrNumber to be at most toPrNumber');
  }
}

/** Returns the bounds with the instants of their days, if they name a time zone. */
function withSpan(bounds: ShownBounds): RangeBounds {
  const { fromDate, toDate, timeZone } = bounds;
  if (fromDate === undefined || toDate === undefined || timeZone === undefined) return bounds;
  return { ...bounds, span: spanOfDays(fromDate, toDate, timeZone) };
}

function unfit(bounds: Record<string, unknown>, expected: string): ServiceError {
  const details = Object.entries(bounds).map(([field, got]) => [field, `expected ${expected}, got ${shown(got)}`]);
  return invalid(Object.fromEntries(details), 'The bounds of the range are invalid.');
}

function toSortable(range: RangeRecord) {
  const { id, createdAt, updatedAt, bounds } = range;
  const number = String(bounds.toPrNumber ?? '').padStart(10, '0');
  const name = bounds.type === 'UNRELEASED' ? versionName(bounds) : (bounds.toTag ?? bounds.toDate ?? number);
  return { id, createdAt, updatedAt, name };
}

export const rangeRoutes = [listRanges, getRange, createRange, previewRange];
