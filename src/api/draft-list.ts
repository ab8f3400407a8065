/**
 * Lists the drafts of a range (spec part 4) or of a repository, or all outdated drafts. A request that names no range
 * examines the drafts of a limited number of ranges, and its reply has the cursor that continues the list.
 */
import { invalid } from '../foundation/errors.ts';
import { draftId as draftIdOf, slotOfId } from '../foundation/ids.ts';
import { personas } from '../protocol/names.ts';
import { draftContracts, type ListDraftsQuery, ListDraftsQuerySchema } from '../protocol/resources/drafts.ts';
import type { DraftRecord, Persona, RangeRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { listDirectoryRepositories } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { newestRangeIds, readRange } from '../store/tables/ranges.ts';
import { draftResponse } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, partitionOfId, readPartition } from './context.ts';
import { page } from './page.ts';
import type { ApiRequest, ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';
import { shown } from './validate.ts';

/** Maximum number of ranges that a request examines. */
const maxRanges = 100;
/** Maximum number of repositories that a request examines. Most repositories of a large organization have no range. */
const maxRepositories = 1_000;
/**
 * A request ends with the range at which the texts of the examined drafts exceed this number of characters. The texts
 * of usual drafts of a hundred ranges are shorter. The limit bounds the time and the reply for long drafts.
 */
const maxTexts = 8_388_608;

/** The drafts that a request examines, and the first range or repository that it does not examine. */
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
 * that the query names, or the outdated drafts of all repositories that the caller may see.
 */
function examined(request: ApiRequest<ListDraftsQuery>): Examined {
  const { caller, directory, query } = request;
  const { releaseRangeId, repoId, persona, outdated, cursor } = query;
  const wanted = persona ? [persona] : personas;
  if (releaseRangeId !== undefined) {
    if (cursor !== undefined)
      throw invalid({ cursor: 'expected a cursor only without releaseRangeId' }, 'The query is invalid.');
    const kind = { prefix: 'range', resource: 'Release range', read: readRange } as const;
    const { partition, record } = visible(request, releaseRangeId, kind);
    const isOther = repoId !== undefined && repoId !== record.repoId;
    return { drafts: isOther ? [] : draftsOf(partition, releaseRangeId, wanted), nextCursor: null };
  }
  if (repoId !== undefined) {
    assertVisible(caller, repoId, 'Repository', repoId);
    return ofRepositories(request, [repoId], wanted);
  }
  if (outdated !== 'true')
    throw invalid(
      { releaseRangeId: 'expected releaseRangeId, repoId or outdated=true, got none of them' },
      'The query is invalid.',
    );
  const listed = listDirectoryRepositories(directory, caller.key.orgId).map(({ id }) => id);
  return ofRepositories(request, listed, wanted);
}

/** Examines repositories in the given order, which is the order of their ids. */
function ofRepositories(
  { caller, context, query }: ApiRequest<ListDraftsQuery>,
  repoIds: readonly string[],
  wanted: readonly Persona[],
): Examined {
  const from = query.cursor === undefined ? undefined : placeAt(context, repoIds, query.cursor);
  const rest = from ? repoIds.slice(repoIds.findIndex((id) => id >= from.repoId)) : repoIds;
  const drafts: DraftRecord[] = [];
  let [texts, ranges] = [0, 0];
  for (const repoId of rest.slice(0, maxRepositories)) {
    if (!caller.maySee(repoId)) continue;
    const partition = readPartition(context, partitionOfId(context, repoId) as string);
    const first = repoId === from?.repoId ? from.range : undefined;
    for (const id of newestRangeIds(partition, repoId, maxRanges + 1 - ranges, first)) {
      if (ranges === maxRanges || texts > maxTexts) return { drafts, nextCursor: id };
      ranges += 1;
      for (const draft of draftsOf(partition, id, wanted)) {
        drafts.push(draft);
        texts += draft.bodyMd.length + draft.generatedMd.length;
      }
    }
  }
  return { drafts, nextCursor: rest[maxRepositories] ?? null };
}

/**
 * Returns the place at which a list continues: a range of one of the repositories, or the beginning of a repository.
 * @throws ServiceError `invalid` for a cursor that no reply about these repositories can have had
 */
function placeAt(
  context: ApiContext,
  repoIds: readonly string[],
  cursor: string,
): { repoId: string; range?: RangeRecord } {
  const last = repoIds.at(-1);
  if (slotOfId(cursor, 'repo') !== undefined && last !== undefined && cursor <= last) return { repoId: cursor };
  const name = slotOfId(cursor, 'range') === undefined ? undefined : partitionOfId(context, cursor);
  const range = name === undefined ? undefined : readRange(readPartition(context, name), cursor);
  if (range && repoIds.includes(range.repoId)) return { repoId: range.repoId, range };
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
