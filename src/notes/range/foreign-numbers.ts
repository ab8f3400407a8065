/**
 * Recognizes commits whose subject names a pull request of another repository. Commits of a fork or of its upstream keep
 * their subjects when they are merged here: `Fix it (#12)` then means #12 of the other repository. Hosts count pull
 * requests upwards, so a number far below all numbers of its time is not one of ours.
 */
import { dayMs } from '../../foundation/days.ts';
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { branchNow } from './branches.ts';
import type { NotesSource } from './source.ts';

/**
 * A number is far below others if it is less than a tenth of the lowest of them. Numbers below 1000 are never far apart:
 * a young repository reaches them within weeks, so #9 and #100 can be of the same time.
 */
const factor = 10;
const lowestApart = 1000;
/** Numbers of a time are those of the pull requests merged in this period and in the one before. */
const periodMs = 30 * dayMs;
/** A cherry-pick within this time of the merge is not doubted. */
const longMs = 90 * dayMs;

/** The facts that were read of a source: the lowest number merged in each period, and the times of pushes. */
interface Known {
  lowest: Map<number, number>;
  pushedAt: Map<string, number | undefined>;
}

/** A source shows one state, so the values that were read stay true as long as the source is used. */
const known = new WeakMap<NotesSource, Known>();

/**
 * Whether the number that a commit names belongs to another repository.
 * @param text words of the commit that describe its change, without the number
 * @param named our pull request with this number, which has another merge commit; undefined if it is not captured
 */
export function isForeign(
  source: NotesSource,
  commit: CommitRecord,
  number: number,
  text: string,
  named: PullRecord | undefined,
): boolean {
  if (named && (shareWords(text, named.title) || !isOnSameBranch(source, commit, named))) return false;
  // A cherry-pick, a backport or a revert names an old change on purpose.
  if (/cherry[- ]?pick|back-?port|revert/i.test(commit.message)) return false;
  const at = pushedAt(source, commit);
  if (at === undefined) return false;
  if (named && (named.mergeSha === null || named.mergedAt === null || at - named.mergedAt < longMs)) return false;
  const lowest = lowestAround(source, at);
  return lowest >= lowestApart && number * factor < lowest;
}

/** Whether two texts share at least half of the words of the shorter one. A text without words shares all of them. */
function shareWords(one: string, other: string): boolean {
  if (one.includes(other)) return true;
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const [few, many] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const word of few) if (many.has(word)) shared += 1;
  return shared * 2 >= few.size;
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu));
}

/** Whether a commit was pushed to the branch into which a pull request was merged. On another branch it is a pick. */
function isOnSameBranch(source: NotesSource, { pushes }: CommitRecord, { baseRef, mergedAt }: PullRecord): boolean {
  const base = branchNow(source, baseRef, mergedAt ?? 0);
  return pushes.some(([branch]) => branch === baseRef || branch === base);
}

/** Returns the time of the first push that listed a commit. Without a captured push, returns the commit's own time. */
function pushedAt(source: NotesSource, { pushes, at }: CommitRecord): number | undefined {
  const times = pushes.flatMap(([branch, after]) => timeOfPush(source, branch, after) ?? []);
  return times.length > 0 ? Math.min(...times) : (at ?? undefined);
}

function timeOfPush(source: NotesSource, branch: string, after: string): number | undefined {
  const { pushedAt: times } = knownOf(source);
  const key = `${branch} ${after}`;
  if (!times.has(key)) times.set(key, source.push(branch, after)?.at);
  return times.get(key);
}

/** Returns the lowest number of the pull requests that were merged around a time; 0 if none is captured. */
function lowestAround(source: NotesSource, at: number): number {
  const period = Math.floor(at / periodMs);
  const lowest = Math.min(lowestIn(source, period - 1), lowestIn(source, period));
  return Number.isFinite(lowest) ? lowest : 0;
}

function lowestIn(source: NotesSource, period: number): number {
  const { lowest } = knownOf(source);
  let found = lowest.get(period);
  if (found === undefined) {
    found = Number.POSITIVE_INFINITY;
    for (const { number } of source.pullsMergedBetween(period * periodMs, (period + 1) * periodMs)) {
      found = Math.min(found, number);
    }
    lowest.set(period, found);
  }
  return found;
}

function knownOf(source: NotesSource): Known {
  const found = known.get(source) ?? { lowest: new Map(), pushedAt: new Map() };
  known.set(source, found);
  return found;
}
