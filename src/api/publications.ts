/**
 * Publications: list, get, send once more, delete. Not part of the spec but for their shape.
 */
import { invalid, ServiceError } from '../foundation/errors.ts';
import {
  EmptyBodySchema,
  type ListPublicationsQuery,
  ListPublicationsQuerySchema,
  NoQuerySchema,
} from '../protocol/api.ts';
import { publishingContracts } from '../protocol/contracts/publishing.ts';
import type { PublicationRecord } from '../protocol/publications.ts';
import type { Partition } from '../store/partition.ts';
import { readDraft } from '../store/tables/drafts.ts';
import { readHostedNote } from '../store/tables/hosted-notes.ts';
import {
  publicationResponse,
  readPublication,
  readReference,
  listPublications as storedPublications,
} from '../store/tables/publications.ts';
import { assertVisible } from './authenticate.ts';
import { carryOut, partitionOfId, readPartition } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { carryOutToEnd, connectionFor, toldAgain } from './publish.ts';
import { visible } from './stored-object.ts';
import { check } from './validate.ts';

const kind = { prefix: 'pub', resource: 'Publication', read: readPublication } as const;

const listPublications: ApiRoute<ListPublicationsQuery> = {
  method: 'GET',
  path: '/api/publications',
  operation: 'listPublications',
  contract: publishingContracts.listPublications,
  scope: 'drafts:read',
  query: ListPublicationsQuerySchema,
  handle: (request) => {
    const { channel, status } = request.query;
    const wanted = named(request).filter(
      (each) => (channel === undefined || each.channel === channel) && (status === undefined || each.status === status),
    );
    const { items, ...rest } = page(wanted, request.query, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { publications: items.map(publicationResponse), ...rest } };
  },
};

const getPublication: ApiRoute = {
  method: 'GET',
  path: '/api/publications/:publicationId',
  operation: 'getPublication',
  contract: publishingContracts.getPublication,
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: (request) => {
    const { record } = visible(request, request.params[0] ?? '', kind);
    return { status: 200, body: publicationResponse(record) };
  },
};

const resendPublication: ApiRoute = {
  method: 'POST',
  path: '/api/publications/:publicationId/resend',
  operation: 'resendPublication',
  contract: publishingContracts.resendPublication,
  scope: 'publish:write',
  query: NoQuerySchema,
  checkBody: (body) => check(EmptyBodySchema, body, 'body'),
  once: { home: ({ params }) => params[0], reply: toldAgain },
  handle: async (request): Promise<ApiReply> => {
    const { partition, record } = visible(request, request.params[0] ?? '', kind);
    check(EmptyBodySchema, request.body, 'body');
    if (!readDraft(partition, record.draftId))
      throw new ServiceError(
        'conflict',
        `The draft of publication ${record.id} was erased: it cannot be sent once more.`,
      );
    const through = await connectionFor(request, partition, record, record.channel);
    const command = { name: 'resendPublication', publicationId: record.id, ...through } as const;
    return carryOutToEnd(request, partition.name, command);
  },
};

const deletePublication: ApiRoute = {
  method: 'DELETE',
  path: '/api/publications/:publicationId',
  operation: 'deletePublication',
  contract: publishingContracts.deletePublication,
  scope: 'publish:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const { partition, record } = visible(request, request.params[0] ?? '', kind);
    const command = { name: 'deletePublication', publicationId: record.id } as const;
    const { deletedAt } = await carryOut<{ deletedAt: number }>(request.context, partition.name, command);
    const left =
      record.channel === 'hosted' ? pageAfter(readPartition(request.context, partition.name), record) : undefined;
    return { status: 200, body: deletedResponse(record, deletedAt, left) };
  },
};

/** What deleting did, and what it did not do. */
export function deletedResponse(
  { id, channel }: Pick<PublicationRecord, 'id' | 'channel'>,
  deletedAt: number,
  page = 'Its page is gone.',
) {
  const message = channel === 'hosted' ? page : `What the channel ${channel} has got stays there: delete it there.`;
  return { id, deletedAt: new Date(deletedAt).toISOString(), message };
}

/** What is at the page of a deleted publication. The store as it is afterwards tells, as others may publish at the same time. */
function pageAfter(partition: Partition, record: PublicationRecord): string | undefined {
  const version = readReference(partition, record);
  const there = version !== undefined && readHostedNote(partition, record.repoId, version, record.personaPath);
  if (there)
    return `The page stays, as it shows publication ${there.publicationId}. Delete that publication to remove the page.`;
  return record.publishedAt === null ? 'It has no page.' : undefined;
}

/** The publications of a draft, or of a whole repository. */
function named(request: ApiRequest<ListPublicationsQuery>): PublicationRecord[] {
  const { draftId, repoId } = request.query;
  if (draftId === undefined && repoId === undefined)
    throw invalid({ draftId: 'expected draftId or repoId, got neither' }, 'The query is invalid.');
  if (draftId === undefined) {
    assertVisible(request.caller, repoId, 'Repository', repoId as string);
    const name = partitionOfId(request.context, repoId as string) as string;
    return storedPublications(readPartition(request.context, name), repoId as string);
  }
  const { partition, record } = visible(request, draftId, { prefix: 'draft', resource: 'Draft', read: readDraft });
  if (repoId !== undefined && repoId !== record.repoId) return [];
  return storedPublications(partition, record.repoId, draftId);
}

function toSortable({ id, channel, createdAt, updatedAt }: PublicationRecord) {
  return { id, name: channel, createdAt, updatedAt };
}

export const publicationRoutes = [listPublications, getPublication, resendPublication, deletePublication];
