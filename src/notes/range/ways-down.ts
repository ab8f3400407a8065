/**
 * The ways down from one commit: through which captured pushes its ancestors are reached. Where the ways lead when they are
 * followed is the matter of `history.ts`.
 */
import { headOfPart, isPartEnd } from '../../foundation/ids.ts';
import type { CommitRecord, PushRecord } from '../../protocol/stored.ts';
import { endsWithNumber, pullsOf } from './attribute.ts';
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
 * The ways down from a commit, or from the end of a part of a long push to `branch`. Where a push that ends there shows what
 * lies below, those that end there alone, since they are exact; else also those that end where the first push to list it
 * ended: later ones may have merged it beside commits that are not its ancestors.
 */
export function stepsDown(source: NotesSource, sha: string, branch?: string): Step[] {
  const ofPart: CommitRecord['pushes'] = branch !== undefined && isPartEnd(sha) ? [[branch, sha]] : [];
  const keys = source.commit(sha)?.pushes ?? ofPart;
  const exact = stepsBy(pushesAt(source, keys, sha), sha);
  if (exact.some(({ known }) => known)) return exact;
  return [...exact, ...stepsInside(source, keys, sha, exact.length > 0)];
}

/**
 * By pushes that list a commit before their end, unless what follows it there may have merged it.
 * @param isHead a push of unknown ground ends at the commit: a branch that was merged, unless pull requests alone follow
 */
function stepsInside(source: NotesSource, keys: CommitRecord['pushes'], sha: string, isHead: boolean): Step[] {
  const named = keys.flatMap(([branch, after]) => source.push(branch, after) ?? []);
  // Where a backfill knew better than a push that left commits out, the push is gone and its key is not.
  const listing = named.filter((push) => push.after !== sha && push.shas.includes(sha));
  const first = listing.reduce<PushRecord | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
  if (!first) return [];
  const steps = stepsBy(pushesAt(source, keys, first.after), sha);
  return steps.filter(({ push }) => !mayBeMerged(source, wholePush(source, push), sha, isHead));
}

/** Commits of the push that a push is a part of, or of itself; none where a part is missing. */
function wholePush(source: NotesSource, push: PushRecord): string[] {
  const parts: string[][] = [];
  let part = source.push(push.branch, headOfPart(push.after));
  let isFound = false;
  while (part) {
    parts.push(part.shas);
    isFound ||= part.after === push.after;
    const { before } = part;
    part = before !== null && isPartEnd(before) ? source.push(push.branch, before) : undefined;
    if (!part && before !== null && isPartEnd(before)) return [];
  }
  return isFound ? parts.reverse().flat() : [];
}

/**
 * Whether a commit after one may be a merge that brought it. Hosts can give a merge its pull request's title: then what it
 * brought stands before it and names no pull request.
 */
function mayBeMerged(source: NotesSource, shas: readonly string[], sha: string, isHead: boolean): boolean {
  const at = shas.lastIndexOf(sha);
  if (at === -1) return true;
  let brought = false;
  for (const [index, other] of shas.entries()) {
    const commit = source.commit(other);
    const message = commit?.message ?? '';
    const { pulls, merge } = pullsOf(source, other, commit);
    const isTitled = pulls.length > 0 && endsWithNumber(message);
    if (index > at && (merge || /^Merge /.test(message) || (isTitled && brought))) return true;
    if (index > at && isHead && pulls.length === 0) return true;
    brought ||= pulls.length === 0;
  }
  return false;
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

function toStep(push: PushRecord, sha: string): Step | undefined {
  const index = isPartEnd(sha) ? push.shas.length - 1 : push.shas.lastIndexOf(sha);
  if (index === -1) return undefined;
  const known = push.before !== null && !push.forced && !push.gap;
  // Two walks that end in the same push still share what lies below it, unknown as that is.
  const below = known ? (push.before as string) : `below ${push.branch} ${push.after}`;
  return { push, index, below, known };
}
