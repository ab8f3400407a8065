/**
 * Finds ranges between consecutive tags: each of the newest tags with its previous tag, or the range that ends at a
 * given tag. The previous tag is on the same line of development, so that a patch line and the main line do not mix.
 */
import type { ReachedBounds, TagRecord } from '../../protocol/stored.ts';
import { reportedAncestry } from './evidence.ts';
import { nearestBelow } from './history.ts';
import { newestFirst, type PlacedTag, versionOf } from './release-tags.ts';
import { isPrerelease } from './releases.ts';
import type { NotesSource } from './source.ts';
import { branchOf } from './window.ts';

/** The bounds of a range between two tags. */
export interface TagRange {
  fromTag: string;
  toTag: string;
}

/** Maximum number of tags to examine, as the end of a range and as the previous tag of one tag. */
const maxExamined = 40;

/**
 * Returns the last ranges between consecutive tags, the newest range first. A tag without a previous tag is not the end
 * of a range. Tags whose commit is not known are left out, and prereleases count like other tags.
 * @param count maximum number of ranges
 */
export function lastTagRanges(source: NotesSource, count: number): TagRange[] {
  const tags = onePerCommit(source.tags());
  const ranges: TagRange[] = [];
  for (const to of tags.slice(0, maxExamined)) {
    if (ranges.length >= count) break;
    const from = previousTag(source, to, tags);
    if (from) ranges.push({ fromTag: from.name, toTag: to.name });
  }
  return ranges;
}

/**
 * Returns the bounds of the range that ends at a tag and begins at the previous release: a first release if there is
 * none. Only tags of the same package count, and prereleases count only if the tag is one. Example: the range of
 * `pkg@1.1.0` begins at `pkg@1.0.0`, not at `pkg@1.1.0-rc.1` or `other@3.0.0`.
 * @returns undefined if the tag or its commit is not known
 */
export function rangeOfTag(source: NotesSource, name: string): ReachedBounds | undefined {
  const tag = source.tag(name);
  if (!tag || tag.sha === null) return undefined;
  const to = { ...tag, sha: tag.sha };
  const isCandidate = (other: TagRecord): boolean =>
    other.sha !== to.sha &&
    packageOf(other.name) === packageOf(name) &&
    (isPrerelease(name) || !isPrerelease(other.name));
  const tags = [...onePerCommit(source.tags().filter(isCandidate)), to].sort(newestFirst);
  const from = previousTag(source, to, tags);
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
  const numbers = (tag: PlacedTag): number => versionIn(tag.name)?.numbers.length ?? 0;
  return Number(isPrerelease(a.name)) - Number(isPrerelease(b.name)) || numbers(b) - numbers(a) || newestFirst(a, b);
}

/**
 * Returns the previous tag of a tag: its nearest ancestor, as the host's comparisons or captured pushes show it. If no
 * ancestor is known, dates decide: the newest older tag on the same branch, otherwise the newest older tag. Two kinds
 * of tags are left out then: tags that are no ancestors by the host's comparison, and tags with a higher version.
 * Example: `v1.3.0` is not on the line of `v1.2.1`.
 */
function previousTag(source: NotesSource, to: PlacedTag, tags: readonly PlacedTag[]): PlacedTag | undefined {
  const others = new Set(tags.map(({ sha }) => sha));
  others.delete(to.sha);
  const below = nearestBelow(source, to.sha, others);
  const start = tags.indexOf(to) + 1;
  const older = tags.slice(start, start + maxExamined);
  const ancestry = new Map(older.map((tag) => [tag, reportedAncestry(source, tag.sha, to.sha)]));
  const [ancestor] = [tags.find(({ sha }) => sha === below), older.find((tag) => ancestry.get(tag) === 'ahead')]
    .filter((tag) => tag !== undefined)
    .sort(newestFirst);
  if (ancestor) return ancestor;
  const possible = older.filter((tag) => ancestry.get(tag) === undefined && !hasHigherVersion(tag.name, to.name));
  const branch = branchOf(source, to);
  return possible.find((tag) => branchOf(source, tag) === branch) ?? possible[0];
}

/** Whether two names differ in their version only, and the version of `name` is higher than that of `other`. */
function hasHigherVersion(name: string, other: string): boolean {
  const [one, two] = [versionIn(name), versionIn(other)];
  if (!one || !two || one.prefix !== two.prefix) return false;
  for (let i = 0; i < Math.max(one.numbers.length, two.numbers.length); i++) {
    const difference = (one.numbers[i] ?? 0) - (two.numbers[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function versionIn(name: string): { prefix: string; numbers: number[] } | undefined {
  const at = name.search(/\d/);
  if (at === -1) return undefined;
  const [numbers = ''] = /^\d+(?:\.\d+)*/.exec(name.slice(at)) ?? [];
  return { prefix: name.slice(0, at), numbers: numbers.split('.').map(Number) };
}
