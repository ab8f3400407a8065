/**
 * Selects what a release range holds: merged pull requests, closed issues and commits that no pull request brought. How it
 * is written up is left to `compose.ts`; bounds are valid here, as the API has checked them.
 */
import type { CommitRecord, IssueRecord, PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { attribute } from './attribute.ts';
import { differenceBetween } from './evidence.ts';
import type { NotesSource } from './source.ts';
import { branchOf, pullsInWindow, type Span, spanBetween } from './window.ts';

/** What a range holds, and how that was found. */
export interface Selection {
  /** Each merged pull request once; by commit order for tags, else by merge time or number. */
  pulls: PullRecord[];
  /** Closed issues that these pull requests link, and those closed inside the range, by number. */
  issues: IssueRecord[];
  /** Commits between two tags that no merged pull request brought, oldest first; else none. */
  commitsWithoutPull: CommitRecord[];
  resolution: 'compare' | 'commits' | 'window';
  /** Pull requests that are found by the subject of a commit alone. */
  bySubject: ReadonlySet<number>;
  /** Numbers that commits name as their pull request, and that are not captured. */
  notCaptured: ReadonlySet<number>;
  /** Of pull requests whose commits were all seen: the publication of this service that made them all, else undefined. */
  publications: ReadonlyMap<number, string | undefined>;
  /** Pull requests that `fromTag` has and `toTag` does not. */
  lost: PullRecord[];
  /** `fromTag` is no ancestor of `toTag`: legal, and worth telling. */
  diverged: boolean;
}

const dayMs = 86_400_000;
/** Up to here closed issues are asked for one by one; beyond it one reading of all costs less. */
const widestLookup = 2_000;

/** What a range holds (spec part 1). An unknown tag holds nothing. */
export function select(source: NotesSource, bounds: RangeBounds): Selection {
  if (bounds.type === 'TAG_BASED') return selectByTags(source, bounds);
  if (bounds.type === 'DATE_BASED') return selectByDates(source, bounds);
  return selectByNumbers(source, bounds);
}

/** Membership by ancestry; by merge date on the tag's branch only where neither the host nor captured pushes tell. */
function selectByTags(source: NotesSource, { fromTag = '', toTag = '' }: RangeBounds): Selection {
  const from = source.tag(fromTag);
  const to = source.tag(toTag);
  if (!from || !to) return selection(source, { pulls: [], resolution: 'window' });
  const between = from.sha !== null && to.sha !== null ? differenceBetween(source, from.sha, to.sha) : undefined;
  if (between) {
    const attributed = attribute(source, between.pushes);
    const lost = attribute(source, between.lost).pulls;
    return selection(source, { ...attributed, lost, resolution: between.resolution, diverged: between.diverged });
  }
  // Of another branch's window the closing times of issues say nothing: they are fixed on the default branch first.
  const onDefault = branchOf(source, to) === source.repository.defaultBranch;
  const closed = onDefault ? closedIn(source, spanBetween(source, from, to)) : [];
  return selection(source, { pulls: pullsInWindow(source, from, to), closed, resolution: 'window' });
}

/** From the first instant of `fromDate` to the last of `toDate`, UTC, on any base branch. */
function selectByDates(source: NotesSource, { fromDate = '', toDate = '' }: RangeBounds): Selection {
  const span = { from: Date.parse(`${fromDate}T00:00:00Z`), to: Date.parse(`${toDate}T00:00:00Z`) + dayMs };
  const pulls = [...source.pullsMergedBetween(span.from, span.to)];
  return selection(source, { pulls, closed: closedIn(source, span), resolution: 'window' });
}

/** Numbers inclusive; issues share the sequence. */
function selectByNumbers(source: NotesSource, { fromPrNumber = 1, toPrNumber = 0 }: RangeBounds): Selection {
  const pulls = [...source.pullsNumbered(fromPrNumber, toPrNumber)].filter((pull) => pull.state === 'merged');
  return selection(source, { pulls, closed: closedNumbered(source, fromPrNumber, toPrNumber), resolution: 'window' });
}

function selection(
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
    bySubject: found.bySubject ?? new Set(),
    notCaptured: found.notCaptured ?? new Set(),
    publications: found.publications ?? new Map(),
    lost,
    diverged,
  };
}

/** Closed issues that a pull request links; a number that is no captured issue, or still open, is left out. */
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
