/**
 * Handles repositories and their tags: list, get, select. Repositories are read from the directory partition, tags from
 * the partition of the repository.
 */
import { notFound } from '../foundation/errors.ts';
import { markOf, toEtag } from '../foundation/etag.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import {
  type GetRepositoryQuery,
  GetRepositoryQuerySchema,
  type ListRepositoriesQuery,
  ListRepositoriesQuerySchema,
  repositoryContracts,
  type UpdateRepositoryBody,
  UpdateRepositoryBodySchema,
} from '../protocol/resources/repositories.ts';
import {
  type DirectoryRepository,
  directoryRepositoryDigest,
  listDirectoryRepositories,
  readDirectoryRepository,
} from '../store/tables/directory.ts';
import { listTags } from '../store/tables/tags.ts';
import { assertScope, assertVisible } from './authenticate.ts';
import { newestBackfill } from './backfills.ts';
import { readIfMatch } from './conditional.ts';
import { partitionOfId, readPartition, runCommand } from './context.ts';
import { page } from './page.ts';
import { lastEventOf, repositoryResponse, unreleasedResponses } from './repository-activity.ts';
import type { ApiReply, ApiRoute } from './route.ts';
import { check } from './validate.ts';

/** Scope that unreleased changes need besides, as in the operation that returns them (`ranges.ts`). */
const unreleasedScope = 'ranges:read';

const listRepositories: ApiRoute<ListRepositoriesQuery> = {
  method: 'GET',
  path: '/api/repos',
  operation: 'listRepositories',
  contract: repositoryContracts.listRepositories,
  scope: 'repos:read',
  query: ListRepositoriesQuerySchema,
  handle: ({ query: { fullName, q, include, ...paging }, caller, context, directory }) => {
    if (include !== undefined) assertScope(caller, unreleasedScope);
    const all = named(fullName, q, listDirectoryRepositories(directory, caller.key.orgId));
    const { items, ...rest } = page(all, paging, toSortable, { sort: 'name', order: 'asc' });
    if (include === undefined) {
      const repos = items.map((repository) => repositoryResponse(context, caller, repository));
      return { status: 200, body: { repos, ...rest } };
    }
    return unreleasedResponses(context, caller, items).then((repos) => ({ status: 200, body: { repos, ...rest } }));
  },
};

const getRepository: ApiRoute<GetRepositoryQuery> = {
  method: 'GET',
  path: '/api/repos/:repoId',
  operation: 'getRepository',
  contract: repositoryContracts.getRepository,
  scope: 'repos:read',
  query: GetRepositoryQuerySchema,
  handle: ({ query: { include }, caller, context, directory, params: [repoId = ''] }) => {
    if (include === 'unreleased') assertScope(caller, unreleasedScope);
    assertVisible(caller, repoId, 'Repository', repoId);
    const repository = readDirectoryRepository(directory, repoId);
    if (!repository) throw notFound('Repository', repoId);
    const digest = directoryRepositoryDigest(repository);
    if (include === 'unreleased')
      return unreleasedResponses(context, caller, [repository]).then(([counted = {}]) => replyOf(digest, counted));
    const body = repositoryResponse(context, caller, repository);
    const more = include === 'backfill' && { backfill: newestBackfill(context, repoId) };
    return replyOf(digest, { ...body, ...more });
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
    const { digest, ...value } = await runCommand<{ digest: string }>(context, directoryName, command);
    return replyOf(digest, { ...value, lastEventAt: lastEventOf(context, caller, repoId, 'fresh') });
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

/**
 * Makes the reply that shows a repository. The ETag has a mark for the fields that the digest does not cover. `If-Match`
 * ignores it: an event does not refuse a change of the repository.
 */
function replyOf(digest: string, body: object): ApiReply {
  const { lastEventAt, lastTag, unreleased, backfill } = body as Record<string, unknown>;
  const mark = markOf(JSON.stringify([lastEventAt, lastTag, unreleased, backfill]));
  return { status: 200, body, etag: toEtag(digest, mark) };
}

/** Returns the repositories with a name, and with a part of it. Hosts ignore the case of names. */
function named(
  fullName: string | undefined,
  part: string | undefined,
  all: DirectoryRepository[],
): DirectoryRepository[] {
  const [whole, within] = [fullName?.toLowerCase(), part?.toLowerCase()];
  if (whole === undefined && within === undefined) return all;
  return all.filter((repository) => {
    const name = repository.fullName.toLowerCase();
    return (whole === undefined || name === whole) && (within === undefined || name.includes(within));
  });
}

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
