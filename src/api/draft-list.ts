/**
 * Lists the drafts of a range (spec part 4), or of a repository. A request about a repository examines the drafts of a
 * limited number of ranges, the newest first, and its reply has the cursor that continues the list.
 */
import { invalid } from '../foundation/errors.ts';
import { draftId as draftIdOf } from '../foundation/ids.ts';
import { personas } from '../protocol/names.ts';
import { draftContracts, type ListDraftsQuery, ListDraftsQuerySchema } from '../protocol/resources/drafts.ts';
import type { DraftRecord, Persona, RangeRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { newestRangeIds, readRange } from '../store/tables/ranges.ts';
import { draftResponse } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition } from './context.ts';
import { page } from './page.ts';
import type { ApiRequest, ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';
import { shown } from './validate.ts';

/** Maximum number of ranges that a request examines. */
const maxRanges = 100;
/**
 * A request ends with the range at which the texts of the examined drafts exceed this number of characters. The texts
 * of usual drafts of a hundred ranges are shorter. The limit bounds the time and the reply for long drafts.
 */
const maxTexts = 8_388_608;

/** The drafts that a request examines, and the first range that it does not examine. */
interface Examined {
  drafts: DraftRecord[];
  nextCursor: string | null;
}

const listDrafts: ApiRoute<ListDraftsQuery> = {
  method: 'GET',
  path: '/api/drafts',
  operation: 'listDrafts',
  contract: draftContracts.listDrafts,
  scope: 'drafts:read',
  query: ListDraftsQuerySchema,
  handle: (request) => {
    const { releaseRangeId, outdated } = request.query;
    const { drafts, nextCursor } = examined(request);
    const chosen =
      outdated === undefined
        ? drafts
        : drafts.filter(({ outdatedBecause }) => (outdatedBecause !== undefined) === (outdated === 'true'));
    const order = releaseRangeId === undefined ? 'desc' : 'asc';
    const { items, ...rest } = page(chosen, request.query, toSortable, { sort: 'createdAt', order });
    return { status: 200, body: { drafts: items.map(draftResponse), ...rest, nextCursor } };
  },
};

/**
 * Returns the drafts of the range that the query names. If the query names no range, returns drafts of the repository
 * that the query names.
 */
function examined(request: ApiRequest<ListDraftsQuery>): Examined {
  const { releaseRangeId, repoId, persona, cursor } = request.query;
  if (releaseRangeId === undefined && repoId === undefined)
    throw invalid({ releaseRangeId: 'expected releaseRangeId or repoId, got neither' }, 'The query is invalid.');
  const wanted = persona ? [persona] : personas;
  if (releaseRangeId === undefined) return ofRepository(request, repoId as string, wanted);
  if (cursor !== undefined)
    throw invalid({ cursor: 'expected a cursor only with repoId and without releaseRangeId' }, 'The query is invalid.');
  const kind = { prefix: 'range', resource: 'Release range', read: readRange } as const;
  const { partition, record } = visible(request, releaseRangeId, kind);
  const isOther = repoId !== undefined && repoId !== record.repoId;
  return { drafts: isOther ? [] : draftsOf(partition, releaseRangeId, wanted), nextCursor: null };
}

function ofRepository(
  { caller, context, query }: ApiRequest<ListDraftsQuery>,
  repoId: string,
  wanted: readonly Persona[],
): Examined {
  assertVisible(caller, repoId, 'Repository', repoId);
  const partition = readPartition(context, partitionOfId(context, repoId) as string);
  const ids = newestRangeIds(partition, repoId, maxRanges + 1, rangeAt(partition, repoId, query.cursor));
  const drafts: DraftRecord[] = [];
  let texts = 0;
  for (const [index, id] of ids.entries()) {
    if (index === maxRanges || texts > maxTexts) return { drafts, nextCursor: id };
    for (const draft of draftsOf(partition, id, wanted)) {
      drafts.push(draft);
      texts += draft.bodyMd.length + draft.generatedMd.length;
    }
  }
  return { drafts, nextCursor: null };
}

/**
 * Returns the range at which a list continues; undefined without a cursor.
 * @throws ServiceError `invalid` for a cursor that no reply about this repository can have had
 */
function rangeAt(partition: Partition, repoId: string, cursor: string | undefined): RangeRecord | undefined {
  if (cursor === undefined) return undefined;
  const range = readRange(partition, cursor);
  if (range?.repoId === repoId) return range;
  throw invalid(
    { cursor: `expected the nextCursor of an earlier reply, got ${shown(cursor)}` },
    'The query is invalid.',
  );
}

function draftsOf(partition: Partition, rangeId: string, wanted: readonly Persona[]): DraftRecord[] {
  return wanted.flatMap((persona) => readDraft(partition, draftIdOf(rangeId, persona)) ?? []);
}

function toSortable(draft: DraftRecord) {
  const { id, createdAt, updatedAt, persona } = draft;
  return { id, createdAt, updatedAt, name: persona };
}

export const draftListRoutes = [listDrafts];
