/**
 * Decides whether a repository's host may be asked about the repository, and finds the repository's current name on its
 * host.
 */
import { hasCredentials, hostAt } from '../../config/hosts.ts';
import type { HostClient, HostWait } from '../../src/host/client.ts';
import { time } from '../../src/intake/text.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import { isUnderWay, readBackfill } from '../../src/store/tables/backfills.ts';
import type { DirectoryRepository } from '../../src/store/tables/directory.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { clientFor, type HostContext } from './context.ts';
import type { TagSource } from './tags.ts';

/** A repository as its host describes it now, and the client for further requests. */
export interface Reached extends TagSource {
  client: HostClient;
  repository: EventRepository;
  /** When the host was asked, in milliseconds, rounded down to whole seconds. */
  seenAt: number;
}

/**
 * Pause after a host did not confirm a repository's owner, in milliseconds. After the pause, the host is asked about
 * the repository again.
 */
const refusedMs = 3_600_000;

/** Whether a repository is connected and the service may ask its host, using the credentials in the settings. */
export function mayAsk(context: HostContext, repoId: string): boolean {
  const listed = context.listed(repoId);
  const isKnown = readRepository(context.partition(), repoId) !== undefined;
  return isKnown && listed?.state === 'connected' && mayAskOwner(context, listed);
}

/**
 * Whether the host may be asked for a repository's owner, even if the repository is not connected. Credentials must
 * exist, and the host must not have refused a confirmation recently.
 */
export function mayAskOwner({ owners, hosts }: HostContext, listed: DirectoryRepository): boolean {
  const host = hostAt(hosts, owners.originOf(listed) ?? '');
  if (!host || !hasCredentials(host, listed.installationId)) return false;
  return !wasRefused(listed);
}

/** Whether the host has refused to confirm a repository's owner within the last hour. */
export function wasRefused({ ownership }: DirectoryRepository): boolean {
  // The absolute difference is compared, because the stored time is later than now if the clock was set back.
  return ownership !== undefined && !ownership.confirmed && Math.abs(Date.now() - ownership.at) <= refusedMs;
}

/** Whether a backfill of the repository is running. If so, the backfill itself asks the host for everything. */
export function isBackfilling(context: HostContext, repoId: string): boolean {
  const backfill = readBackfill(context.partition(), repoId);
  return backfill !== undefined && isUnderWay(backfill);
}

/**
 * Finds a repository on its host, which must confirm the owner. Returns undefined if the repository is not stored.
 * Errors of the request to the host are thrown unchanged.
 * @throws OwnerRefused when the host does not confirm the owner
 */
export async function reach(
  context: HostContext,
  repoId: string,
  options: { signal: AbortSignal; onWait?: (wait: HostWait) => void },
): Promise<Reached | undefined> {
  const known = readRepository(context.partition(), repoId);
  if (!known) return undefined;
  const { installationId = null } = context.listed(repoId) ?? {};
  const client = clientFor(context, known.origin, { installationId, ...options });
  const { found, repository, askedAt } = await context.owners.confirm(repoId, client, options.signal, known.owner.id);
  const seenAt = askedAt - (askedAt % 1000);
  const name = { fullName: repository.fullName };
  const pushedAt = time(found.pushed_at) ?? seenAt;
  return { client, name, repoId, pushedAt, partition: context.partition, repository, seenAt };
}
