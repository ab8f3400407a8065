/**
 * Finds what earlier releases already contained: the tag that first shipped a pull request, and the changes of a range
 * that the release at its start already contained. That release can contain a change under another number or as another
 * commit. If captured pushes do not show that a release contains a change, the change is treated as not released.
 */
import type { PullRecord } from '../../protocol/stored.ts';
import { originalsOf } from './backports.ts';
import { commitsBetween } from './history.ts';
import { settleReverts } from './reverts.ts';
import type { Selection } from './select.ts';
import type { NotesSource } from './source.ts';

/** Maximum number of tags to examine. A repository of many packages tags one commit many times. */
const maxTags = 40;
const prerelease = /\d-?(?:alpha|beta|rc|pre|preview|dev|next|canary|nightly|snapshot)\b|\d-(?=[a-z0-9])/i;

/** Whether the name of a tag is that of a prerelease, such as `v1.2.0-rc.1`. */
export function isPrerelease(name: string): boolean {
  return prerelease.test(name);
}

/**
 * Returns the earliest tag older than `until` (milliseconds) that contains the given merged pull request. A final
 * release is preferred to a prerelease. Returns undefined if no such tag exists.
 */
export function shippedIn(source: NotesSource, pull: PullRecord, until: number): string | undefined {
  const { mergeSha, mergedAt } = pull;
  if (mergeSha === null || mergedAt === null) return undefined;
  const candidates = source
    .tags()
    .map((tag) => ({ name: tag.name, sha: tag.sha, at: tag.date ?? tag.pushedAt }))
    // The tag on the merge commit itself is found by sha, not by date. The tag's date is the date of the commit, and
    // the host records the merge a little later.
    .filter(({ sha, at }) => sha === mergeSha || (at >= mergedAt && at < until))
    .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1))
    .slice(0, maxTags);
  const holds = ({ sha }: { sha: string | null }): boolean =>
    sha !== null && commitsBetween(source, mergeSha, sha)?.diverged === false;
  const finals = candidates.filter(({ name }) => !isPrerelease(name));
  return (finals.find(holds) ?? candidates.find(holds))?.name;
}

/**
 * Returns the numbers of changes that the tag at the beginning of a range already contained. Only a range between tags
 * has such changes. Such a change was released under another number or by another commit. A change that was shipped,
 * reverted and then merged again is treated as new.
 */
export function shippedBefore(source: NotesSource, selection: Selection): Set<number> {
  const from = selection.ends?.from?.sha ?? null;
  if (selection.resolution === 'window' || from === null) return new Set();
  const { cancelled } = settleReverts(source, selection.lost, true);
  const lost = selection.lost.filter((pull) => !cancelled.has(pull.number));
  const known = new Set(lost.flatMap((pull) => [pull, ...originalsOf(source, pull)].map(({ number }) => number)));
  for (const number of carriedBefore(source, from, selection)) known.add(number);
  return known;
}

/**
 * Returns the numbers of originals that were already released and whose backport is in the range. Either `from`
 * contains the original, or `from` contains an earlier backport of the original to the same branch.
 */
function carriedBefore(source: NotesSource, from: string, { pulls }: Selection): number[] {
  const pairs: { backport: PullRecord; original: PullRecord }[] = [];
  for (const backport of pulls) {
    for (const original of originalsOf(source, backport)) pairs.push({ backport, original });
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

/**
 * For each given backport, finds an earlier backport of the same original pull request to the same branch. Backports in
 * the range and reverted backports are left out.
 */
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
    for (const { number } of originalsOf(source, pull)) {
      const key = `${pull.baseRef} ${number}`;
      if (wanted.has(key)) found.set(key, pull);
    }
  }
  return found;
}

function isIn(source: NotesSource, mergeSha: string | null, head: string): boolean {
  return mergeSha !== null && commitsBetween(source, mergeSha, head)?.diverged === false;
}
