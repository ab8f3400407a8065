/**
 * What lies between two commits, by the best evidence there is: what the host said of exactly these two, else captured
 * pushes. Merge dates, the last resort, are left to `window.ts`.
 */
import type { ComparisonRecord } from '../../protocol/stored.ts';
import { commitsBetween, type Difference } from './history.ts';
import type { NotesSource } from './source.ts';

/** A difference, and what told it. */
export interface Evidence extends Difference {
  resolution: 'compare' | 'commits';
}

/** Commits reachable from `to` and not from `from`; undefined when neither the host nor captured pushes tell. */
export function differenceBetween(source: NotesSource, from: string, to: string): Evidence | undefined {
  const walked = commitsBetween(source, from, to);
  const told = source.comparison(from, to);
  if (!told) return walked && { ...walked, resolution: 'commits' };
  const diverged = told.ancestry !== 'ahead';
  const lost = source.comparison(to, from)?.groups ?? walked?.lost ?? [];
  return { pushes: grouped(told, walked), lost: diverged ? lost : [], diverged, resolution: 'compare' };
}

/** How `to` stands to `from`, as far as the host was asked of the two in either order. */
export function toldAncestry(source: NotesSource, from: string, to: string): ComparisonRecord['ancestry'] | undefined {
  const told = source.comparison(from, to)?.ancestry;
  if (told) return told;
  const turned = source.comparison(to, from)?.ancestry;
  return turned && ({ ahead: 'behind', behind: 'ahead', diverged: 'diverged' } as const)[turned];
}

/** Pushes know which commits came together, also those of a rebase; they are used where they have the very same commits. */
function grouped({ groups }: ComparisonRecord, walked: Difference | undefined): string[][] {
  if (!walked) return groups;
  const told = new Set(groups.flat());
  const pushed = walked.pushes.flat();
  return pushed.length === told.size && pushed.every((sha) => told.has(sha)) ? walked.pushes : groups;
}
