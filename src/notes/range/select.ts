/**
 * Selects the content of a release range: merged pull requests, closed issues, and commits that belong to no pull
 * request. `draft/compose.ts` writes the text. Bounds are valid here, because the API has checked them.
 */
import type { CommitRecord, IssueRecord, PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { attribute } from './attribute.ts';
import { endsOf, type RangeEnds } from './ends.ts';
import { differenceBetween } from './evidence.ts';
import { commitsBelow } from './history.ts';
import type { NotesSource } from './source.ts';
import { beginning, branchOf, pullsInWindow, type Span, spanBetween } from './window.ts';

/** The content of a range, and how the content was found. */
export interface Selection {
  /**
   * The merged pull requests, each once. In a range that was found by ancestry, they are in commit order. In all
   * other ranges, they are in the order of merge times or numbers.
   */
  pulls: PullRecord[];
  /** Closed issues, sorted by number. Each is linked in a selected pull request, or was closed inside the range. */
  issues: IssueRecord[];
  /** Commits between two tags that belong to no merged pull request, oldest first. Empty for other ranges. */
  commitsWithoutPull: CommitRecord[];
  resolution: 'compare' | 'commits' | 'window';
  /** True if the ancestors of a tagged commit are only assumed (`ways-down.ts`). */
  assumed: boolean;
  /** Pull requests that were found only by the subject of a commit. */
  bySubject: ReadonlySet<number>;
  /** Numbers of the pull requests that commits name but that are not captured. */
  notCaptured: ReadonlySet<number>;
  /** Commits that name a pull request of another repository, by sha, with its number (`foreign-numbers.ts`). */
  foreign: ReadonlyMap<string, number>;
  /**
   * Maps the number of a pull request to the id of the publication that made its commits (`publication.ts`). The value
   * is undefined if a commit was not made by a publication, or is not captured. The map contains only pull requests
   * with at least one captured commit that is not a merge.
   */
  publications: ReadonlyMap<number, string | undefined>;
  /** Pull requests that `fromTag` contains but `toTag` does not contain. */
  lost: PullRecord[];
  /** True if `fromTag` is not an ancestor of `toTag`. Such a range is allowed, and the draft mentions it. */
  diverged: boolean;
  /** The two ends of a range between tags, also if one end is open. Undefined for other ranges and unknown tags. */
  ends: RangeEnds | undefined;
}

const dayMs = 86_400_000;
/**
 * Maximum number of issues that are read one by one. For more issues, a single reading of all closed issues is cheaper.
 */
const widestLookup = 2_000;

/** Selects the content of a range (spec part 1). A range with an unknown tag has no content. */
export function select(source: NotesSource, bounds: RangeBounds): Selection {
  if (bounds.type === 'DATE_BASED') return selectByDates(source, bounds);
  if (bounds.type === 'PR_BASED') return selectByNumbers(source, bounds);
  const ends = endsOf(source, bounds);
  return ends ? selectBetween(source, ends) : selection(source, { pulls: [], resolution: 'window' });
}

/**
 * Selects the content of a range between two ends by ancestry. If neither the host nor captured pushes show the
 * ancestry, merge dates on the branch of the later end decide.
 */
function selectBetween(source: NotesSource, ends: RangeEnds): Selection {
  const { from, to } = ends;
  const whole = from === null && to.sha !== null ? commitsBelow(source, to.sha) : undefined;
  if (whole) return selection(source, { ...attribute(source, whole), resolution: 'commits', ends });
  const between = from && from.sha !== null && to.sha !== null && differenceBetween(source, from.sha, to.sha);
  if (between) {
    const { resolution, diverged, assumed = false } = between;
    const attributed = attribute(source, between.pushes);
    const lost = attribute(source, between.lost).pulls;
    return selection(source, { ...attributed, lost, resolution, diverged, assumed, ends });
  }
  // Issues are selected by closing time only if the release is on the default branch. A release on another branch may
  // not contain the fix yet when an issue is closed, because issues are usually fixed on the default branch first.
  const onDefault = branchOf(source, to) === source.repository.defaultBranch;
  const closed = onDefault ? closedIn(source, spanBetween(source, from ?? beginning, to)) : [];
  return selection(source, {
    pulls: pullsInWindow(source, from ?? beginning, to),
    closed,
    resolution: 'window',
    ends,
  });
}

/**
 * Selects the changes from the start of `fromDate` to the end of `toDate`, on any base branch. The days are in UTC,
 * unless the range has the instants of another time zone.
 */
function selectByDates(source: NotesSource, { fromDate = '', toDate = '', span: zoned }: RangeBounds): Selection {
  const days = { from: Date.parse(`${fromDate}T00:00:00Z`), to: Date.parse(`${toDate}T00:00:00Z`) + dayMs };
  const span = zoned ?? days;
  const pulls = [...source.pullsMergedBetween(span.from, span.to)];
  return selection(source, { pulls, closed: closedIn(source, span), resolution: 'window' });
}

/** Selects by number, both ends included. Issues and pull requests share one sequence of numbers. */
function selectByNumbers(source: NotesSource, { fromPrNumber = 1, toPrNumber = 0 }: RangeBounds): Selection {
  const pulls = [...source.pullsNumbered(fromPrNumber, toPrNumber)].filter((pull) => pull.state === 'merged');
  return selection(source, { pulls, closed: closedNumbered(source, fromPrNumber, toPrNumber), resolution: 'window' });
}

/** Returns the selection of the given pull requests and commits, with the issues that the pull requests link. */
export function selection(
  source: NotesSource,
  found: Pick<Selection, 'pulls' | 'resolution'> & Partial<Selection> & { closed?: IssueRecord[] },
): Selection {
  const { pulls, resolution, closed = [], commitsWithoutPull = [], diverged = false, lost = [] } = found;
  const issues = new Map(closed.map((issue) => [issue.number, issue]));
  for (const pull of pulls) for (const issue of linkedClosedIssues(source, pull)) issues.set(issue.number, issue);
  return {
    pulls,
    issues: [...issues.values()].sort((a, b) => a.number - b.number),
    commitsWithoutPull,
    resolution,
    assumed: found.assumed ?? false,
    bySubject: found.bySubject ?? new Set(),
    notCaptured: found.notCaptured ?? new Set(),
    foreign: found.foreign ?? new Map(),
    publications: found.publications ?? new Map(),
    lost,
    diverged,
    ends: found.ends,
  };
}

/**
 * Returns the closed issues that a pull request links. Open issues and numbers without a captured issue are left out.
 */
export function linkedClosedIssues(source: NotesSource, pull: PullRecord): IssueRecord[] {
  const found: IssueRecord[] = [];
  for (const number of pull.linkedIssues) {
    const issue = source.issue(number);
    if (issue?.state === 'closed') found.push(issue);
  }
  return found;
}

function closedIn(source: NotesSource, span: Span): IssueRecord[] {
  return [...source.issuesClosedBetween(span.from, span.to)];
}

function closedNumbered(source: NotesSource, from: number, to: number): IssueRecord[] {
  if (to - from > widestLookup) {
    const all = [...source.issuesClosedBetween(0, Number.MAX_SAFE_INTEGER)];
    return all.filter(({ number }) => number >= from && number <= to);
  }
  const found: IssueRecord[] = [];
  for (let number = from; number <= to; number += 1) {
    const issue = source.issue(number);
    if (issue?.state === 'closed') found.push(issue);
  }
  return found;
}
