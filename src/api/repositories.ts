/**
 * Handles repositories and their tags: list, get, select. Repositories are read from the directory partition, tags from
 * the partition of the repository.
 */
import { notFound } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import {
  repositoryContracts,
  type UpdateRepositoryBody,
  UpdateRepositoryBodySchema,
} from '../protocol/resources/repositories.ts';
import {
  type DirectoryRepository,
  directoryRepositoryDigest,
  directoryRepositoryResponse,
  listDirectoryRepositories,
  readDirectoryRepository,
} from '../store/tables/directory.ts';
import { listTags } from '../store/tables/tags.ts';
import { assertVisible } from './authenticate.ts';
import { changedReply, readIfMatch } from './conditional.ts';
import { partitionOfId, readPartition, runCommand } from './context.ts';
import { page } from './page.ts';
import type { ApiRoute } from './route.ts';
import { check } from './validate.ts';

const listRepositories: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos',
  operation: 'listRepositories',
  contract: repositoryContracts.listRepositories,
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listDirectoryRepositories(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'name', order: 'asc' });
    return { status: 200, body: { repos: items.map(directoryRepositoryResponse), ...rest } };
  },
};

const getRepository: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId',
  operation: 'getRepository',
  contract: repositoryContracts.getRepository,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, directory, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const repository = readDirectoryRepository(directory, repoId);
    if (!repository) throw notFound('Repository', repoId);
    const etag = toEtag(directoryRepositoryDigest(repository));
    return { status: 200, body: directoryRepositoryResponse(repository), etag };
  },
};

const updateRepository: ApiRoute = {
  method: 'PATCH',
  path: '/api/repos/:repoId',
  operation: 'updateRepository',
  contract: repositoryContracts.updateRepository,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: checkUpdate,
  handle: async ({ body, caller, context, directory, headers, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const ifMatch = readIfMatch(headers['if-match']);
    const { selected } = checkUpdate(body);
    const orgId = readDirectoryRepository(directory, repoId)?.orgId as string;
    const command = { name: 'selectRepository', repoId, orgId, selected, ...(ifMatch && { ifMatch }) } as const;
    return changedReply(await runCommand<object>(context, directoryName, command));
  },
};

const listRepositoryTags: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos/:repoId/tags',
  operation: 'listRepositoryTags',
  contract: repositoryContracts.listRepositoryTags,
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const partition = readPartition(context, partitionOfId(context, repoId) ?? '');
    // Omits tags whose commit is not known: only the create event of such a tag has arrived so far.
    const all = listTags(partition, repoId).filter((tag) => tag.sha !== null);
    const sortable = (tag: (typeof all)[number]) => ({
      createdAt: tag.date ?? tag.pushedAt,
      updatedAt: tag.pushedAt,
      name: tag.name,
      id: tag.name,
    });
    const { items, ...rest } = page(all, query, sortable, { sort: 'createdAt', order: 'desc' });
    const tags = items.map(({ name, sha, date, pushedAt }) => ({ name, sha, date: iso(date ?? pushedAt) }));
    return { status: 200, body: { tags, ...rest } };
  },
};

function toSortable(repository: DirectoryRepository) {
  const { id, fullName, createdAt, seenAt } = repository;
  return { id, name: fullName, createdAt, updatedAt: seenAt };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function checkUpdate(body: unknown): UpdateRepositoryBody {
  return check<UpdateRepositoryBody>(UpdateRepositoryBodySchema, body, 'body');
}

export const repositoryRoutes = [listRepositories, getRepository, updateRepository, listRepositoryTags];
