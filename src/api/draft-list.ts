/**
 * Lists the drafts of a range (spec part 4), of a repository or of all repositories. A request that names no range
 * examines the drafts of a limited number of ranges, newest first. Its reply has the cursor that continues the list.
 */
import { invalid } from '../foundation/errors.ts';
import { draftId as draftIdOf, slotOfId } from '../foundation/ids.ts';
import { personas } from '../protocol/names.ts';
import { draftContracts, type ListDraftsQuery, ListDraftsQuerySchema } from '../protocol/resources/drafts.ts';
import type { DraftRecord, Persona, RangeRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import { listDirectoryRepositories } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { newestPublicationOf } from '../store/tables/publications.ts';
import { newestRanges, type RangePlace, readRange } from '../store/tables/ranges.ts';
import { draftResponse, draftSummary } from '../store/tables/responses.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, partitionOfId, readPartition } from './context.ts';
import { newestOf, type ReadNewest } from './newest.ts';
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

/** A draft and the partition that contains it. */
interface Found {
  partition: Partition;
  draft: DraftRecord;
}

/** The drafts that a request examines with their partitions, and the first range that it does not examine. */
interface Examined {
  drafts: Found[];
  nextCursor: string | null;
}

const listDrafts: ApiRoute<ListDraftsQuery> = {
  method: 'GET',
  path: '/api/drafts',
  operation: 'listDrafts',
  contract: draftContracts.listDrafts,
  scope: 'drafts:read',
  query: ListDraftsQuerySchema,
  handle: async (request) => {
    const { releaseRangeId, outdated, status, published, view } = request.query;
    const { drafts, nextCursor } = await examined(request);
    const chosen = drafts.filter(
      ({ partition, draft }) =>
        (outdated === undefined || (draft.outdatedBecause !== undefined) === (outdated === 'true')) &&
        (status === undefined || draft.status === status) &&
        (published === undefined || isPublished(partition, draft) === (published === 'true')),
    );
    const toResponse = view === 'summary' ? draftSummary : draftResponse;
    const order = releaseRangeId === undefined ? 'desc' : 'asc';
    const { items, ...rest } = page(chosen, request.query, toSortable, { sort: 'createdAt', order });
    return { status: 200, body: { drafts: items.map(({ draft }) => toResponse(draft)), ...rest, nextCursor } };
  },
};

/**
 * Returns the drafts of the range that the query names. If the query names no range, returns drafts of the repository
 * that the query names, or of all repositories that the caller may see.
 * @throws ServiceError `invalid` for a query without range and repository that does not say which drafts are wanted
 */
async function examined(request: ApiRequest<ListDraftsQuery>): Promise<Examined> {
  const { caller, directory, query } = request;
  const { releaseRangeId, repoId, persona, cursor, outdated, status, published } = query;
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
  if (outdated === undefined && status === undefined && published === undefined)
    throw invalid(
      { releaseRangeId: 'expected releaseRangeId, repoId, outdated, status or published, got none of them' },
      'The query is invalid.',
    );
  const listed = listDirectoryRepositories(directory, caller.key.orgId).map(({ id }) => id);
  return ofRepositories(
    request,
    listed.filter((id) => caller.maySee(id)),
    wanted,
  );
}

/** Examines the newest ranges of repositories that the caller may see. */
async function ofRepositories(
  { context, query }: ApiRequest<ListDraftsQuery>,
  repoIds: readonly string[],
  wanted: readonly Persona[],
): Promise<Examined> {
  const from = query.cursor === undefined ? undefined : placeAt(context, repoIds, query.cursor);
  const lists = repoIds.map((repoId): ReadNewest<RangePlace> => {
    const name = partitionOfId(context, repoId) as string;
    return (limit, after) => {
      const partition = readPartition(context, name);
      if (!after) return newestRanges(partition, repoId, limit, from);
      const ranges = newestRanges(partition, repoId, limit + 1, after);
      return ranges.filter(({ id }) => id !== after.id).slice(0, limit);
    };
  });
  const drafts: Found[] = [];
  let [texts, ranges] = [0, 0];
  for (const { id } of await newestOf(lists, byTime)) {
    if (ranges === maxRanges || texts > maxTexts) return { drafts, nextCursor: id };
    ranges += 1;
    const partition = readPartition(context, partitionOfId(context, id) as string);
    for (const found of draftsOf(partition, id, wanted)) {
      drafts.push(found);
      texts += found.draft.bodyMd.length + found.draft.generatedMd.length;
    }
  }
  return { drafts, nextCursor: null };
}

function byTime(a: RangePlace, b: RangePlace): number {
  return a.createdAt - b.createdAt || (a.id > b.id ? 1 : -1);
}

/**
 * Returns the range at which a list continues.
 * @throws ServiceError `invalid` for a cursor that no reply about these repositories can have had
 */
function placeAt(context: ApiContext, repoIds: readonly string[], cursor: string): RangeRecord {
  const name = slotOfId(cursor, 'range') === undefined ? undefined : partitionOfId(context, cursor);
  const range = name === undefined ? undefined : readRange(readPartition(context, name), cursor);
  if (range && repoIds.includes(range.repoId)) return range;
  throw invalid(
    { cursor: `expected the nextCursor of an earlier reply, got ${shown(cursor)}` },
    'The query is invalid.',
  );
}

/** Whether the newest revision of a draft has a publication, in whatever state. */
function isPublished(partition: Partition, draft: DraftRecord): boolean {
  return newestPublicationOf(partition, draft)?.revision === draft.revision;
}

function draftsOf(partition: Partition, rangeId: string, wanted: readonly Persona[]): Found[] {
  return wanted.flatMap((persona) => {
    const draft = readDraft(partition, draftIdOf(rangeId, persona));
    return draft ? [{ partition, draft }] : [];
  });
}

function toSortable({ draft: { id, createdAt, updatedAt, persona } }: Found) {
  return { id, createdAt, updatedAt, name: persona };
}

export const draftListRoutes = [listDrafts];
