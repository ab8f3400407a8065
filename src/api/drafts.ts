/**
 * Drafts: list, get, generate, update (spec part 4).
 */
import { invalid, notFound } from '../errors.ts';
import { draftId as draftIdOf, slotOfId, ulid } from '../ids.ts';
import {
  type GenerateDraftBody,
  GenerateDraftBodySchema,
  type ListDraftsQuery,
  ListDraftsQuerySchema,
  maxBodyMdBytes,
  NoQuerySchema,
  type UpdateDraftBody,
  UpdateDraftBodySchema,
} from '../protocol/api.ts';
import type { DraftRecord, Persona, RangeRecord } from '../protocol/stored.ts';
import { readDraft } from '../store/drafts.ts';
import type { Partition } from '../store/partition.ts';
import { readRange } from '../store/ranges.ts';
import { draftResponse, readResponse } from '../store/responses.ts';
import { assertVisible } from './authenticate.ts';
import { carryOut, partitionOfId, readPartition } from './context.ts';
import type { ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';

const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];

const listDrafts: ApiRoute<ListDraftsQuery> = {
  method: 'GET',
  path: '/api/drafts',
  operation: 'listDrafts',
  scope: 'drafts:read',
  query: ListDraftsQuerySchema,
  handle: (request) => {
    const { releaseRangeId, persona } = request.query;
    const { partition } = visibleRange(request, releaseRangeId);
    const wanted = persona ? [persona] : personas;
    const all = wanted.flatMap((each) => readDraft(partition, draftIdOf(releaseRangeId, each)) ?? []);
    const { items, ...rest } = page(all, request.query, toSortable, { sort: 'createdAt', order: 'asc' });
    return { status: 200, body: { drafts: items.map(draftResponse), ...rest } };
  },
};

const getDraft: ApiRoute = {
  method: 'GET',
  path: '/api/drafts/:draftId',
  operation: 'getDraft',
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [draftId = ''] }) => {
    const name = slotOfId(draftId, 'draft') === undefined ? undefined : partitionOfId(context, draftId);
    const ready = name && readResponse(readPartition(context, name), draftId);
    if (!ready) throw notFound('Draft', draftId);
    assertVisible(caller, ready.repoId, 'Draft', draftId);
    return { status: 200, body: ready.json };
  },
};

const generateDraft: ApiRoute = {
  method: 'POST',
  path: '/api/drafts/:rangeId/generate',
  operation: 'generateDraft',
  scope: 'drafts:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const [rangeId = ''] = request.params;
    const { partition } = visibleRange(request, rangeId);
    const { persona } = check<GenerateDraftBody>(GenerateDraftBodySchema, request.body, 'body');
    const draftId = draftIdOf(rangeId, persona);
    const value = await carryOut(request.context, partition.name, {
      name: 'generateDraft',
      draftId,
      rangeId,
      persona,
      ticket: ulid(),
    });
    return { status: 201, body: value as object, headers: ['Location', `/api/drafts/${draftId}`] };
  },
};

const updateDraft: ApiRoute = {
  method: 'PATCH',
  path: '/api/drafts/:draftId',
  operation: 'updateDraft',
  scope: 'drafts:write',
  query: NoQuerySchema,
  handle: async ({ body, caller, context, params: [draftId = ''] }) => {
    const name = slotOfId(draftId, 'draft') === undefined ? undefined : partitionOfId(context, draftId);
    const draft = name && readDraft(readPartition(context, name), draftId);
    if (!draft) throw notFound('Draft', draftId);
    assertVisible(caller, draft.repoId, 'Draft', draftId);
    const { bodyMd } = check<UpdateDraftBody>(UpdateDraftBodySchema, body, 'body');
    const bytes = Buffer.byteLength(bodyMd);
    if (bytes > maxBodyMdBytes) throw invalid({ bodyMd: `expected at most ${maxBodyMdBytes} bytes, got ${bytes}` });
    const value = await carryOut(context, name as string, {
      name: 'updateDraft',
      draftId,
      bodyMd: bodyMd.toWellFormed(),
    });
    return { status: 200, body: value as object };
  },
};

function visibleRange(
  { caller, context }: Pick<ApiRequest, 'caller' | 'context'>,
  rangeId: string,
): { partition: Partition; range: RangeRecord } {
  const name = slotOfId(rangeId, 'range') === undefined ? undefined : partitionOfId(context, rangeId);
  const partition = name && readPartition(context, name);
  const range = partition && readRange(partition, rangeId);
  if (!partition || !range) throw notFound('Release range', rangeId);
  assertVisible(caller, range.repoId, 'Release range', rangeId);
  return { partition, range };
}

function toSortable(draft: DraftRecord) {
  const { id, createdAt, updatedAt, persona } = draft;
  return { id, createdAt, updatedAt, name: persona };
}

export const draftRoutes = [listDrafts, getDraft, generateDraft, updateDraft];
