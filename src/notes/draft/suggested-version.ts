/**
 * Suggests a version for the next release: the last version, raised by the strongest change since then. The version
 * follows semantic versioning, and keeps the form of the repository's tags.
 */
import SemVer from 'semver/classes/semver.js';
import compare from 'semver/functions/compare.js';
import type { Bump, SuggestedVersion } from '../../protocol/notes.ts';
import { plainWords } from '../change/labels.ts';
import { once } from '../range/caching-source.ts';
import { endsOf, highestBelow } from '../range/ends.ts';
import { compareToLine, lineOfBranch, type TagVersion, type VersionLine, versionOf } from '../range/release-tags.ts';
import { type Entry, shipped, withJoined } from './entries.ts';
import type { Notes } from './gather.ts';

type Raise = Exclude<Bump, 'none'>;
type Reason = SuggestedVersion['because'][number];

/** What one change asks for. */
export interface Demand {
  bump: Bump;
  reason: Reason;
}

/** Maximum number of changes that are named as reasons. */
export const maxReasons = 20;
/** Bumps from the weakest to the strongest. */
const strength: readonly Bump[] = ['none', 'patch', 'minor', 'major'];
/** The version of a first release. Its public interface may still change, so it begins with 0. */
const firstVersion = '0.1.0';
/** Matches labels that force a bump: `semver: minor`, `release-major`, `bump/patch`. */
const forcing = /^(?:semver|release|version|bump) (major|minor|patch|none)$/;

/** Suggests a version. The bump is how the suggested version differs from the last one. */
export function suggestVersion(notes: Notes): SuggestedVersion {
  const { bump: forced } = notes.source.settings.nextVersion;
  const { pulls, commitsWithoutPull } = notes.selection;
  if (pulls.length + commitsWithoutPull.length === 0) return { version: null, bump: 'none', because: [] };
  if (forced !== 'auto') return { ...raised(lastVersionOf(notes), forced), because: [{ kind: 'setting' }] };
  const { entries, others } = demandsOf(notes);
  const demands = [...entries.flatMap(({ demands }) => demands), ...others];
  // Changes that have no entry, such as the preparation of a release, are worth a patch.
  const wanted = demands.length === 0 ? 'patch' : demands.map(({ bump }) => bump).reduce(stronger);
  if (wanted === 'none') return { version: null, bump: 'none', because: [] };
  const because: Reason[] = [];
  for (const { bump, reason } of demands) {
    if (bump === wanted) because.push(reason);
    if (because.length === maxReasons) break;
  }
  return { ...raised(lastVersionOf(notes), wanted), because };
}

/** Returns the stronger of two bumps. */
export function stronger(one: Bump, other: Bump): Bump {
  return strength.indexOf(other) > strength.indexOf(one) ? other : one;
}

/** Returns what the changes ask for: each entry with the entries that are shown in it, then all other changes. */
export function demandsOf({ source, entries, updates, reverted, insideCommits }: Notes): {
  entries: { entry: Entry; demands: Demand[] }[];
  others: Demand[];
} {
  const { labels } = source.settings.nextVersion;
  const own = new Map(Object.entries(labels).map(([label, bump]) => [plainWords(label), bump]));
  // Many changes have the same few labels.
  const ofLabel = once((label: string): Bump | undefined => {
    const words = plainWords(label);
    return own.get(words) ?? (forcing.exec(words)?.[1] as Bump | undefined);
  });
  const others = [
    ...updates.flatMap(({ pulls }) => pulls.map(({ number }) => patch({ number, kind: 'dependency' }))),
    ...reverted.map(({ pull }) => patch({ number: pull.number, kind: 'revert' })),
    ...insideCommits.map(({ sha }) => patch({ sha, kind: 'other' })),
  ];
  const demandsIn = (entry: Entry) => withJoined(entry).map((each) => demandOf(each, ofLabel));
  return { entries: entries.map((entry) => ({ entry, demands: demandsIn(entry) })), others };
}

function patch(reason: Reason): Demand {
  return { bump: 'patch', reason };
}

/** Returns what a change asks for. A label that names a bump is stronger than the kind of the change. */
function demandOf(entry: Entry, ofLabel: (label: string) => Bump | undefined): Demand {
  const { breaking, section, record, commit } = entry;
  const [pull] = shipped(entry);
  const id = pull ? { number: pull.number } : { sha: commit?.sha ?? '' };
  const forced = [...record.labels, ...(pull?.labels ?? [])].flatMap((label) => ofLabel(label) ?? []);
  if (forced.length > 0) return { bump: forced.reduce(stronger), reason: { ...id, kind: 'label' } };
  if (breaking) return { bump: 'major', reason: { ...id, kind: 'breaking' } };
  return { bump: section === 'feature' ? 'minor' : 'patch', reason: { ...id, kind: section } };
}

/** The version that a suggestion begins with. */
export interface LastVersion {
  last: TagVersion | undefined;
  /** The suggested version if there is no last one. */
  first: string | null;
  /** The highest version that the branch contains. */
  floor: SemVer | undefined;
  /** The branch's own versions, if it is a branch for certain versions. */
  line: VersionLine | undefined;
  /** Names of the existing tags. */
  taken: ReadonlySet<string>;
}

/** Returns the version that the suggestion for a range begins with. */
export function lastVersionOf({
  source,
  bounds,
  selection,
}: Pick<Notes, 'source' | 'bounds' | 'selection'>): LastVersion {
  const ends = selection.ends ?? endsOf(source, { type: 'UNRELEASED' });
  const last = ends?.from ? versionOf(ends.from.name) : undefined;
  const taken = new Set(source.tags().map(({ name }) => name));
  const first = taken.size === 0 ? firstName(bounds.tagPattern) : null;
  if (!last) return { last, first, floor: undefined, line: undefined, taken };
  const highest = bounds.type === 'UNRELEASED' && ends ? highestBelow(source, bounds, ends.to) : undefined;
  const line = bounds.type === 'UNRELEASED' ? lineOfBranch(ends?.to.baseRef ?? null) : undefined;
  return { last, first, floor: highest && versionOf(highest.name)?.version, line, taken };
}

/** Raises the last version. The result is never lower than a version on the branch, and never one that exists. */
export function raised(
  { last, first, floor, line, taken }: LastVersion,
  bump: Raise,
): Pick<SuggestedVersion, 'version' | 'bump'> {
  if (!last) return { version: first, bump };
  const name = (version: SemVer): string => nameOf(last, version.version);
  const step = limited(bump, last.version, line);
  let version = line && compareToLine(last.version, line) < 0 ? firstOf(line) : next(last.version, step);
  if (floor && compare(floor, version) > 0) version = finalOf(floor);
  while (taken.has(name(version))) version = next(version, step);
  return { version: name(version), bump: difference(last.version, version) };
}

/**
 * Returns the bump that is possible. Before version 1.0.0, no change raises the major version. On a branch for certain
 * versions, no change leaves them. Example: a feature on `release-1.2` raises 1.2.3 to 1.2.4.
 */
function limited(bump: Raise, { major }: SemVer, line: VersionLine | undefined): Raise {
  if (line) return line.minor === undefined && bump !== 'patch' ? 'minor' : 'patch';
  return major === 0 && bump === 'major' ? 'minor' : bump;
}

function firstOf({ major, minor = 0 }: VersionLine): SemVer {
  return new SemVer(`${major}.${minor}.0`);
}

function difference(from: SemVer, to: SemVer): Raise {
  if (to.major !== from.major) return 'major';
  return to.minor === from.minor ? 'patch' : 'minor';
}

/** Returns the next version. After a prerelease comes the next prerelease: `2.0.0-rc.2` after `2.0.0-rc.1`. */
function next(version: SemVer, bump: Raise): SemVer {
  return new SemVer(version.version).inc(version.prerelease.length > 0 ? 'prerelease' : bump);
}

/** Returns the version that a prerelease announces. After a release, the next patch follows. */
function finalOf({ major, minor, patch, prerelease }: SemVer): SemVer {
  return new SemVer(`${major}.${minor}.${prerelease.length > 0 ? patch : patch + 1}`);
}

/** Returns the name of a tag in the form of the last one: `v1.3` after `v1.2`, and `v1.2.1` for a patch. */
function nameOf({ prefix, hasPatch }: TagVersion, version: string): string {
  return prefix + (hasPatch ? version : version.replace(/^(\d+\.\d+)\.0$/, '$1'));
}

/** Returns the name of the first tag. Example: `pkg@0.1.0` for the pattern `pkg@*`. */
function firstName(pattern = 'v*'): string | null {
  const prefix = pattern.replace(/\*$/, '');
  return /[*?]/.test(prefix) ? null : `${prefix}${firstVersion}`;
}
