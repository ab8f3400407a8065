/**
 * Handles backfills, which read a repository's older history from its host: start, get, cancel. Backfills are run by
 * the worker that owns the repository.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { newId, slotInside } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import { backfillContracts, type StartBackfillBody, StartBackfillBodySchema } from '../protocol/resources/backfills.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import type { ResolvedRepository, ResolveRepositoryTask } from '../protocol/tasks.ts';
import { backfillResponse, readBackfill } from '../store/tables/backfills.ts';
import {
  type DirectoryRepository,
  readDirectoryRepository,
  readOrganization,
  refusalOf,
  refusedOwner,
} from '../store/tables/directory.ts';
import { readRepository, toEventRepository } from '../store/tables/repositories.ts';
import { assertVisible } from './authenticate.ts';
import { type ApiContext, incarnationFor, partitionOfId, readPartition, runCommand, type Use } from './context.ts';
import type { ApiReply, ApiRoute } from './route.ts';
import { check } from './validate.ts';

const startBackfill: ApiRoute = {
  method: 'POST',
  path: '/api/repos/:repoId/backfill',
  operation: 'startBackfill',
  contract: backfillContracts.startBackfill,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody,
  once: { home: ({ params }) => params[0], reply: started },
  handle: async ({ body, caller, context, directory, once, quotas, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const since = checkBody(body);
    const listed = readDirectoryRepository(directory, repoId) as DirectoryRepository;
    const start = async () => begin(context, await resolveListed(context, listed), since, once);
    return started(await quotas.withinBackfills(context, repoId, start));
  },
};

const getBackfill: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/backfill',
  operation: 'getBackfill',
  contract: backfillContracts.getBackfill,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const body = newestBackfill(context, repoId);
    if (!body) throw notFound('Backfill of repository', repoId);
    return { status: 200, body };
  },
};

const cancelBackfill: ApiRoute = {
  method: 'DELETE',
  path: '/api/repos/:repoId/backfill',
  operation: 'cancelBackfill',
  contract: backfillContracts.cancelBackfill,
  scope: 'repos:write',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [repoId = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const name = partitionOfId(context, repoId) as string;
    const value = await runCommand(context, name, {
      name: 'cancelBackfill',
      repoId,
      ...incarnationFor(context, repoId),
      reports: true,
    });
    return { status: 200, body: value as object };
  },
};

/** Makes the part of a reply that describes the newest backfill of a repository; null if there was none. */
export function newestBackfill(context: ApiContext, repoId: string): object | null {
  const backfill = readBackfill(readPartition(context, partitionOfId(context, repoId) ?? ''), repoId);
  return backfill ? backfillResponse(backfill) : null;
}

function started(value: unknown): ApiReply {
  const backfill = value as { repoId: string };
  return { status: 202, body: backfill, headers: ['Location', `/api/repos/${backfill.repoId}/backfill`] };
}

function checkBody(body: unknown): number | null {
  return sinceOf(check<StartBackfillBody>(StartBackfillBodySchema, body, 'body').since);
}

/**
 * Returns the time at which a day begins, in milliseconds since 1970; null when no day is given.
 * @throws ServiceError `invalid` for a day in the future
 */
export function sinceOf(since: string | undefined): number | null {
  if (since === undefined) return null;
  const instant = Date.parse(`${since}T00:00:00Z`);
  if (instant > Date.now()) throw invalid({ since: `expected today or an earlier day, got ${JSON.stringify(since)}` });
  return instant;
}

/**
 * Returns the data that is needed to start a backfill of a repository. If no event of the repository has arrived yet,
 * the data is requested from the repository's host.
 * @param listed the repository's record in the directory partition
 * @throws ServiceError `conflict` when the repository is not connected, or when its name now belongs to another
 *   repository
 * @throws ServiceError `forbidden` when the owner on the host is not the repository's organization
 * @throws every error of the lookup at the host
 */
export async function resolveListed(context: ApiContext, listed: DirectoryRepository): Promise<ResolvedRepository> {
  assertConnected(listed);
  const known = readRepository(readPartition(context, partitionOfId(context, listed.id) ?? ''), listed.id);
  if (known) return { repository: toEventRepository(known), installationId: listed.installationId, confirmed: false };
  const organization = readOrganization(readPartition(context, directoryName), listed.orgId);
  const origin = organization?.origin ?? context.settings.hostOrigin;
  const resolved = await resolve(context, { task: 'resolveRepository', origin, fullName: listed.fullName });
  const isOwner = organization && refusalOf(resolved.repository.owner, organization) === undefined;
  if (!isOwner) throw new ServiceError('forbidden', refusedOwner);
  if (resolved.repository.id === listed.id) return resolved;
  throw new ServiceError('conflict', `On the host, the name ${listed.fullName} now belongs to another repository.`);
}

/** @throws ServiceError `conflict` when the repository is unselected or disconnected */
export function assertConnected({ state, fullName }: Pick<DirectoryRepository, 'state' | 'fullName'>): void {
  if (state !== 'connected')
    throw new ServiceError(
      'conflict',
      `The repository ${fullName} is ${state}. Connect it before you start a backfill.`,
    );
}

/** Asks the host about a repository. The worker that owns the directory partition sends the request. */
export function resolve(context: ApiContext, question: ResolveRepositoryTask): Promise<ResolvedRepository> {
  return ask<ResolveRepositoryTask, ResolvedRepository>(context.journal, directoryName, question);
}

/**
 * Starts a backfill and returns its state. If a backfill of the repository is already under way, returns the state of
 * that backfill.
 */
export function begin(
  context: ApiContext,
  resolved: ResolvedRepository,
  since: number | null,
  use?: Use,
): Promise<object> {
  const { repository, installationId, confirmed } = resolved;
  const backfillId = newId('bf', slotInside(repository.id));
  const command = { name: 'startBackfill', backfillId, repository, confirmed, since, installationId } as const;
  return runCommand<object>(context, partitionOfId(context, repository.id) as string, command, use);
}

export const backfillRoutes = [startBackfill, getBackfill, cancelBackfill];
