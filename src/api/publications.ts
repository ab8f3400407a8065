/**
 * Handles publications: list, get, resend, delete. The spec defines only the shape of a publication, not these
 * operations.
 */
import { invalid, ServiceError } from '../foundation/errors.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import { EmptyBodySchema, NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type ListPublicationsQuery,
  ListPublicationsQuerySchema,
  publicationContracts,
} from '../protocol/resources/publications.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readHostedNote } from '../store/tables/hosted-notes.ts';
import {
  publicationResponse,
  publicationVerdict,
  publicationVerdicts,
  readPublication,
  readReference,
  listPublications as storedPublications,
} from '../store/tables/publications.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition, runCommand } from './context.ts';
import { page } from './page.ts';
import { checkedConnection, repeatedReply, runToEnd } from './publish.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { visible } from './stored-object.ts';
import { check } from './validate.ts';

const kind = { prefix: 'pub', resource: 'Publication', read: readPublication } as const;

const listPublications: ApiRoute<ListPublicationsQuery> = {
  method: 'GET',
  path: '/api/publications',
  operation: 'listPublications',
  contract: publicationContracts.listPublications,
  scope: 'drafts:read',
  query: ListPublicationsQuerySchema,
  handle: (request) => {
    const { channel, status } = request.query;
    const { partition, publications } = named(request);
    const wanted = publications.filter(
      (each) => (channel === undefined || each.channel === channel) && (status === undefined || each.status === status),
    );
    const { items, ...rest } = page(wanted, request.query, toSortable, { sort: 'createdAt', order: 'desc' });
    const verdictOf = publicationVerdicts(partition);
    const shown = items.map((each) => publicationResponse(each, verdictOf(each)));
    return { status: 200, body: { publications: shown, ...rest } };
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

/**
 * Returns the publications of the draft that the query names. If the query names no draft, returns the publications of
 * the repository that the query names.
 */
function named(request: ApiRequest<ListPublicationsQuery>): {
  partition: Partition;
  publications: PublicationRecord[];
} {
  const { draftId, repoId } = request.query;
  if (draftId === undefined && repoId === undefined)
    throw invalid({ draftId: 'expected draftId or repoId, got neither' }, 'The query is invalid.');
  if (draftId === undefined) {
    assertVisible(request.caller, repoId, 'Repository', repoId as string);
    const name = partitionOfId(request.context, repoId as string) as string;
    const partition = readPartition(request.context, name);
    return { partition, publications: storedPublications(partition, repoId as string) };
  }
  const { partition, record } = visible(request, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
  const isOther = repoId !== undefined && repoId !== record.repoId;
  return { partition, publications: isOther ? [] : storedPublications(partition, record.repoId, draftId) };
}

function toSortable({ id, channel, createdAt, updatedAt }: PublicationRecord) {
  return { id, name: channel, createdAt, updatedAt };
}

export const publicationRoutes = [listPublications, getPublication, resendPublication, deletePublication];
