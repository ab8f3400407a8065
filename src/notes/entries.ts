/**
 * Gathers the facts of a draft, the same for every persona: entries with all that is known about each, what cancelled out,
 * dependency updates, issues and people. How they are told is left to the personas.
 */
import type { CommitRecord, IssueRecord, PullRecord, RangeBounds } from '../protocol/stored.ts';
import { firstLine } from './attribute.ts';
import { originalOf } from './backports.ts';
import { type ReleaseNote, releaseNote, upgradeText } from './body.ts';
import { type Classification, classify } from './classify.ts';
import { chainUpdates, type DependencyUpdate } from './dependencies.ts';
import { readLabels } from './labels.ts';
import { distinctLogins, type FirstContribution, firstContributions, peopleOf } from './people.ts';
import { settleReverts } from './reverts.ts';
import { linkedClosedIssues, type Selection, select } from './select.ts';
import type { NotesSource } from './source.ts';
import { isRelease, parseTitle } from './title.ts';
import { byMerge } from './window.ts';

/** One change: a pull request with its backports, or backports of one shipped before. */
export interface Entry extends Classification {
  /** Number in the entry's marker: stays the same when the range grows. */
  id: number;
  /** The pull request whose words are shown: the original of a backport. */
  pull: PullRecord;
  /** Backports that the range holds. */
  backports: PullRecord[];
  /** The revert of a revert that brought the change back. */
  restoredBy: PullRecord | null;
  issues: IssueRecord[];
  /** Author and co-authors. */
  people: string[];
  /** How to upgrade, as the body of a breaking change says it. */
  upgrade: string;
  note: ReleaseNote | undefined;
}

/** A revert of something that is not in the range. */
export interface RevertEntry {
  pull: PullRecord;
  target: PullRecord | undefined;
}

/** Why a selected pull request has no entry. */
export interface Dropped {
  number: number;
  reason: 'release' | 'label' | 'reverted';
}

/** All a draft is made from. */
export interface Notes {
  source: NotesSource;
  bounds: RangeBounds;
  selection: Selection;
  /** By priority, merge time, number. */
  entries: Entry[];
  reverted: RevertEntry[];
  updates: DependencyUpdate[];
  closedIssues: IssueRecord[];
  /** Linked from the range and not closed. */
  openIssues: IssueRecord[];
  directCommits: CommitRecord[];
  contributors: string[];
  firstContributions: FirstContribution[];
  dropped: Dropped[];
}

const unresolved = new Set(['duplicate', 'invalid', 'wontfix', 'question', 'stale', 'not planned']);

/** Selects, pairs reverts, folds backports, classifies. */
export function gather(source: NotesSource, bounds: RangeBounds): Notes {
  const selection = select(source, bounds);
  const { pulls } = selection;
  const settled = settleReverts(source, pulls, selection.resolution === 'commits');
  const setAside = new Set([...settled.standing, ...settled.restoring].map(({ pull }) => pull.number));
  const remaining = pulls.filter(({ number }) => !settled.cancelled.has(number) && !setAside.has(number));
  const restored = settled.restoring.map(({ pull, restored }) => restoredEntry(source, pull, restored));
  const all = [...foldBackports(source, remaining), ...restored].sort(byImportance);
  const entries = all.filter((entry) => whyDropped(entry) === undefined);
  const dropped = all.flatMap((entry) => whyDropped(entry) ?? []);
  for (const number of settled.cancelled.keys()) dropped.push({ number, reason: 'reverted' });
  const reverted = settled.standing
    .filter(({ pull }) => !readLabels(pull.labels).skip)
    .sort((a, b) => byMerge(a.pull, b.pull));
  const updates = entries.filter(({ section }) => section === 'dependency').flatMap(shipped);
  return {
    source,
    bounds,
    selection,
    entries: entries.filter(({ section }) => section !== 'dependency'),
    reverted,
    updates: chainUpdates(updates.sort(byMerge)),
    closedIssues: closedWithoutPull(selection),
    openIssues: openIssuesOf(source, entries),
    directCommits: selection.commitsWithoutPull.filter((commit) => !isRelease(parseTitle(firstLine(commit.message)))),
    ...peopleBehind(source, entries, reverted),
    dropped: dropped.sort((a, b) => a.number - b.number),
  };
}

/** Pull requests of the range that an entry stands for. */
export function shipped(entry: Entry): PullRecord[] {
  if (entry.restoredBy) return [entry.restoredBy];
  return entry.pull.number === entry.id ? [entry.pull, ...entry.backports] : entry.backports;
}

function foldBackports(source: NotesSource, pulls: readonly PullRecord[]): Entry[] {
  const groups = new Map<number, { pull: PullRecord; backports: PullRecord[]; listed: boolean }>();
  for (const pull of pulls) {
    const original = originalOf(source, pull);
    const shown = original ?? pull;
    const group = groups.get(shown.number) ?? { pull: shown, backports: [], listed: false };
    if (original) group.backports.push(pull);
    else group.listed = true;
    groups.set(shown.number, group);
  }
  return [...groups.values()].map((group) => toEntry(source, group.pull, group.backports.sort(byMerge), group.listed));
}

/** Labels are the backport's where these say something, else the original's. */
function toEntry(source: NotesSource, pull: PullRecord, backports: PullRecord[], listed: boolean): Entry {
  const [backport] = backports;
  const group = [pull, ...backports];
  const issues = distinctIssues(group.flatMap((each) => linkedClosedIssues(source, each)));
  const own = backport && !listed && saysSomething(backport.labels) ? backport.labels : pull.labels;
  const classified = classify({ ...pull, labels: own }, issues);
  return {
    ...classified,
    id: listed || !backport ? pull.number : backport.number,
    pull,
    backports,
    restoredBy: null,
    issues,
    people: peopleOf(source, pull),
    upgrade: classified.breaking ? (group.map((each) => upgradeText(each.body)).find((text) => text !== '') ?? '') : '',
    note: group.map((each) => releaseNote(each.body)).find((note) => note !== undefined),
  };
}

function restoredEntry(source: NotesSource, pull: PullRecord, restored: PullRecord): Entry {
  return { ...toEntry(source, restored, [], true), id: pull.number, restoredBy: pull };
}

function saysSomething(labels: readonly string[]): boolean {
  const reading = readLabels(labels);
  return (
    reading.specTypes.size + reading.aliasTypes.size + reading.areas.length > 0 || reading.dependencies || reading.skip
  );
}

function whyDropped(entry: Entry): Dropped | undefined {
  if (entry.skip) return { number: entry.id, reason: 'label' };
  return entry.kind === 'release' && !entry.breaking ? { number: entry.id, reason: 'release' } : undefined;
}

/** Closed in the range without any of its pull requests; what was closed unresolved is no news. */
function closedWithoutPull({ issues, pulls }: Selection): IssueRecord[] {
  const linked = new Set(pulls.flatMap((pull) => pull.linkedIssues));
  return issues.filter((issue) => {
    if (linked.has(issue.number) || (issue.stateReason ?? 'completed') !== 'completed') return false;
    return !issue.labels.some((label) =>
      unresolved.has(
        label
          .toLowerCase()
          .replace(/[\s_-]+/g, ' ')
          .trim(),
      ),
    );
  });
}

function openIssuesOf(source: NotesSource, entries: readonly Entry[]): IssueRecord[] {
  const linked = entries.flatMap((entry) => shipped(entry).flatMap((pull) => pull.linkedIssues));
  return distinctIssues(linked.flatMap((number) => source.issue(number) ?? [])).filter(({ state }) => state === 'open');
}

function distinctIssues(issues: IssueRecord[]): IssueRecord[] {
  const found = new Map(issues.map((issue) => [issue.number, issue]));
  return [...found.values()].sort((a, b) => a.number - b.number);
}

function peopleBehind(
  source: NotesSource,
  entries: readonly Entry[],
  reverted: readonly RevertEntry[],
): Pick<Notes, 'contributors' | 'firstContributions'> {
  const pulls = [...entries.flatMap(shipped), ...reverted.map(({ pull }) => pull)].sort(byMerge);
  const originals = new Map(entries.flatMap((entry) => shipped(entry).map((pull) => [pull.number, entry.people])));
  const logins = pulls.flatMap((pull) => [...(originals.get(pull.number) ?? []), ...peopleOf(source, pull)]);
  return { contributors: distinctLogins(logins), firstContributions: firstContributions(source, pulls) };
}

/** `priority: high` first, then in merge order (spec part 2, rule 3). */
function byImportance(a: Entry, b: Entry): number {
  if (a.priority !== b.priority) return a.priority ? -1 : 1;
  return byMerge(shipped(a)[0] as PullRecord, shipped(b)[0] as PullRecord) || a.id - b.id;
}
