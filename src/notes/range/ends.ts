/**
 * Finds the two ends of a range between tags. An end can be open: a first release has no beginning, and an unreleased
 * range begins at the newest release of a branch and ends at the head of the branch.
 */
import type { RangeBounds, TagRecord } from '../../protocol/stored.ts';
import { reportedAncestry } from './evidence.ts';
import { Ancestors } from './history.ts';
import { compareToLine, lineOfBranch, type PlacedTag, releaseTags, versionOf } from './release-tags.ts';
import type { NotesSource } from './source.ts';
import { branchOf } from './window.ts';

/** The ends of a range. `from` is null if the range begins with the history. */
export interface RangeEnds {
  from: TagRecord | null;
  /** The tag at the end. For an unreleased range, it is made from the head of the branch and has the branch's name. */
  to: TagRecord;
}

/** The time of an end that no push shows: later than every commit. In milliseconds. */
const endOfTime = 8.64e15;

/** Returns the ends of a range; undefined for a range by dates or numbers, and for a range with an unknown tag. */
export function endsOf(source: NotesSource, bounds: RangeBounds): RangeEnds | undefined {
  if (bounds.type === 'UNRELEASED') return unreleasedEnds(source, bounds);
  const to = bounds.toTag === undefined ? undefined : source.tag(bounds.toTag);
  if (!to) return undefined;
  if (bounds.type === 'FIRST_RELEASE') return { from: null, to };
  const from = bounds.fromTag === undefined ? undefined : source.tag(bounds.fromTag);
  return from && { from, to };
}

/** Returns the branch of an unreleased range: the one that it names, or the default branch. */
export function branchOfRange({ repository }: NotesSource, { branch }: RangeBounds): string | null {
  return branch ?? repository.defaultBranch;
}

function unreleasedEnds(source: NotesSource, bounds: RangeBounds): RangeEnds {
  const to = headOf(source, branchOfRange(source, bounds));
  return { from: newestRelease(source, to, releaseTags(source.tags(), bounds)) ?? null, to };
}

/** Returns the head of a branch in the shape of a tag. */
export function headOf(source: NotesSource, branch: string | null): TagRecord {
  const head = branch === null ? undefined : source.head(branch);
  const common = { tagObject: null, baseRef: branch, date: null, deleted: false };
  return { name: branch ?? '', sha: head?.sha ?? null, ...common, pushedAt: head?.at ?? endOfTime };
}

/**
 * Returns the newest release that the head contains. If it contains none, the newest release on the same branch counts.
 * For the default branch, the newest release of all counts last: many projects make their releases on branches that
 * were cut from it. Example: main has no tag, and `v1.1.2` is on `release-1.1`. Then the range begins where
 * `release-1.1` was cut.
 * @param head the head of a branch, or a tag with its branch as `baseRef`
 * @param releases the newest first
 * @param until if the head contains no release, only releases with a commit up to this time count, in milliseconds
 */
export function newestRelease(
  source: NotesSource,
  head: TagRecord,
  releases: readonly PlacedTag[],
  until = endOfTime,
): PlacedTag | undefined {
  const reached = releasesBelow(source, head, releases).next().value;
  if (reached) return reached;
  const branch = head.baseRef;
  const ancestryOf = ({ sha }: PlacedTag) => (head.sha === null ? undefined : reportedAncestry(source, sha, head.sha));
  // A release that contains the head is later than the head.
  const possible = releases.filter((tag) => madeAt(source, tag) <= until && ancestryOf(tag) !== 'behind');
  const isOnBranch = (tag: PlacedTag) => branchOf(source, tag) === branch && ancestryOf(tag) !== 'diverged';
  const sameBranch = possible.find(isOnBranch);
  if (sameBranch || branch === source.repository.defaultBranch) return sameBranch ?? possible[0];
  const line = lineOfBranch(branch);
  const isPossible = ({ name, date, pushedAt }: PlacedTag): boolean => {
    const version = versionOf(name)?.version;
    return (date ?? pushedAt) <= head.pushedAt && !(line && version && compareToLine(version, line) > 0);
  };
  return possible.find(isPossible);
}

/** Returns when the commit of a tag was made, as far as it is known. In milliseconds. */
export function madeAt(source: NotesSource, { sha, date, pushedAt }: PlacedTag): number {
  return source.commit(sha)?.at ?? date ?? pushedAt;
}

/**
 * Returns the tag with the highest version that a branch contains, also if it is a prerelease.
 * @param to the head of the branch
 */
export function highestBelow(source: NotesSource, { tagPattern }: RangeBounds, to: TagRecord): TagRecord | undefined {
  const choice = { ...(tagPattern !== undefined && { tagPattern }), prereleases: true };
  return releasesBelow(source, to, releaseTags(source.tags(), choice)).next().value;
}

/** Yields the releases that a commit contains, in the given order. */
function* releasesBelow(
  source: NotesSource,
  { sha: head }: TagRecord,
  releases: readonly PlacedTag[],
): Generator<PlacedTag, undefined> {
  if (head === null) return undefined;
  const ancestors = new Ancestors(source, head);
  for (const tag of releases) {
    if (ancestors.has(tag.sha, madeAt(source, tag)) || reportedAncestry(source, tag.sha, head) === 'ahead') yield tag;
  }
  return undefined;
}

/**
 * Returns the tag that an unreleased range was heading for: the first release after the beginning of the range that the
 * branch contains by now. Returns undefined if there is none.
 * @param fromTag the beginning of the range as last counted
 * @param begunAt only tags that were pushed at or after this time can end the range. Older tags, which a backfill can
 *   bring later, were releases before the range began
 */
export function arrivedTag(
  source: NotesSource,
  bounds: RangeBounds,
  { fromTag, begunAt }: { fromTag: string | null; begunAt: number },
): TagRecord | undefined {
  const releases = releaseTags(source.tags(), bounds);
  if (fromTag !== null && !source.tag(fromTag)) return undefined;
  // The beginning is not among the releases if it has no version and the tags after it have one.
  const at = releases.findIndex(({ name }) => name === fromTag);
  const newer = (at === -1 ? releases : releases.slice(0, at)).filter(({ pushedAt }) => pushedAt >= begunAt);
  const head = headOf(source, branchOfRange(source, bounds));
  return [...releasesBelow(source, head, newer)].at(-1);
}
