/**
 * Has the host confirm the owner of each repository soon after it is met, and again from time to time: so a false claim ends
 * before anybody relies on it, and a confirmation does not grow old.
 */
import { readRepository } from '../../src/store/repositories.ts';
import { clientFor, type HostContext } from './context.ts';
import { OwnerRefused } from './owners.ts';
import { mayAskInRound } from './reach.ts';
import type { Round } from './rounds.ts';

/** Age at which a confirmation is refreshed, in milliseconds. */
const refreshMs = 86_400_000;

/** The work of having owners confirmed; a backfill under way has its own asked for. */
export function ownerRound(context: HostContext): Round {
  return {
    name: 'confirming an owner',
    isDue: (repoId, now) => {
      if (!mayAskInRound(context, repoId)) return false;
      const { ownership } = context.listed(repoId) ?? {};
      return !ownership?.confirmed || now - ownership.at > refreshMs;
    },
    work: async (repoId, signal) => {
      const known = readRepository(context.partition(), repoId);
      if (!known) return;
      const { installationId = null } = context.listed(repoId) ?? {};
      const client = clientFor(context, known.origin, { installationId, signal });
      try {
        await context.owners.confirm(repoId, client, signal, known.owner.id);
      } catch (error) {
        // The refusal is journalled, counted and logged where it was found.
        if (!(error instanceof OwnerRefused)) throw error;
      }
    },
  };
}
