/**
 * Has the host confirm the owner of each repository soon after it is met, and again from time to time: so a false claim ends
 * before anybody relies on it, and a confirmation does not grow old.
 */
import type { DirectoryRepository } from '../../src/store/directory.ts';
import { readRepository } from '../../src/store/repositories.ts';
import { clientFor, type HostContext, hostAt } from './context.ts';
import { OwnerRefused } from './owners.ts';
import { isBackfilling, mayAsk, mayAskOwner } from './reach.ts';
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
      const known = readRepository(context.partition(), repoId);
      try {
        if (mayAskOwner(context, listed)) {
          const client = clientFor(context, origin, {
            installationId: installationFor(context, listed, origin),
            signal,
          });
          await context.owners.confirm(repoId, client, signal, known?.owner.id);
        } else await context.owners.noteSilence(repoId, signal);
      } catch (error) {
        // The refusal is journalled, counted and logged where it was found.
        if (!(error instanceof OwnerRefused)) throw error;
      }
      await askContenders(context, repoId, origin, signal);
    },
  };
}

/** Whether the host may be asked for what is claimed: with the claimant's credentials, or with those of another one. */
function mayAskAny(context: HostContext, listed: DirectoryRepository): boolean {
  const [contender] = listed.contenders ?? [];
  return (
    mayAskOwner(context, listed) ||
    (contender !== undefined && mayAskOwner(context, { ...listed, installationId: contender.installationId }))
  );
}

/** Has the other organizations' installations tell who owns a claimed repository, where the host has not said. */
async function askContenders(context: HostContext, repoId: string, origin: string, signal: AbortSignal): Promise<void> {
  const { contenders = [], claimed, ownership } = context.listed(repoId) ?? {};
  const isOpen = ownership?.confirmed === false && ownership.ownerId === undefined;
  if (!claimed || !isOpen || hostAt(context.hosts, origin)?.app === undefined) return;
  for (const { orgId, installationId } of contenders) {
    const client = clientFor(context, origin, { installationId, signal });
    if (await context.owners.refute(repoId, orgId, client, signal)) return;
  }
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
