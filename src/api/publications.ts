/**
 * Handles publications: list, get, resend, delete. The spec defines only the shape of a publication, not these
 * operations.
 */
import { invalid, ServiceError } from '../foundation/errors.ts';
import { slotOfId, slotTextOf, timePartOf } from '../foundation/ids.ts';
import { type PublicationRecord, publicationStates } from '../protocol/publications.ts';
import { EmptyBodySchema, NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type ListPublicationsQuery,
  ListPublicationsQuerySchema,
  publicationContracts,
} from '../protocol/resources/publications.ts';
import type { Partition } from '../store/partition.ts';
import { listDirectoryRepositories } from '../store/tables/directory.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readHostedNote } from '../store/tables/hosted-notes.ts';
import {
  newestPublicationIds,
  publicationResponse,
  publicationVerdict,
  publicationVerdicts,
  readPublication,
  readReference,
  listPublications as storedPublications,
} from '../store/tables/publications.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition, runCommand } from './context.ts';
import { newestOf, type ReadNewest } from './newest.ts';
import { page } from './page.ts';
import { checkedConnection, repeatedReply, runToEnd } from './publish.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';
import { check, shown } from './validate.ts';

/** Maximum number of publications of all repositories that a request examines. */
const maxExamined = 1_000;

const kind = { prefix: 'pub', resource: 'Publication', read: readPublication } as const;

const listPublications: ApiRoute<ListPublicationsQuery> = {
  method: 'GET',
  path: '/api/publications',
  operation: 'listPublications',
  contract: publicationContracts.listPublications,
  scope: 'drafts:read',
  query: ListPublicationsQuerySchema,
  handle: async (request) => {
    const { channel, status } = request.query;
    const { found, nextCursor } = await named(request);
    const wanted = found.filter(
      ({ record }) =>
        (channel === undefined || record.channel === channel) && (status === undefined || record.status === status),
    );
    const { items, ...rest } = page(wanted, request.query, toSortable, { sort: 'createdAt', order: 'desc' });
    const verdictsOf = remembering(publicationVerdicts);
    const publications = items.map(({ partition, record }) =>
      publicationResponse(record, verdictsOf(partition)(record)),
    );
    return { status: 200, body: { publications, ...rest, nextCursor } };
  },
};

const getPublication: ApiRoute = {
  method: 'GET',
  path: '/api/publications/:publicationId',
  operation: 'getPublication',
  contract: publicationContracts.getPublication,
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: (request) => {
    const { partition, record } = visible(request, request.params[0] ?? '', kind);
    return { status: 200, body: publicationResponse(record, publicationVerdict(partition, record)) };
  },
};

const resendPublication: ApiRoute = {
  method: 'POST',
  path: '/api/publications/:publicationId/resend',
  operation: 'resendPublication',
  contract: publicationContracts.resendPublication,
  scope: 'publish:write',
  query: NoQuerySchema,
  checkBody: (body) => check(EmptyBodySchema, body, 'body'),
  once: { home: ({ params }) => params[0], reply: repeatedReply },
  handle: async (request): Promise<ApiReply> => {
    const { partition, record } = visible(request, request.params[0] ?? '', kind);
    check(EmptyBodySchema, request.body, 'body');
    if (!readDraft(partition, record.draftId))
      throw new ServiceError(
        'conflict',
        `Publication ${record.id} cannot be sent again, because its draft was erased.`,
      );
    const through = await checkedConnection(request, partition, record, record.channel);
    const command = { name: 'resendPublication', publicationId: record.id, ...through } as const;
    return runToEnd(request, partition.name, command);
  },
};

const deletePublication: ApiRoute = {
  method: 'DELETE',
  path: '/api/publications/:publicationId',
  operation: 'deletePublication',
  contract: publicationContracts.deletePublication,
  scope: 'publish:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const { partition, record } = visible(request, request.params[0] ?? '', kind);
    const command = { name: 'deletePublication', publicationId: record.id } as const;
    const { deletedAt } = await runCommand<{ deletedAt: number }>(request.context, partition.name, command);
    const left =
      record.channel === 'hosted' ? pageAfter(readPartition(request.context, partition.name), record) : undefined;
    return { status: 200, body: deletedResponse(record, deletedAt, left) };
  },
};

/**
 * Makes the reply to a deletion. Its message states what was deleted and what remains at the receiver.
 * @param page states what happened to the page of a hosted publication
 */
export function deletedResponse(
  { id, channel }: Pick<PublicationRecord, 'id' | 'channel'>,
  deletedAt: number,
  page = 'The page of the publication was removed.',
) {
  const message =
    channel === 'hosted' ? page : `Anything already published to the channel ${channel} stays there. Delete it there.`;
  return { id, deletedAt: new Date(deletedAt).toISOString(), message };
}

/**
 * Describes what the page of a deleted publication shows now. Reads the store after the deletion, because another
 * request may have published to the same page meanwhile.
 */
function pageAfter(partition: Partition, record: PublicationRecord): string | undefined {
  const version = readReference(partition, record);
  const there = version !== undefined && readHostedNote(partition, record.repoId, version, record.personaPath);
  if (there)
    return `The page was not removed, because it now shows publication ${there.publicationId}. Delete that publication to remove the page.`;
  return record.publishedAt === null ? 'The publication had no page.' : undefined;
}

/** A publication and the partition that contains it. */
interface Found {
  partition: Partition;
  record: PublicationRecord;
}

/** The publications that a request examines, and the first one that it does not examine. */
interface Examined {
  found: Found[];
  nextCursor: string | null;
}

/**
 * Returns the publications of the draft that the query names. If the query names no draft, returns those of the
 * repository that it names. If it names neither, returns the newest ones of all repositories that the caller may see.
 */
async function named(request: ApiRequest<ListPublicationsQuery>): Promise<Examined> {
  const { draftId, repoId, cursor } = request.query;
  if (draftId === undefined && repoId === undefined) return newest(request);
  if (cursor !== undefined)
    throw invalid({ cursor: 'expected a cursor only without draftId and repoId' }, 'The query is invalid.');
  const all = (partition: Partition, records: readonly PublicationRecord[]): Examined => ({
    found: records.map((record) => ({ partition, record })),
    nextCursor: null,
  });
  if (draftId === undefined) {
    assertVisible(request.caller, repoId, 'Repository', repoId as string);
    const partition = readPartition(request.context, partitionOfId(request.context, repoId as string) as string);
    return all(partition, storedPublications(partition, repoId as string));
  }
  const { partition, record } = visible(request, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
  const isOther = repoId !== undefined && repoId !== record.repoId;
  return all(partition, isOther ? [] : storedPublications(partition, record.repoId, draftId));
}

/** Returns up to `maxExamined` publications of all repositories that the caller may see, newest first. */
async function newest({ caller, context, directory, query }: ApiRequest<ListPublicationsQuery>): Promise<Examined> {
  const { status, cursor } = query;
  if (cursor !== undefined && slotOfId(cursor, 'pub') === undefined)
    throw invalid(
      { cursor: `expected the nextCursor of an earlier reply, got ${shown(cursor)}` },
      'The query is invalid.',
    );
  const lists = listDirectoryRepositories(directory, caller.key.orgId)
    .filter(({ id }) => caller.maySee(id))
    .flatMap(({ id: repoId }) => {
      const name = partitionOfId(context, repoId) as string;
      // The ids of a repository's publications differ only in the part that is made from the time.
      const from = cursor && `pub_${slotTextOf(repoId)}${timePartOf(cursor)}`;
      return (status === undefined ? publicationStates : [status]).map(
        (state): ReadNewest<string> =>
          (limit, after) => {
            const partition = readPartition(context, name);
            if (after === undefined) return newestPublicationIds(partition, repoId, state, limit, from);
            const ids = newestPublicationIds(partition, repoId, state, limit + 1, after);
            return ids.filter((id) => id !== after).slice(0, limit);
          },
      );
    });
  const found: Found[] = [];
  let last: string | undefined;
  for (const id of await newestOf(lists, byTime)) {
    // A publication whose state changed between two readings is in two lists, or in none of them. In the second case it
    // is missing from the page. The event of its change makes live clients read the list again.
    if (id === last) continue;
    if (found.length === maxExamined) return { found, nextCursor: id };
    last = id;
    const partition = readPartition(context, partitionOfId(context, id) as string);
    const record = readPublication(partition, id);
    if (record) found.push({ partition, record });
  }
  return { found, nextCursor: null };
}

function byTime(a: string, b: string): number {
  const [one, other] = [timePartOf(a), timePartOf(b)];
  if (one !== other) return one > other ? 1 : -1;
  return a > b ? 1 : -1;
}

/** Calls a function once per argument. */
function remembering<A, R>(make: (argument: A) => R): (argument: A) => R {
  const known = new Map<A, R>();
  return (argument) => {
    const result = known.get(argument) ?? make(argument);
    known.set(argument, result);
    return result;
  };
}

function toSortable({ record: { id, channel, createdAt, updatedAt } }: Found) {
  return { id, name: channel, createdAt, updatedAt };
}

export const publicationRoutes = [listPublications, getPublication, resendPublication, deletePublication];
