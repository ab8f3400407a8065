/**
 * Repositories and their tags, as the directory and the partitions know them.
 */
import { type Paging, PagingSchema } from '../protocol/api.ts';
import { type DirectoryRepository, listDirectoryRepositories } from '../store/directory.ts';
import { listTags } from '../store/tags.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { page } from './page.ts';

const listRepositories: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos',
  operation: 'listRepositories',
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listDirectoryRepositories(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'name', order: 'asc' });
    return { status: 200, body: { repos: items.map(toResponse), ...rest } };
  },
};

const listRepositoryTags: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/repos/:repoId/tags',
  operation: 'listRepositoryTags',
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

function toResponse(repository: DirectoryRepository): Record<string, unknown> {
  const { id, orgId, hostId, fullName, defaultBranch, createdAt } = repository;
  const scmRepoId = /^\d+$/.test(hostId) ? Number(hostId) : null;
  return { id, orgId, scmRepoId, fullName, defaultBranch, createdAt: iso(createdAt) };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

export const repositoryRoutes = [listRepositories, listRepositoryTags];
