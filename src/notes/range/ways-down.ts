/**
 * Finds the steps down from one commit: the captured pushes through which its ancestors are reached. `history.ts`
 * follows these steps.
 */
import { headOfPart, isPartEnd } from '../../foundation/ids.ts';
import type { CommitRecord, PushRecord } from '../../protocol/stored.ts';
import { endsWithNumber, pullsOf } from './attribute.ts';
import type { NotesSource } from './source.ts';

/**
 * One step from a commit down to its ancestors, through a push that lists the commit at `index`. All commits of the
 * push before `index` are ancestors of the commit. `below` is the branch's head before the push, or a made-up name if
 * `known` is false.
 */
export interface Step {
  push: PushRecord;
  index: number;
  below: string;
  /**
   * False if the ancestors of the push's first commit are unknown (new branch, force push, commits left out by the
   * host).
   */
  known: boolean;
  /** True if the step is only assumed. See `assumedSteps`. */
  assumed?: true;
}

/**
 * Returns the steps down from the commit `sha`. `sha` can also be the id at which one part of a long push to `branch`
 * ends (`partEnd` in `src/foundation/ids.ts`).
 *
 * A push is called exact here if it ends at the commit, and inexact if it lists the commit but ends at a later commit.
 * If an exact push leads to the ancestors of the commit, only exact pushes are used. Otherwise, the oldest inexact push
 * is also used, together with every push that ends at the same commit as the oldest inexact push.
 *
 * Other inexact pushes are newer and are not used. Such a push may list the commit only because a merge brought it in.
 * Then the push also lists commits that are not ancestors of the commit.
 */
export function stepsDown(source: NotesSource, sha: string, branch?: string): Step[] {
  const ofPart: CommitRecord['pushes'] = branch !== undefined && isPartEnd(sha) ? [[branch, sha]] : [];
  const keys = source.commit(sha)?.pushes ?? ofPart;
  const exact = stepsBy(pushesAt(source, keys, sha), sha);
  if (exact.some(({ known }) => known)) return exact;
  return [...exact, ...stepsInside(source, keys, sha, exact.length > 0)];
}

/**
 * Returns the steps through pushes that list the commit `sha` but end at a later commit. A push is left out if it also
 * lists a later commit that may be a merge of `sha`.
 * @param isHead true if another push ends at `sha` but does not lead to the ancestors of `sha`. Then `sha` may be the
 *   head of a merged branch. In this case, a push is used only if all its commits after `sha` belong to pull requests
 */
function stepsInside(source: NotesSource, keys: CommitRecord['pushes'], sha: string, isHead: boolean): Step[] {
  const steps = oldestInside(source, keys, sha);
  return steps.filter(({ push }) => !mayBeMerged(source, wholePush(source, push), sha, isHead));
}

/**
 * Returns the steps from the commit `sha` that are assumed although a later commit of the push may have merged `sha`.
 * The commit is assumed to descend from the head of the branch before the push. Example: a push from A lists C and its
 * merge M. The branch of C usually began at A or shortly before. A push with a merge before `sha` is not used, because
 * the merge and `sha` are then probably on different lines. If A is newer than C, C does not descend from A.
 */
export function assumedSteps(source: NotesSource, sha: string): Step[] {
  const steps = oldestInside(source, source.commit(sha)?.pushes ?? [], sha);
  const assumed: Step[] = [];
  for (const step of steps) {
    const shas = wholePush(source, step.push);
    const at = shas.lastIndexOf(sha);
    const isFree = at !== -1 && marks(source, shas.slice(0, at)).every(({ merge }) => !merge);
    if (step.known && isFree && !isOlder(source, sha, firstPart(source, step.push)?.before)) {
      assumed.push({ ...step, assumed: true });
    }
  }
  return assumed;
}

/** Whether a commit is older than another one by the dates of both. */
function isOlder(source: NotesSource, sha: string, other: string | null | undefined): boolean {
  const [at, otherAt] = [source.commit(sha)?.at, other == null ? undefined : source.commit(other)?.at];
  return at != null && otherAt != null && at < otherAt;
}

/** Returns the first part of the push to which the record `push` belongs. Returns undefined if a part is missing. */
function firstPart(source: NotesSource, push: PushRecord): PushRecord | undefined {
  let part: PushRecord | undefined = push;
  while (part?.before != null && isPartEnd(part.before)) part = source.push(part.branch, part.before);
  return part;
}

/**
 * Returns the steps through the oldest push that lists the commit `sha` but ends at a later commit, and through every
 * push that ends at the same commit as this push.
 */
function oldestInside(source: NotesSource, keys: CommitRecord['pushes'], sha: string): Step[] {
  const named = keys.flatMap(([branch, after]) => source.push(branch, after) ?? []);
  // A backfill can replace a push that the host sent with an incomplete list of commits. The replacement can list other
  // commits. So a commit can name a push that does not list the commit.
  const listing = named.filter((push) => push.after !== sha && push.shas.includes(sha));
  const first = listing.reduce<PushRecord | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined);
  return first ? stepsBy(pushesAt(source, keys, first.after), sha) : [];
}

/**
 * A long push is stored in parts. Returns the commits of all parts of the push to which the record `push` belongs. The
 * result is empty if a part is missing.
 */
export function wholePush(source: NotesSource, push: PushRecord): string[] {
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
 * Whether a later commit of the push may be the merge that contains the commit `sha`. The subject of most merges shows
 * that they are merges. But hosts can give a merge the title of its pull request. Such a merge is recognized by the
 * commits before it that name no pull request.
 */
function mayBeMerged(source: NotesSource, shas: readonly string[], sha: string, isHead: boolean): boolean {
  const at = shas.lastIndexOf(sha);
  if (at === -1) return true;
  const later = marks(source, shas).slice(at + 1);
  return later.some(({ merge, hasPull }) => merge || (isHead && !hasPull));
}

/** Returns for each commit of a push whether it may be a merge, and whether it names a merged pull request. */
function marks(source: NotesSource, shas: readonly string[]): { merge: boolean; hasPull: boolean }[] {
  let brought = false;
  return shas.map((sha) => {
    const commit = source.commit(sha);
    const message = commit?.message ?? '';
    const { pulls, merge } = pullsOf(source, sha, commit);
    const hasPull = pulls.length > 0;
    const isTitled = hasPull && brought && endsWithNumber(message);
    brought ||= !hasPull;
    return { merge: merge || /^Merge /.test(message) || isTitled, hasPull };
  });
}

/** Reads the pushes with the given keys. Returns only the pushes that end at `head`. */
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

/** Returns the commit that a step starts from, and those ancestors of this commit that are in the same push. */
export function ancestorsIn({ push, index }: Step): string[] {
  return index === push.shas.length - 1 ? push.shas : push.shas.slice(0, index + 1);
}

function toStep(push: PushRecord, sha: string): Step | undefined {
  const index = isPartEnd(sha) ? push.shas.length - 1 : push.shas.lastIndexOf(sha);
  if (index === -1) return undefined;
  const known = push.before !== null && !push.forced && !push.gap;
  // If the commit below a push is unknown, a name that is made from the push replaces the commit's sha. Every walk that
  // ends at this push uses the same name.
  const below = known ? (push.before as string) : `below ${push.branch} ${push.after}`;
  return { push, index, below, known };
}
