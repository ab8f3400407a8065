/**
 * Finds the commits between two given commits. The best evidence is the host's comparison of exactly these two commits.
 * Captured pushes are the second best. `window.ts` uses merge dates as the last resort.
 */
import type { ComparisonRecord } from '../../protocol/stored.ts';
import { commitsBetween, type Difference } from './history.ts';
import type { NotesSource } from './source.ts';

/** A difference and its evidence: `compare` for the host's comparison, `commits` for captured pushes. */
export interface Evidence extends Difference {
  resolution: 'compare' | 'commits';
}

/**
 * Returns the commits reachable from `to` and not from `from`. Returns undefined when neither the host nor captured
 * pushes show these commits. An assumption is used only if there is no evidence.
 */
export function differenceBetween(source: NotesSource, from: string, to: string): Evidence | undefined {
  const walked = commitsBetween(source, from, to);
  const comparison = source.comparison(from, to);
  if (!comparison) {
    const found = walked ?? commitsBetween(source, from, to, { assume: true });
    return found && { ...found, resolution: 'commits' };
  }
  const diverged = comparison.ancestry !== 'ahead';
  const lost = source.comparison(to, from)?.groups ?? walked?.lost ?? [];
  return { pushes: grouped(comparison, walked), lost: diverged ? lost : [], diverged, resolution: 'compare' };
}

/** Returns how `to` and `from` are related, if the host has compared the two commits in either order. */
export function reportedAncestry(
  source: NotesSource,
  from: string,
  to: string,
): ComparisonRecord['ancestry'] | undefined {
  const ancestry = source.comparison(from, to)?.ancestry;
  if (ancestry) return ancestry;
  const turned = source.comparison(to, from)?.ancestry;
  return turned && ({ ahead: 'behind', behind: 'ahead', diverged: 'diverged' } as const)[turned];
}

/**
 * Groups the commits of a comparison by captured push, because a push also keeps the commits of a rebase together. If
 * the pushes and the comparison do not contain the same commits, the function returns the groups of the comparison.
 */
function grouped({ groups }: ComparisonRecord, walked: Difference | undefined): string[][] {
  if (!walked) return groups;
  const compared = new Set(groups.flat());
  const pushed = walked.pushes.flat();
  return pushed.length === compared.size && pushed.every((sha) => compared.has(sha)) ? walked.pushes : groups;
}
