/**
 * Tells what earlier releases already had: the tag that first shipped a pull request, and which changes of a range the release
 * it counts from, or its line, brought before. Decides nothing where captured pushes do not tell.
 */
import type { PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { originalOf } from './backports.ts';
import { commitsBetween } from './history.ts';
import { settleReverts } from './reverts.ts';
import type { Selection } from './select.ts';
import type { NotesSource } from './source.ts';

/** Tags looked at before giving up; a repository of many packages tags one commit many times. */
const mostTags = 40;
const prerelease = /\d-?(?:alpha|beta|rc|pre|preview|dev|next|canary|nightly|snapshot)\b|\d-(?=[a-z0-9])/i;

/** The first tag made before `until` that holds a merged pull request, a final release before any other; undefined for none. */
export function shippedIn(source: NotesSource, pull: PullRecord, until: number): string | undefined {
  const { mergeSha, mergedAt } = pull;
  if (mergeSha === null || mergedAt === null) return undefined;
  const candidates = source
    .tags()
    .map((tag) => ({ name: tag.name, sha: tag.sha, at: tag.date ?? tag.pushedAt }))
    // A tag carries the date of its commit, and a merge is noted a little after the commit it makes.
    .filter(({ sha, at }) => sha === mergeSha || (at >= mergedAt && at < until))
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .slice(0, mostTags);
  const holds = ({ sha }: { sha: string | null }): boolean =>
    sha !== null && commitsBetween(source, mergeSha, sha)?.diverged === false;
  const finals = candidates.filter(({ name }) => !prerelease.test(name));
  return (finals.find(holds) ?? candidates.find(holds))?.name;
}

/**
 * Pull requests of a range between tags that `fromTag` already had under another number or by another commit, by the number
 * of the change they carry. What was shipped, taken back and carried again is new.
 */
export function shippedBefore(source: NotesSource, { fromTag = '' }: RangeBounds, selection: Selection): Set<number> {
  const from = source.tag(fromTag)?.sha ?? null;
  if (selection.resolution === 'window' || from === null) return new Set();
  const { cancelled } = settleReverts(source, selection.lost, true);
  const lost = selection.lost.filter((pull) => !cancelled.has(pull.number));
  const known = new Set(lost.flatMap((pull) => [pull.number, originalOf(source, pull)?.number ?? pull.number]));
  for (const number of carriedBefore(source, from, selection)) known.add(number);
  return known;
}

/** Originals whose backport the range holds, and which were reachable from `from`, or came to its branch by an earlier backport. */
function carriedBefore(source: NotesSource, from: string, { pulls }: Selection): number[] {
  const pairs: { backport: PullRecord; original: PullRecord }[] = [];
  for (const backport of pulls) {
    const original = originalOf(source, backport);
    if (original) pairs.push({ backport, original });
  }
  if (pairs.length === 0) return [];
  const inRange = new Set(pulls.map(({ number }) => number));
  const carried = pairs.filter(({ original }) => !inRange.has(original.number));
  if (carried.length === 0) return [];
  const earlier = earlierBackports(source, carried, inRange);
  return carried
    .filter(({ backport, original }) => {
      const before = earlier.get(`${backport.baseRef} ${original.number}`);
      return [original, ...(before ? [before] : [])].some(({ mergeSha }) => isIn(source, mergeSha, from));
    })
    .map(({ original }) => original.number);
}

/** Backports outside the range to the same branches, of the same originals, that still stood when the range began. */
function earlierBackports(
  source: NotesSource,
  carried: readonly { backport: PullRecord; original: PullRecord }[],
  inRange: ReadonlySet<number>,
): Map<string, PullRecord> {
  const wanted = new Set(carried.map(({ backport, original }) => `${backport.baseRef} ${original.number}`));
  const branches = new Set(carried.map(({ backport }) => backport.baseRef));
  const start = Math.min(...carried.map(({ original }) => original.mergedAt ?? 0));
  const end = Math.max(...carried.map(({ backport }) => backport.mergedAt ?? 0));
  const onBranch = [...source.pullsMergedBetween(start, end)].filter((pull) => branches.has(pull.baseRef));
  const { cancelled } = settleReverts(source, onBranch, false);
  const found = new Map<string, PullRecord>();
  for (const pull of onBranch) {
    if (inRange.has(pull.number) || cancelled.has(pull.number)) continue;
    const key = `${pull.baseRef} ${originalOf(source, pull)?.number}`;
    if (wanted.has(key)) found.set(key, pull);
  }
  return found;
}

function isIn(source: NotesSource, mergeSha: string | null, head: string): boolean {
  return mergeSha !== null && commitsBetween(source, mergeSha, head)?.diverged === false;
}
