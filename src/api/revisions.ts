/**
 * Handles the revisions of a draft: list, get, restore. The spec does not define these operations. The store keeps the
 * newest texts of a draft and its first generated text.
 */
import { conflictsOf } from '../foundation/conflicts.ts';
import { notFound, ServiceError } from '../foundation/errors.ts';
import type { DraftChange } from '../protocol/commands.ts';
import { draftContracts, type RestoreDraftBody, RestoreDraftBodySchema } from '../protocol/resources/drafts.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import type { DraftFlags, DraftRecord, DraftRevision } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { listDraftRevisions, readDraftRevision, readFlags, readTexts } from '../store/tables/revisions.ts';
import { readIfMatch } from './conditional.ts';
import { runChange, toChange } from './drafts.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { type Asking, visible } from './stored-object.ts';
import { check } from './validate.ts';

const listRevisions: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/drafts/:draftId/revisions',
  operation: 'listDraftRevisions',
  contract: draftContracts.listDraftRevisions,
  scope: 'drafts:read',
  query: PagingSchema,
  handle: (request) => {
    const { partition, record } = visibleDraft(request, request.params[0]);
    const all = listDraftRevisions(partition, record.id);
    const { items, ...rest } = page(all, request.query, toSortable, { sort: 'createdAt', order: 'desc' });
    return {
      status: 200,
      body: { revisions: items.map((each) => revisionResponse(each, flagsOf(partition, record, each))), ...rest },
    };
  },
};

const getRevision: ApiRoute = {
  method: 'GET',
  path: '/api/drafts/:draftId/revisions/:revision',
  operation: 'getDraftRevision',
  contract: draftContracts.getDraftRevision,
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: (request) => {
    const [draftId, number = ''] = request.params;
    const { partition, record } = visibleDraft(request, draftId);
    const revision = /^[1-9]\d{0,9}$/.test(number)
      ? readDraftRevision(partition, record.id, Number(number))
      : undefined;
    if (!revision) throw notFound('Revision', number);
    const { bodyMd } = readTexts(partition, record, revision);
    const edited = flagsOf(partition, record, revision);
    return { status: 200, body: { draftId: record.id, ...revisionResponse(revision, edited), bodyMd } };
  },
};

const restoreDraft: ApiRoute = {
  method: 'POST',
  path: '/api/drafts/:draftId/restore',
  operation: 'restoreDraft',
  contract: draftContracts.restoreDraft,
  scope: 'drafts:write',
  query: NoQuerySchema,
  checkBody: (body) => check(RestoreDraftBodySchema, body, 'body'),
  once: { home: ({ params }) => params[0], reply: restoredBefore },
  handle: async (request) => {
    const { partition, record } = visibleDraft(request, request.params[0]);
    const ifMatch = readIfMatch(request.headers['if-match']);
    const { revision } = check<RestoreDraftBody>(RestoreDraftBodySchema, request.body, 'body');
    // Read the revision before the change, because the change may remove it.
    const restored = readDraftRevision(partition, record.id, revision);
    if (!restored) throw notFound('Revision', String(revision));
    const { bodyMd } = readTexts(partition, record, restored);
    const edited = flagsOf(partition, record, restored);
    const command = { name: 'restoreDraft', draftId: record.id, revision, checks: true } as const;
    const { etag, ...change } = await runChange(request, partition, command, ifMatch);
    return { status: 200, body: { ...change, bodyMd, conflicts: conflictsOf(bodyMd), ...edited }, etag };
  },
};

/** Makes the reply to a repeated request. The reply contains the text that the first request restored. */
function restoredBefore(value: unknown, request: ApiRequest): ApiReply {
  const { etag, ...change } = toChange(value as DraftChange);
  const { partition, record } = visibleDraft(request, change.id);
  const revision = readDraftRevision(partition, record.id, change.revision);
  if (!revision)
    throw new ServiceError(
      'conflict',
      'An earlier request with this Idempotency-Key restored the revision. The reply cannot be repeated, because the restored text is no longer stored.',
    );
  const { bodyMd } = readTexts(partition, record, revision);
  return {
    status: 200,
    body: { ...change, bodyMd, conflicts: conflictsOf(bodyMd), ...flagsOf(partition, record, revision) },
    etag,
  };
}

function visibleDraft(asking: Asking, draftId = '') {
  return visible(asking, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
}

/** Returns the flags of a revision if a person has edited them; an empty object for generated flags. */
function flagsOf(partition: Partition, draft: DraftRecord, revision: DraftRevision): { flags?: DraftFlags } {
  return revision.flags ? { flags: readFlags(partition, draft, revision).flags } : {};
}

function revisionResponse({ number, kind, by, bytes, at }: DraftRevision, edited: { flags?: DraftFlags }) {
  return { number, kind, by, bytes, createdAt: new Date(at).toISOString(), ...edited };
}

/** Several revisions can have the same time in milliseconds. In this case, the revision number decides their order. */
function toSortable({ number, at }: DraftRevision) {
  const name = String(number).padStart(10, '0');
  return { id: name, createdAt: at, updatedAt: at, name };
}

export const revisionRoutes = [listRevisions, getRevision, restoreDraft];
