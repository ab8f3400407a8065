/**
 * Has the host confirm the owner of each repository soon after it is met, and again from time to time: so a false claim ends
 * before anybody relies on it, and a confirmation does not grow old.
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

/** The work of having owners confirmed; a backfill under way has its own asked for. */
export function ownerRound(context: HostContext): Round {
  return {
    name: 'confirming an owner',
    others: () => context.owners.claimedIn(context.lane.partition),
    isDue: (repoId, now) => {
      const listed = context.listed(repoId);
      // Of what is only claimed the host is asked in any case: the claim keeps others out.
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
      // A claimant's installation that fails must not keep the others from telling.
      const isTold = await askContenders(context, repoId, origin, signal);
      if (failure && !isTold) throw failure;
      if (!isAsked && !isTold) await context.owners.noteSilence(repoId, signal);
    },
  };
}

/** Asks with the credentials of the organization that has the repository; what made that fail, unless it is a refusal. */
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
    // The refusal is journalled, counted and logged where it was found.
    return error instanceof OwnerRefused ? undefined : error;
  }
}

/** Whether the host may be asked for what is claimed: with the claimant's credentials, or with those of another one. */
function mayAskAny(context: HostContext, listed: DirectoryRepository): boolean {
  if (mayAskOwner(context, listed)) return true;
  const [contender] = isUntold(listed) ? (listed.contenders ?? []) : [];
  return contender !== undefined && mayAskOwner(context, { ...listed, installationId: contender.installationId });
}

/** Whether a repository is merely claimed, and the host has named no owner. */
function isUntold({ claimed, ownership }: DirectoryRepository): boolean {
  return claimed === true && (ownership === undefined || (!ownership.confirmed && ownership.ownerId === undefined));
}

/** Has the other organizations' installations tell who owns a claimed repository; whether the host has named another owner. */
async function askContenders(
  context: HostContext,
  repoId: string,
  origin: string,
  signal: AbortSignal,
): Promise<boolean> {
  const listed = context.listed(repoId);
  if (!listed?.contenders || !isUntold(listed) || hostAt(context.hosts, origin)?.app === undefined) return false;
  for (const { orgId, installationId } of listed.contenders) {
    const client = clientFor(context, origin, { installationId, signal });
    try {
      if (await context.owners.refute(repoId, orgId, client, signal)) return true;
    } catch (error) {
      if (signal.aborted) throw error;
      context.logger.warn({ repo: repoId, org: orgId, err: error }, 'asking with an installation failed');
    }
  }
  return false;
}

/** The installation to ask with; none after the host has refused it for a claim, so that a token can still tell the owner. */
function installationFor(
  { hosts }: HostContext,
  { claimed, installationId, ownership }: DirectoryRepository,
  origin: string,
): string | null {
  const isRefused = ownership?.confirmed === false && ownership.cause === 'installation';
  return claimed && isRefused && hostAt(hosts, origin)?.token !== undefined ? null : installationId;
}
