/**
 * Backfills of a repository's older history: start, look, cancel. The work is done by the worker that owns the repository.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { ask } from '../journal/query.ts';
import { directoryName } from '../journal/subjects.ts';
import { NoQuerySchema, type StartBackfillBody, StartBackfillBodySchema } from '../protocol/api.ts';
import { repositoryContracts } from '../protocol/contracts/repositories.ts';
import type { ResolvedRepository, ResolveRepositoryTask } from '../protocol/tasks.ts';
import type { Partition } from '../store/partition.ts';
import { backfillResponse, readBackfill } from '../store/tables/backfills.ts';
import {
  type DirectoryRepository,
  readDirectoryRepository,
  readOrganisation,
  refusalOf,
  refusedOwner,
} from '../store/tables/directory.ts';
import { readRepository, toEventRepository } from '../store/tables/repositories.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, carryOut, lifeFor, partitionOfId, readPartition, type Use } from './context.ts';
import type { ApiReply, ApiRoute } from './handle.ts';
import { check } from './validate.ts';

const startBackfill: ApiRoute = {
  method: 'POST',
  path: '/api/repos/:repoId/backfill',
  operation: 'startBackfill',
  contract: repositoryContracts.startBackfill,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody,
  once: { home: ({ params }) => params[0], reply: started },
  handle: async ({ body, caller, context, directory, once, quotas, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const since = checkBody(body);
    const listed = readDirectoryRepository(directory, repoId) as DirectoryRepository;
    const start = async () => begin(context, await resolveListed(context, directory, listed), since, once);
    return started(await quotas.withinBackfills(context, repoId, start));
  },
};

const getBackfill: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/backfill',
  operation: 'getBackfill',
  contract: repositoryContracts.getBackfill,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const backfill = readBackfill(readPartition(context, partitionOfId(context, repoId) ?? ''), repoId);
    if (!backfill) throw notFound('Backfill of repository', repoId);
    return { status: 200, body: backfillResponse(backfill) };
  },
};

const cancelBackfill: ApiRoute = {
  method: 'DELETE',
  path: '/api/repos/:repoId/backfill',
  operation: 'cancelBackfill',
  contract: repositoryContracts.cancelBackfill,
  scope: 'repos:write',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const name = partitionOfId(context, repoId) as string;
    const value = await carryOut(context, name, { name: 'cancelBackfill', repoId, ...lifeFor(context, repoId) });
    return { status: 200, body: value as object };
  },
};

function started(value: unknown): ApiReply {
  const backfill = value as { repoId: string };
  return { status: 202, body: backfill, headers: ['Location', `/api/repos/${backfill.repoId}/backfill`] };
}

function checkBody(body: unknown): number | null {
  return sinceOf(check<StartBackfillBody>(StartBackfillBodySchema, body, 'body').since);
}

/**
 * The instant a day begins.
 * @throws ServiceError `invalid` for a day that has not come
 */
export function sinceOf(since: string | undefined): number | null {
  if (since === undefined) return null;
  const instant = Date.parse(`${since}T00:00:00Z`);
  if (instant > Date.now()) throw invalid({ since: `expected a day that has come, got ${JSON.stringify(since)}` });
  return instant;
}

/**
 * What a backfill of a repository that the directory lists starts with. One that no event has told of yet is asked for at its
 * host.
 * @throws ServiceError `conflict` when it is not connected, or what looking it up ended in
 */
export async function resolveListed(
  context: ApiContext,
  directory: Partition,
  listed: DirectoryRepository,
): Promise<ResolvedRepository> {
  assertConnected(listed);
  const known = readRepository(readPartition(context, partitionOfId(context, listed.id) ?? ''), listed.id);
  if (known) return { repository: toEventRepository(known), installationId: listed.installationId, confirmed: false };
  const organisation = readOrganisation(directory, listed.orgId);
  const origin = organisation?.origin ?? context.settings.hostOrigin;
  const resolved = await resolve(context, { task: 'resolveRepository', origin, fullName: listed.fullName });
  const isOwner = organisation && refusalOf(resolved.repository.owner, organisation) === undefined;
  if (!isOwner) throw new ServiceError('forbidden', refusedOwner);
  if (resolved.repository.id === listed.id) return resolved;
  throw new ServiceError('conflict', `The host has another repository under the name ${listed.fullName}.`);
}

/** @throws ServiceError `conflict` when its events are not wanted */
export function assertConnected({ state, fullName }: Pick<DirectoryRepository, 'state' | 'fullName'>): void {
  if (state !== 'connected')
    throw new ServiceError('conflict', `The repository ${fullName} is ${state}: connect it before its backfill.`);
}

/** Asks the host, through whoever owns the directory. */
export function resolve(context: ApiContext, question: ResolveRepositoryTask): Promise<ResolvedRepository> {
  return ask<ResolveRepositoryTask, ResolvedRepository>(context.journal, directoryName, question);
}

/** Starts a backfill, or finds the one under way; its state. */
export function begin(
  context: ApiContext,
  resolved: ResolvedRepository,
  since: number | null,
  use?: Use,
): Promise<object> {
  const { repository, installationId, confirmed } = resolved;
  const backfillId = newId('bf', slotOfId(repository.id) as number);
  const command = { name: 'startBackfill', backfillId, repository, confirmed, since, installationId } as const;
  return carryOut<object>(context, partitionOfId(context, repository.id) as string, command, use);
}

export const backfillRoutes = [startBackfill, getBackfill, cancelBackfill];
