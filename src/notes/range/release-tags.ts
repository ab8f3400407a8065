/**
 * Reads the versions in tag names, and sorts the release tags of a repository. Other tags, such as a moving `v1` or
 * `latest`, are left out as soon as a tag contains a version.
 */
import type { SemVer } from 'semver';
import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';
import type { TagRecord } from '../../protocol/stored.ts';
import { isPrerelease } from './releases.ts';

/** A tag whose commit is known. */
export type PlacedTag = TagRecord & { sha: string };

/** The version in the name of a tag. */
export interface TagVersion {
  /** The text before the numbers: `v` in `v1.2.0`, `pkg@` in `pkg@1.2.0`. */
  prefix: string;
  version: SemVer;
  /** Whether the name has a third number: false for `v1.2`. */
  hasPatch: boolean;
}

/** The versions that a branch is named for: 1.2.x for `release-1.2`, all of 4 for `4.x`. */
export interface VersionLine {
  major: number;
  minor: number | undefined;
}

/** Which tags count as releases. */
export interface ReleaseChoice {
  /** Names of tags, with `*` for any text and `?` for any one character. Without it, all names match. */
  tagPattern?: string;
  prereleases?: boolean;
}

const form = /^(.*?)(?<![\d.])(\d{1,9})\.(\d{1,9})(\.\d{1,9})?(?![.\d]\d)((?:[-+_.]|(?=[a-z])).*)?$/is;

/** Returns the version in the name of a tag; undefined if the name contains none. Examples: `v1.2.0`, `pkg@1.2-rc.1`. */
export function versionOf(name: string): TagVersion | undefined {
  const [, prefix = '', major, minor, patch, rest = ''] = form.exec(name) ?? [];
  if (major === undefined) return undefined;
  const version = parse(`${major}.${minor}${patch ?? '.0'}${rest.replace(/^[._]/, '-')}`, { loose: true });
  return version ? { prefix, version, hasPatch: patch !== undefined } : undefined;
}

/**
 * Returns the release tags, the newest first: in the order of their versions, or by date if no tag contains a version.
 * A repository can have the tags of several packages. Then only the tags of one package are returned: those without a
 * name of a package, or else those of the package that was tagged last.
 */
export function releaseTags(tags: readonly TagRecord[], { tagPattern, prereleases }: ReleaseChoice = {}): PlacedTag[] {
  const chosen = tags.filter(({ name, sha }) => sha !== null && (tagPattern === undefined || fits(name, tagPattern)));
  const versions = new Map(chosen.map((tag) => [tag, versionOf(tag.name)]));
  const wanted = chosen.filter((tag) => prereleases || !isBeforeRelease(tag.name, versions.get(tag)));
  const versioned = wanted.filter((tag) => versions.get(tag));
  const found = versioned.length > 0 ? samePackage(versioned, versions) : wanted;
  return (found as PlacedTag[]).sort((a, b) => {
    const [one, other] = [versions.get(a)?.version, versions.get(b)?.version];
    return (one && other ? compare(other, one) : 0) || newestFirst(a, b);
  });
}

const lineForm =
  /^(?:(?:releases?|rel|stable|maint|maintenance|support|version|branch)[-_/])?v?(\d{1,9})(?:[._](\d{1,9}))?(?:[._]x)?(?:[-_.]stable)?$/i;

/** Returns the versions that a branch is named for, as in `release-1.2`, `4.x` or `REL_15_STABLE`; undefined if none. */
export function lineOfBranch(branch: string | null): VersionLine | undefined {
  const [, major, minor] = lineForm.exec(branch ?? '') ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: minor === undefined ? minor : Number(minor) };
}

/** Returns a negative number if a version is below a line, 0 if the line contains it, and a positive number otherwise. */
export function compareToLine({ major, minor }: SemVer, line: VersionLine): number {
  return major - line.major || (line.minor === undefined ? 0 : minor - line.minor);
}

function isBeforeRelease(name: string, version: TagVersion | undefined): boolean {
  return version ? version.version.prerelease.length > 0 : isPrerelease(name);
}

function samePackage(tags: readonly TagRecord[], versions: ReadonlyMap<TagRecord, TagVersion | undefined>) {
  const packageOf = (tag: TagRecord) => versions.get(tag)?.prefix.replace(/v$/i, '') ?? '';
  const unnamed = tags.filter((tag) => packageOf(tag) === '');
  if (unnamed.length > 0) return unnamed;
  const [latest] = [...tags].sort(newestFirst);
  return tags.filter((tag) => latest && packageOf(tag) === packageOf(latest));
}

/** Compares by date. If two tags have the same date, the one that was pushed later comes first. */
export function newestFirst(a: TagRecord, b: TagRecord): number {
  return (b.date ?? b.pushedAt) - (a.date ?? a.pushedAt) || b.pushedAt - a.pushedAt || (a.name > b.name ? -1 : 1);
}

/** Whether a tag has a higher version than another tag. Without two different versions, the dates decide. */
export function isNewer(tag: TagRecord, other: TagRecord): boolean {
  const [one, two] = [versionOf(tag.name), versionOf(other.name)];
  return ((one && two ? compare(one.version, two.version) : 0) || newestFirst(other, tag)) > 0;
}

/**
 * Whether a name matches a pattern. After a mismatch, the last `*` takes one more character, so the time grows with the
 * product of both lengths at most.
 */
export function fits(name: string, pattern: string): boolean {
  let [at, from] = [0, 0];
  let [star, retry] = [-1, 0];
  while (at < name.length) {
    const wanted = pattern[from];
    if (wanted === '*') {
      [star, retry] = [from, at];
      from += 1;
    } else if (wanted === '?' || wanted === name[at]) {
      at += 1;
      from += 1;
    } else if (star !== -1) {
      retry += 1;
      [at, from] = [retry, star + 1];
    } else return false;
  }
  while (pattern[from] === '*') from += 1;
  return from === pattern.length;
}
