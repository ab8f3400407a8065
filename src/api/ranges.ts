/**
 * Handles release ranges: list, get, create (spec part 4).
 */
import { type ErrorDetails, invalid, type ServiceError } from '../foundation/errors.ts';
import { newId, slotInside } from '../foundation/ids.ts';
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
import { listRanges as storedRanges } from '../store/tables/ranges.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { rangeResponse } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { incarnationFor, partitionOfId, readPartition, runCommand } from './context.ts';
import { spanOfDays } from './local-days.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRoute } from './route.ts';
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
  handle: async ({ body, caller, context, once, quotas }) => {
    const { repoId, ...shownBounds } = checkBody(body);
    assertVisible(caller, repoId, 'Repository', repoId);
    checkBounds(shownBounds);
    const bounds = withSpan(shownBounds);
    const incarnation = incarnationFor(context, repoId);
    const name = partitionOfId(context, repoId) as string;
    const question: PreviewTask = { task: 'preview', repoId, bounds };
    const range = await quotas.withinRanges(context, repoId, async (used) => {
      const counts = await ask<PreviewTask, Preview>(context.journal, name, question);
      const rangeId = newId('range', slotInside(repoId));
      return runCommand(
        context,
        name,
        { name: 'createRange', rangeId, repoId, bounds, ...counts, ...used, ...incarnation },
        once,
      );
    });
    return created(range);
  },
};

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
  const name = bounds.toTag ?? bounds.toDate ?? String(bounds.toPrNumber ?? '').padStart(10, '0');
  return { id, createdAt, updatedAt, name };
}

export const rangeRoutes = [listRanges, getRange, createRange];
