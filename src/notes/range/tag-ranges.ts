/**
 * Finds the range that ends at a tag, and the ranges of the newest tags. Such a range begins at the previous release of
 * the same line of development, so that a patch line and the main line do not mix.
 */
import type { ReachedBounds, TagRecord } from '../../protocol/stored.ts';
import { madeAt, newestRelease } from './ends.ts';
import { isNewer, newestFirst, type PlacedTag, releaseTags, versionOf } from './release-tags.ts';
import { isPrerelease } from './releases.ts';
import type { NotesSource } from './source.ts';
import { branchOf } from './window.ts';

/** The bounds of a range between two tags. */
export interface TagRange {
  fromTag: string;
  toTag: string;
}

/** Maximum number of tags to examine as the end of a range. */
const maxEnds = 40;
/** Maximum number of releases to examine as the beginning of one range. */
const maxBeginnings = 100;

/**
 * Returns the ranges of the newest tags, the newest range first. A tag without a previous release is not the end of a
 * range. Tags whose commit is not known are left out.
 * @param count maximum number of ranges
 */
export function lastTagRanges(source: NotesSource, count: number): TagRange[] {
  const ranges: TagRange[] = [];
  for (const { name } of onePerCommit(source.tags()).slice(0, maxEnds)) {
    if (ranges.length >= count) break;
    const bounds = rangeOfTag(source, name);
    if (bounds?.type === 'TAG_BASED') ranges.push({ fromTag: bounds.fromTag, toTag: bounds.toTag });
  }
  return ranges;
}

/**
 * Returns the bounds of the range that ends at a tag and begins at the previous release: a first release if there is
 * none. The previous release is the one at which an unreleased range would begin if the tag were the head of its
 * branch. Only tags of the same package count, and prereleases count only if the tag is one. Example: the range of
 * `pkg@1.1.0` begins at `pkg@1.0.0`, not at `pkg@1.1.0-rc.1` or `other@3.0.0`.
 * @returns undefined if the tag or its commit is not known
 */
export function rangeOfTag(source: NotesSource, name: string): ReachedBounds | undefined {
  const found = source.tag(name);
  if (!found || found.sha === null) return undefined;
  const tag = { ...found, sha: found.sha, baseRef: branchOf(source, found) };
  // Tags without a version count before the first version: `releaseTags` leaves them out as soon as there is a version.
  const packages = packageOf(name) === '' ? ['', null] : [packageOf(name)];
  const isCandidate = (other: TagRecord): boolean =>
    other.sha !== tag.sha && packages.includes(packageOf(other.name)) && !isNewer(other, tag);
  const candidates = onePerCommit(source.tags().filter(isCandidate));
  const releases = releaseTags(candidates, { prereleases: isPrerelease(name) }).slice(0, maxBeginnings);
  const at = madeAt(source, tag);
  const from = newestRelease(source, { ...tag, pushedAt: at }, releases, at);
  return from ? { type: 'TAG_BASED', fromTag: from.name, toTag: name } : { type: 'FIRST_RELEASE', toTag: name };
}

/** Returns the name of the package in the name of a tag; null if the tag has no version. */
function packageOf(name: string): string | null {
  return versionOf(name)?.prefix.replace(/v$/i, '') ?? null;
}

/**
 * Returns one tag for each tagged commit, the newest tag first. A repository of many packages tags one commit many
 * times, and a range between two of these tags is empty. A final release is preferred to a prerelease, and the name
 * with more numbers to a moving tag: `v1.2.0` to `v1` and `latest`.
 */
function onePerCommit(tags: readonly TagRecord[]): PlacedTag[] {
  const byCommit = new Map<string, PlacedTag>();
  for (const tag of tags) {
    if (tag.sha === null) continue;
    const known = byCommit.get(tag.sha);
    const placed = { ...tag, sha: tag.sha };
    if (!known || byPreference(placed, known) < 0) byCommit.set(tag.sha, placed);
  }
  return [...byCommit.values()].sort(newestFirst);
}

function byPreference(a: PlacedTag, b: PlacedTag): number {
  if (isPrerelease(a.name) !== isPrerelease(b.name)) return isPrerelease(a.name) ? 1 : -1;
  return numbersIn(b.name) - numbersIn(a.name) || newestFirst(a, b);
}

/** Returns how many numbers the version in a name has: 3 for `v1.2.0`, 0 for `latest`. */
function numbersIn(name: string): number {
  return /\d+(?:\.\d+)*/.exec(name)?.[0].split('.').length ?? 0;
}
