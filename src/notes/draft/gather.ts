/**
 * Gathers the facts of a draft: entries, dependency updates, issues, people, and left-out changes with their reasons.
 * The facts are the same for every persona. The personas choose the wording.
 */
import type { Reason } from '../../protocol/notes.ts';
import type { CommitRecord, IssueRecord, PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { privateChange } from '../change/advisories.ts';
import { readCommands, skipCommand } from '../change/commands.ts';
import { chainUpdates, type DependencyUpdate } from '../change/dependencies.ts';
import { createVocabulary, readLabels, type Vocabulary } from '../change/labels.ts';
import { cachingSource } from '../range/caching-source.ts';
import { publicationOf, publicationOfCommit } from '../range/publication.ts';
import { shippedBefore, shippedIn } from '../range/releases.ts';
import { type Cancelled, type RevertOutcome, settleReverts } from '../range/reverts.ts';
import { type Selection, select } from '../range/select.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';
import { byImportance, distinctIssues, type Entry, EntryMaker, shipped, withJoined } from './entries.ts';
import { highlightsOf } from './highlights.ts';
import { closedWithoutPull } from './issues.ts';
import { distinctLogins, type FirstContribution, firstContributions, peopleOf } from './people.ts';
import { joinEqual, type LeadPhrases, placed } from './places.ts';

/** A revert of a change that is not in the range. */
export interface RevertEntry {
  pull: PullRecord;
  target: PullRecord | undefined;
  /** True if the revert undoes only some commits of `target`. Then `target` can also be in the range. */
  isPartial?: boolean;
  /** The tag that first shipped the reverted change. */
  tag: string | undefined;
}

/** Why a change has no entry. */
export interface LeftOut {
  reason: Extract<
    Reason,
    'release' | 'routine' | 'label' | 'command' | 'author' | 'reverted' | 'reverts' | 'shipped' | 'own'
  >;
  /** The reason refers to this label, command, tag, login, publication, or number of another pull request (`#12`). */
  detail?: string;
}

/** A pull request with a change that has no entry. */
export interface Dropped extends LeftOut {
  number: number;
}

/** Everything that a draft is made from. */
export interface Notes {
  source: NotesSource;
  bounds: RangeBounds;
  selection: Selection;
  /** Entries, sorted by priority, merge time and number. */
  entries: Entry[];
  /** The few entries that matter most. */
  highlights: Entry[];
  /** Entries that are not announced again, because the release at the start of the range already contained them. */
  alreadyShipped: Entry[];
  reverted: RevertEntry[];
  updates: DependencyUpdate[];
  /** Issues closed in the range, but not by a pull request of the range. */
  closedIssues: IssueRecord[];
  /** Returns the open issues that are linked by pull requests of the range. */
  openIssues: () => IssueRecord[];
  /**
   * Commits without a pull request that are work on the project itself. They have no entry and are only counted. Each
   * commit is in the list once.
   */
  insideCommits: CommitRecord[];
  /** Commits without a pull request that are left out. The keys are shas. */
  droppedCommits: ReadonlyMap<string, LeftOut>;
  /** Direct commits that revert a part of a pull request, by sha, with the number of this pull request. */
  partialCommits: ReadonlyMap<string, number>;
  contributors: string[];
  firstContributions: FirstContribution[];
  /**
   * Pull requests of which a change has no entry, sorted by number. Each number is in the list once. If a release note
   * has several statements, another of them can have an entry.
   */
  dropped: Dropped[];
  vocabulary: Vocabulary;
  /** Titles and shas that the reverts of the range searched for among its changes. */
  asked: RevertOutcome['asked'];
  /** Whether a change of the range has words that a revert may have. */
  mentionsRevert: boolean;
  leads: LeadPhrases;
}

/**
 * Gathers the facts of a range: selects pull requests, pairs reverts, joins backports to their originals, classifies
 * changes and leaves out some changes.
 */
export function gather(reading: NotesSource, bounds: RangeBounds): Notes {
  const source = cachingSource(reading);
  return gatherSelected(source, bounds, select(source, bounds));
}

/**
 * Gathers the facts of selected changes.
 * @param source reads each record once (`cachingSource`)
 */
export function gatherSelected(source: NotesSource, bounds: RangeBounds, selection: Selection): Notes {
  const vocabulary = createVocabulary(source.settings);
  const { pulls, commitsWithoutPull } = selection;
  const settled = settleReverts(source, pulls, selection.resolution !== 'window', commitsWithoutPull);
  const commits = sortCommits(commitsWithoutPull, settled);
  const all = entriesOf(new EntryMaker(source, vocabulary, selection.foreign), selection, settled, commits.direct);
  const why = leavingOut(source, selection);
  const reverts = revertsOf(source, settled, vocabulary);
  const kept: Entry[] = [];
  const left: { entry: Entry; out: LeftOut }[] = [];
  for (const entry of all) {
    const out = why(entry);
    if (out) left.push({ entry, out });
    else kept.push(entry);
  }
  const isInside = (entry: Entry): boolean =>
    entry.pull === null && entry.backports.length === 0 && (entry.housekeeping || entry.section === 'dependency');
  // A commit or pull request with several statements has several entries, and is counted once.
  const insideCommits = new Set(kept.flatMap((entry) => (isInside(entry) && entry.commit ? [entry.commit] : [])));
  const updates = new Set(kept.filter(({ section }) => section === 'dependency').flatMap(shipped));
  const shown = kept.filter((entry) => entry.section !== 'dependency' && !isInside(entry));
  const { entries: separate, leads } = placed(source, vocabulary, shown);
  const entries = joinEqual(separate);
  const carriers = new Set(kept.flatMap(({ backports }) => backports));
  const dropped = [...left.flatMap((each) => droppedOf(each, carriers)), ...cancelledOf(settled), ...reverts.skipped];
  for (const { entry, out } of left) if (entry.commit && !entry.listed) commits.dropped.set(entry.commit.sha, out);
  // A preview needs neither the highlights nor the people, and both read further records.
  const highlights = lazily(() => highlightsOf(source, entries));
  const people = lazily(() => peopleOfEntries(source, entries, reverts.listed));
  return {
    source,
    bounds,
    selection,
    entries,
    get highlights() {
      return highlights();
    },
    alreadyShipped: left.filter(({ out }) => out.reason === 'shipped').map(({ entry }) => entry),
    reverted: reverts.listed,
    updates: chainUpdates([...updates].sort(byMerge)),
    closedIssues: closedWithoutPull(selection),
    openIssues: () => openIssuesOf(source, kept),
    insideCommits: [...insideCommits],
    droppedCommits: commits.dropped,
    partialCommits: settled.partialCommits,
    get contributors() {
      return people().contributors;
    },
    get firstContributions() {
      return people().firstContributions;
    },
    dropped: sortDropped(dropped),
    vocabulary,
    asked: settled.asked,
    mentionsRevert: settled.mentionsRevert,
    leads,
  };
}

/** Returns a function that makes a value when it is first called. */
function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Separates the commits without a pull request into those that can have an entry and those that are left out. */
function sortCommits(
  commits: readonly CommitRecord[],
  { cancelledCommits }: RevertOutcome,
): { direct: CommitRecord[]; dropped: Map<string, LeftOut> } {
  const dropped = new Map<string, LeftOut>();
  const direct: CommitRecord[] = [];
  for (const commit of commits) {
    const out = outOf(commit, cancelledCommits.get(commit.sha));
    if (out) dropped.set(commit.sha, out);
    else direct.push(commit);
  }
  return { direct, dropped };
}

function outOf({ message }: CommitRecord, cancelled: Cancelled | undefined): LeftOut | undefined {
  if (cancelled) return { reason: cancelled.reason, detail: cancelled.other };
  const publication = publicationOf(message);
  if (publication !== undefined) return { reason: 'own', detail: publication };
  return /^Merge /.test(message) && privateChange(message) === undefined ? { reason: 'routine' } : undefined;
}

function entriesOf(
  maker: EntryMaker,
  { pulls }: Selection,
  settled: RevertOutcome,
  commits: readonly CommitRecord[],
): Entry[] {
  const setAside = new Set([...settled.unpaired, ...settled.restoring].map(({ pull }) => pull.number));
  const remaining = pulls.filter(({ number }) => !settled.cancelled.has(number) && !setAside.has(number));
  const restored = settled.restoring.flatMap(({ pull, restored }) => maker.restored(pull, restored));
  return [...maker.entries(remaining, commits), ...restored].sort(byImportance);
}

/**
 * Returns a function that reports why an entry is left out. For an entry that is kept, the function returns undefined.
 * Only a label or a command can leave out a breaking change.
 */
function leavingOut(source: NotesSource, selection: Selection): (entry: Entry) => LeftOut | undefined {
  const excluded = new Set(source.settings.excludedAuthors.map((login) => login.toLowerCase()));
  const before = shippedBefore(source, selection);
  return (entry) => {
    const { pull, record } = entry;
    if (entry.skip !== null) return { reason: entry.isSkippedByCommand ? 'command' : 'label', detail: entry.skip };
    if (entry.breaking) return undefined;
    const publication = pull && publicationOfCommit(source, selection.publications, pull);
    if (publication) return { reason: 'own', detail: publication };
    if (entry.kind === 'release' || entry.kind === 'routine') return { reason: entry.kind };
    if (excluded.has(record.author.login.toLowerCase())) return { reason: 'author', detail: record.author.login };
    const isShipped = pull !== null && before.has(pull.number) && !entry.restoredBy;
    return isShipped ? { reason: 'shipped', detail: selection.ends?.from?.name ?? '' } : undefined;
  };
}

/**
 * Returns the pull requests that have no entry because an entry is left out. A pull request that carries several
 * changes is left out only with the last of them.
 * @param carriers pull requests that carry a change with an entry. The function adds those that it returns
 */
function droppedOf({ entry, out }: { entry: Entry; out: LeftOut }, carriers: Set<PullRecord>): Dropped[] {
  if (!entry.picked || entry.listed) return shipped(entry).map(({ number }) => ({ number, ...out }));
  const empty = entry.backports.filter((carrier) => !carriers.has(carrier));
  for (const carrier of empty) carriers.add(carrier);
  return [...(entry.pull ? [entry.pull] : []), ...empty].map(({ number }) => ({ number, ...out }));
}

/** Sorts pull requests by number. If a number occurs several times, only the last of them is kept. */
function sortDropped(dropped: Dropped[]): Dropped[] {
  dropped.sort((a, b) => a.number - b.number);
  return dropped.filter(({ number }, index) => number !== dropped[index + 1]?.number);
}

function cancelledOf(settled: RevertOutcome): Dropped[] {
  return [...settled.cancelled].map(([number, { reason, other }]) => ({ number, reason, detail: other }));
}

function revertsOf(
  source: NotesSource,
  settled: RevertOutcome,
  vocabulary: Vocabulary,
): { listed: RevertEntry[]; skipped: Dropped[] } {
  const listed: RevertEntry[] = [];
  const skipped: Dropped[] = [];
  for (const { pull, target, isPartial } of [...settled.unpaired].sort((a, b) => byMerge(a.pull, b.pull))) {
    const { skip } = readLabels(pull.labels, vocabulary);
    const { note } = readCommands(source.commandComments(pull.number), source.repository);
    if (note === null) skipped.push({ number: pull.number, reason: 'command', detail: skipCommand });
    else if (skip !== null && note === undefined) skipped.push({ number: pull.number, reason: 'label', detail: skip });
    else
      listed.push({
        pull,
        target,
        tag: target && shippedIn(source, target, pull.mergedAt ?? 0),
        ...(isPartial && { isPartial }),
      });
  }
  return { listed, skipped };
}

function openIssuesOf(source: NotesSource, entries: readonly Entry[]): IssueRecord[] {
  const open: IssueRecord[] = [];
  for (const entry of entries) {
    for (const { linkedIssues } of shipped(entry)) {
      for (const number of linkedIssues) {
        const issue = source.issue(number);
        if (issue?.state === 'open') open.push(issue);
      }
    }
  }
  return distinctIssues(open);
}

function peopleOfEntries(
  source: NotesSource,
  entries: readonly Entry[],
  reverted: readonly RevertEntry[],
): Pick<Notes, 'contributors' | 'firstContributions'> {
  const credits = reverted.map(({ pull }) => creditFor(pull, peopleOf(source, pull)));
  const all = entries.some(({ twins, followUps }) => twins.length + followUps.length > 0)
    ? entries.flatMap(withJoined)
    : entries;
  const found = new Set(reverted.map(({ pull }) => pull));
  for (const entry of all) {
    const pulls = shipped(entry);
    if (pulls.length === 0) credits.push({ at: entry.at, number: 0, people: entry.people });
    for (const pull of pulls) {
      found.add(pull);
      credits.push(creditFor(pull, pull === entry.pull ? entry.people : [...entry.people, ...peopleOf(source, pull)]));
    }
  }
  credits.sort((a, b) => a.at - b.at || a.number - b.number);
  const pulls = [...found].sort(byMerge);
  const logins = new Set<string>();
  for (const { people } of credits) for (const login of people) logins.add(login);
  const contributors = distinctLogins(logins);
  return { contributors, firstContributions: firstContributions(source, pulls) };
}

function creditFor(
  { mergedAt, number }: PullRecord,
  people: string[],
): { at: number; number: number; people: string[] } {
  return { at: mergedAt ?? 0, number, people };
}
