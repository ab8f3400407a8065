/**
 * How a repository is reached on its host by those that look something up there: whether it may be asked for, and what it is
 * called now.
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

/** A repository as its host has it now, and what to ask it with. */
export interface Reached extends TagSource {
  client: HostClient;
  repository: EventRepository;
  /** When the host was asked, whole seconds in milliseconds. */
  seenAt: number;
}

/** How long a repository is left alone after the host has not confirmed its owner, in milliseconds. */
const refusedMs = 3_600_000;

/** Whether a repository is connected, and its host may be asked for it with the credentials of the settings. */
export function mayAsk(context: HostContext, repoId: string): boolean {
  const listed = context.listed(repoId);
  const isKnown = readRepository(context.partition(), repoId) !== undefined;
  return isKnown && listed?.state === 'connected' && mayAskOwner(context, listed);
}

/** Whether the host may be asked who owns a repository, be it connected or not: there are credentials, and it is not refused. */
export function mayAskOwner({ owners, hosts }: HostContext, listed: DirectoryRepository): boolean {
  const host = hostAt(hosts, owners.originOf(listed) ?? '');
  if (!host || !hasCredentials(host, listed.installationId)) return false;
  const { ownership } = listed;
  // A time ahead of now comes from a clock that was set back.
  return ownership === undefined || ownership.confirmed || Math.abs(Date.now() - ownership.at) > refusedMs;
}

/** Whether a backfill of a repository is under way, which asks its host for everything itself. */
export function isBackfilling(context: HostContext, repoId: string): boolean {
  const backfill = readBackfill(context.partition(), repoId);
  return backfill !== undefined && isUnderWay(backfill);
}

/**
 * Finds a repository on its host, which confirms its owner; undefined when it is not stored.
 * @throws OwnerRefused when the host does not, and all that asking throws
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
