/**
 * Asks the host to confirm the owner of each repository soon after the repository is first seen, and again once a day.
 * A false claim therefore ends before anyone relies on it, and no confirmation becomes outdated.
 */
import { hostAt } from '../../config/hosts.ts';
import type { DirectoryRepository } from '../../src/store/tables/directory.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import { clientFor, type HostContext } from './context.ts';
import { OwnerRefused } from './owners.ts';
import { isBackfilling, mayAsk, mayAskOwner } from './repository-on-host.ts';
import type { Round } from './rounds.ts';

/** Age at which a confirmation is refreshed, in milliseconds. */
const refreshMs = 86_400_000;

/**
 * Returns the round that confirms owners. The round skips a repository whose backfill is running, because the backfill
 * itself asks the host.
 */
export function ownerRound(context: HostContext): Round {
  return {
    name: 'confirming an owner',
    others: () => context.owners.claimedIn(context.lane.partition),
    isDue: (repoId, now) => {
      const listed = context.listed(repoId);
      // The host is asked about a claimed repository even if the repository is not connected, because the claim keeps
      // other organizations out. If necessary, the request uses a contender's credentials.
      if (!listed || !(listed.claimed ? mayAskAny(context, listed) : mayAsk(context, repoId))) return false;
      if (isBackfilling(context, repoId)) return false;
      const { ownership } = listed;
      return !ownership?.confirmed || Math.abs(now - ownership.at) > refreshMs;
    },
    work: async (repoId, signal) => {
      const listed = context.listed(repoId);
      const origin = listed && context.owners.originOf(listed);
      if (!listed || origin === undefined) return;
      const isAsked = mayAskOwner(context, listed);
      const failure = isAsked ? await askWithItsOwn(context, listed, origin, signal) : undefined;
      // If the request with the claimant's installation fails, the host must still be asked with the contenders'
      // installations.
      const isRefuted = await askContenders(context, repoId, origin, signal);
      if (failure && !isRefuted) throw failure;
      if (!isAsked && !isRefuted) await context.owners.noteSilence(repoId, signal);
    },
  };
}

/**
 * Asks the host who owns a repository. The request uses the credentials of the organization that is listed as the
 * owner. Returns undefined if the host has answered, even with a refusal. Returns the error of the request if the host
 * has not answered.
 */
async function askWithItsOwn(
  context: HostContext,
  listed: DirectoryRepository,
  origin: string,
  signal: AbortSignal,
): Promise<unknown> {
  const known = readRepository(context.partition(), listed.id);
  const client = clientFor(context, origin, { installationId: installationFor(context, listed, origin), signal });
  try {
    await context.owners.confirm(listed.id, client, signal, known?.owner.id);
    return undefined;
  } catch (error) {
    // A refusal is an answer too. `Owners` has already journaled, counted and logged the refusal.
    return error instanceof OwnerRefused ? undefined : error;
  }
}

/**
 * Whether the host may be asked for the owner of a claimed repository. The credentials can be those of the claimant or
 * of a contender.
 */
function mayAskAny(context: HostContext, listed: DirectoryRepository): boolean {
  if (mayAskOwner(context, listed)) return true;
  const [contender] = isOwnerUnknown(listed) ? (listed.contenders ?? []) : [];
  return contender !== undefined && mayAskOwner(context, { ...listed, installationId: contender.installationId });
}

/** Whether an organization only claims a repository, without proof, and the host has not yet named the owner. */
function isOwnerUnknown({ claimed, ownership }: DirectoryRepository): boolean {
  return claimed === true && (ownership === undefined || (!ownership.confirmed && ownership.ownerId === undefined));
}

/**
 * Asks the host for the owner of a claimed repository. The requests use the app installations of other organizations
 * (contenders). Returns whether the host has named another owner.
 */
async function askContenders(
  context: HostContext,
  repoId: string,
  origin: string,
  signal: AbortSignal,
): Promise<boolean> {
  const listed = context.listed(repoId);
  if (!listed?.contenders || !isOwnerUnknown(listed) || hostAt(context.hosts, origin)?.app === undefined) return false;
  for (const { orgId, installationId } of listed.contenders) {
    const client = clientFor(context, origin, { installationId, signal });
    try {
      if (await context.owners.refute(repoId, orgId, client, signal)) return true;
    } catch (error) {
      if (signal.aborted) throw error;
      context.logger.warn(
        { repo: repoId, org: orgId, err: error },
        'the owner could not be checked with an app installation',
      );
    }
  }
  return false;
}

/**
 * Returns the installation whose credentials are used to find the owner, or null to use the configured token. The token
 * replaces a claimant's installation that was refused because the installation belongs to another account.
 */
function installationFor(
  { hosts }: HostContext,
  { claimed, installationId, ownership }: DirectoryRepository,
  origin: string,
): string | null {
  const isRefused = ownership?.confirmed === false && ownership.cause === 'installation';
  return claimed && isRefused && hostAt(hosts, origin)?.token !== undefined ? null : installationId;
}
