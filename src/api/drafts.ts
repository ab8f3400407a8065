/**
 * Handles drafts: list, get, generate, update (spec part 4).
 */
import { conflictsOf } from '../foundation/conflicts.ts';
import { invalid } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { draftId as draftIdOf, ulid } from '../foundation/ids.ts';
import type { Command, DraftChange } from '../protocol/commands.ts';
import { maxBodyMdBytes } from '../protocol/limits.ts';
import { personas } from '../protocol/names.ts';
import {
  draftContracts,
  type GenerateDraftBody,
  GenerateDraftBodySchema,
  type ListDraftsQuery,
  ListDraftsQuerySchema,
  type UpdateDraftBody,
  UpdateDraftBodySchema,
  UpdateDraftTextSchema,
} from '../protocol/resources/drafts.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import type { DraftRecord, FlagChanges } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readRange } from '../store/tables/ranges.ts';
import { draftResponse } from '../store/tables/responses.ts';
import { readDraftRevision, readFlags, readTexts } from '../store/tables/revisions.ts';
import { readIfMatch } from './conditional.ts';
import { runCommand } from './context.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { type Asking, replyReady, visible } from './stored-object.ts';
import { check } from './validate.ts';

const listDrafts: ApiRoute<ListDraftsQuery> = {
  method: 'GET',
  path: '/api/drafts',
  operation: 'listDrafts',
  contract: draftContracts.listDrafts,
  scope: 'drafts:read',
  query: ListDraftsQuerySchema,
  handle: (request) => {
    const { releaseRangeId, persona, outdated } = request.query;
    const partition = visibleRange(request, releaseRangeId);
    const wanted = persona ? [persona] : personas;
    const all = wanted.flatMap((each) => readDraft(partition, draftIdOf(releaseRangeId, each)) ?? []);
    const chosen =
      outdated === undefined
        ? all
        : all.filter(({ outdatedBecause }) => (outdatedBecause !== undefined) === (outdated === 'true'));
    const { items, ...rest } = page(chosen, request.query, toSortable, { sort: 'createdAt', order: 'asc' });
    return { status: 200, body: { drafts: items.map(draftResponse), ...rest } };
  },
};

const getDraft: ApiRoute = {
  method: 'GET',
  path: '/api/drafts/:draftId',
  operation: 'getDraft',
  contract: draftContracts.getDraft,
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: (request) => replyReady(request, 'draft', 'Draft'),
};

const generateDraft: ApiRoute = {
  method: 'POST',
  path: '/api/drafts/:rangeId/generate',
  operation: 'generateDraft',
  contract: draftContracts.generateDraft,
  scope: 'drafts:write',
  query: NoQuerySchema,
  checkBody: checkGenerate,
  once: { home: ({ params }) => params[0], reply: ticketed },
  handle: async (request) => {
    const [rangeId = ''] = request.params;
    const partition = visibleRange(request, rangeId);
    const { persona, force } = checkGenerate(request.body);
    const draftId = draftIdOf(rangeId, persona);
    const forced = force === true ? ({ force } as const) : {};
    const command = { name: 'generateDraft', draftId, rangeId, persona, ticket: ulid(), ...forced } as const;
    return ticketed(await runCommand(request.context, partition.name, command, request.once));
  },
};

const updateDraft: ApiRoute = {
  method: 'PATCH',
  path: '/api/drafts/:draftId',
  operation: 'updateDraft',
  contract: draftContracts.updateDraft,
  scope: 'drafts:write',
  query: NoQuerySchema,
  checkBody: checkUpdate,
  handle: async (request) => {
    const [draftId = ''] = request.params;
    const { partition } = visible(request, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
    const ifMatch = readIfMatch(request.headers['if-match']);
    const { bodyMd, flags } = wellFormed(checkUpdate(request.body));
    const edit = { ...(bodyMd !== undefined && { bodyMd }), ...(flags && { flags }) };
    const command = { name: 'updateDraft', draftId, ...edit } as const;
    const { id, revision, updatedAt, etag } = await runChange(request, partition, command, ifMatch);
    const now = flags && contentOf(request, id, revision);
    const text = bodyMd ?? now?.bodyMd ?? '';
    const body = { id, bodyMd: text, ...(now && { flags: now.flags }), conflicts: conflictsOf(text), updatedAt };
    return { status: 200, body, etag };
  },
};

/**
 * Returns the text and the flags of a revision. If this revision is no longer stored, returns the text and the flags of
 * the current revision.
 */
function contentOf(asking: Asking, id: string, number: number): Pick<DraftRecord, 'bodyMd' | 'flags'> {
  const { partition, record } = visible(asking, id, { prefix: 'draft', resource: 'Draft', read: readDraft });
  const revision = record.revision === number ? undefined : readDraftRevision(partition, id, number);
  if (!revision) return record;
  return { bodyMd: readTexts(partition, record, revision).bodyMd, flags: readFlags(partition, record, revision).flags };
}

/**
 * Updates or restores a draft for the caller.
 * @param ifMatch digests of the states in which the draft may be changed; undefined for any state
 * @throws ServiceError `notFound`, or `preconditionFailed` when the draft is in none of these states
 */
export async function runChange(
  { context, caller, once }: Pick<ApiRequest, 'context' | 'caller' | 'once'>,
  partition: Partition,
  command: Extract<Command, { name: 'updateDraft' | 'restoreDraft' }>,
  ifMatch: string[] | undefined,
): Promise<{ id: string; revision: number; updatedAt: string; etag: string }> {
  const whole = { ...command, by: caller.key.id, ...(ifMatch && { ifMatch }) };
  return toChange(await runCommand<DraftChange>(context, partition.name, whole, once));
}

/** Converts the stored result of a change to the fields of its reply. */
export function toChange({ digest, verdict, updatedAt, ...change }: DraftChange) {
  return { ...change, updatedAt: new Date(updatedAt).toISOString(), etag: toEtag(digest, verdict) };
}

function ticketed(value: unknown): ApiReply {
  const ticket = value as { id: string };
  return { status: 201, body: ticket, headers: ['Location', `/api/drafts/${ticket.id}`] };
}

function checkGenerate(body: unknown): GenerateDraftBody {
  return check<GenerateDraftBody>(GenerateDraftBodySchema, body, 'body');
}

function checkUpdate(body: unknown): UpdateDraftBody {
  const hasFlags = typeof body === 'object' && body !== null && 'flags' in body;
  const update = check<UpdateDraftBody>(hasFlags ? UpdateDraftBodySchema : UpdateDraftTextSchema, body, 'body');
  const bytes = Buffer.byteLength(update.bodyMd ?? '');
  if (bytes > maxBodyMdBytes) throw invalid({ bodyMd: `expected at most ${maxBodyMdBytes} bytes, got ${bytes}` });
  return update;
}

/** Replaces unpaired surrogates (halves of characters) in a draft's text. No stored text may contain them. */
function wellFormed({ bodyMd, flags }: UpdateDraftBody): {
  bodyMd: string | undefined;
  flags: FlagChanges | undefined;
} {
  const clean = (list: string[]): string[] => list.map((item) => item.toWellFormed());
  const { highlights, contributors, upgradeInstructions } = flags ?? {};
  const givenFlags = {
    ...(highlights !== undefined && { highlights: highlights && clean(highlights) }),
    ...(contributors !== undefined && { contributors: contributors && clean(contributors) }),
    ...(upgradeInstructions !== undefined && { upgradeInstructions: upgradeInstructions?.toWellFormed() ?? null }),
  };
  return { bodyMd: bodyMd?.toWellFormed(), flags: flags && givenFlags };
}

function visibleRange(asking: Asking, rangeId: string): Partition {
  return visible(asking, rangeId, { prefix: 'range', resource: 'Release range', read: readRange }).partition;
}

function toSortable(draft: DraftRecord) {
  const { id, createdAt, updatedAt, persona } = draft;
  return { id, createdAt, updatedAt, name: persona };
}

export const draftRoutes = [listDrafts, getDraft, generateDraft, updateDraft];
