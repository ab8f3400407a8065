/**
 * Repositories and their tags, as the directory and the partitions know them.
 */
import { directoryName } from '../journal/subjects.ts';
import {
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type UpdateRepositoryBody,
  UpdateRepositoryBodySchema,
} from '../protocol/api.ts';
import { contracts } from '../protocol/contracts.ts';
import {
  type DirectoryRepository,
  directoryRepositoryResponse,
  listDirectoryRepositories,
} from '../store/directory.ts';
import { listTags } from '../store/tags.ts';
import { assertVisible } from './authenticate.ts';
import { carryOut, partitionOfId, readPartition } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';

const listRepositories: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos',
  operation: 'listRepositories',
  contract: contracts.listRepositories,
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listDirectoryRepositories(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'name', order: 'asc' });
    return { status: 200, body: { repos: items.map(directoryRepositoryResponse), ...rest } };
  },
};

const updateRepository: ApiRoute = {
  method: 'PATCH',
  path: '/api/repos/:repoId',
  operation: 'updateRepository',
  contract: contracts.updateRepository,
  scope: 'repos:write',
  query: NoQuerySchema,
  handle: async ({ body, caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const { selected } = check<UpdateRepositoryBody>(UpdateRepositoryBodySchema, body, 'body');
    const value = await carryOut(context, directoryName, { name: 'selectRepository', repoId, selected });
    return { status: 200, body: value as object };
  },
};

const listRepositoryTags: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos/:repoId/tags',
  operation: 'listRepositoryTags',
  contract: contracts.listRepositoryTags,
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const partition = readPartition(context, partitionOfId(context, repoId) ?? '');
    // A tag of which only a create event told has no commit yet.
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

export const repositoryRoutes = [listRepositories, updateRepository, listRepositoryTags];
