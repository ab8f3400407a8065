/**
 * The ways down from one commit: through which captured pushes its ancestors are reached. Where the ways lead when they are
 * followed is the matter of `history.ts`.
 */
import type { CommitRecord, PushRecord } from '../protocol/stored.ts';
import type { NotesSource } from './source.ts';

/** One way down from a commit: through a push that lists it, up to and including `index`, to what lies below the push. */
export interface Step {
  push: PushRecord;
  index: number;
  below: string;
  /** False where the push hides what lies below it (new branch, force push, commits left out by the host). */
  known: boolean;
}

/**
 * The pushes to go down by. Where some end at the commit, these alone, since they are exact; else those that end where the
 * first push to list it ended: later ones may have merged it beside commits that are not its ancestors.
 */
export function stepsDown(source: NotesSource, sha: string): Step[] {
  const keys = source.commit(sha)?.pushes ?? [];
  const exact = pushesAt(source, keys, sha);
  if (exact.length > 0) return stepsBy(exact, sha);
  const named = keys.flatMap(([branch, after]) => source.push(branch, after) ?? []);
  // Where a backfill knew better than a push that left commits out, the push is gone and its key is not.
  const listing = named.filter((push) => push.shas.includes(sha));
  const first = listing.reduce<PushRecord | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
  const steps = first ? stepsBy(pushesAt(source, keys, first.after), sha) : [];
  return steps.filter(({ push, index }) => !push.shas.slice(index + 1).some((later) => isMerge(source, later)));
}

/** Of the pushes that are named, those that end at `head`. */
function pushesAt(source: NotesSource, keys: CommitRecord['pushes'], head: string): PushRecord[] {
  const found: PushRecord[] = [];
  for (const [branch, after] of keys) {
    const push = after === head ? source.push(branch, after) : undefined;
    if (push) found.push(push);
  }
  return found;
}

function stepsBy(pushes: readonly PushRecord[], sha: string): Step[] {
  const steps: Step[] = [];
  for (const push of pushes) {
    const step = toStep(push, sha);
    if (step) steps.push(step);
  }
  return steps;
}

/** Commits of a step's push that are ancestors of where it began, or that commit itself. */
export function ancestorsIn({ push, index }: Step): string[] {
  return index === push.shas.length - 1 ? push.shas : push.shas.slice(0, index + 1);
}

function isMerge(source: NotesSource, sha: string): boolean {
  return /^Merge /.test(source.commit(sha)?.message ?? '');
}

function toStep(push: PushRecord, sha: string): Step | undefined {
  const index = push.shas.lastIndexOf(sha);
  if (index === -1) return undefined;
  const known = push.before !== null && !push.forced && !push.gap;
  // Two walks that end in the same push still share what lies below it, unknown as that is.
  const below = known ? (push.before as string) : `below ${push.branch} ${push.after}`;
  return { push, index, below, known };
}
