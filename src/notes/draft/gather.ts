/**
 * Gathers the facts of a draft: entries, dependency updates, issues, people, and left-out changes with their reasons.
 * The facts are the same for every persona. The personas choose the wording.
 */
import type { Reason } from '../../protocol/notes.ts';
import type { CommitRecord, IssueRecord, PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { chainUpdates, type DependencyUpdate } from '../change/dependencies.ts';
import { createVocabulary, readLabels, type Vocabulary } from '../change/labels.ts';
import { isRelease } from '../change/routine.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine } from '../range/attribute.ts';
import { cachingSource } from '../range/caching-source.ts';
import { publicationOf, publicationOfCommit } from '../range/publication.ts';
import { shippedBefore, shippedIn } from '../range/releases.ts';
import { type Cancelled, type RevertOutcome, settleReverts } from '../range/reverts.ts';
import { type Selection, select } from '../range/select.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';
import { byImportance, distinctIssues, type Entry, EntryMaker, shipped } from './entries.ts';
import { highlightsOf } from './highlights.ts';
import { closedWithoutPull } from './issues.ts';
import { distinctLogins, type FirstContribution, firstContributions, peopleOf } from './people.ts';

/** A revert of a change that is not in the range. */
export interface RevertEntry {
  pull: PullRecord;
  target: PullRecord | undefined;
  /** True if the revert undoes only some commits of `target`. Then `target` can also be in the range. */
  isPartial?: boolean;
  /** The tag that first shipped the reverted change. */
  tag: string | undefined;
}

/** Why a selected pull request has no entry. */
export interface Dropped {
  number: number;
  reason: Extract<Reason, 'release' | 'label' | 'author' | 'reverted' | 'reverts' | 'shipped' | 'publication'>;
  /** The reason refers to this label, tag, login, publication, or number of another pull request (`#12`). */
  detail?: string;
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
  directCommits: CommitRecord[];
  /** Direct commits that are left out, because they were reverted or they reverted a change. The keys are shas. */
  cancelledCommits: ReadonlyMap<string, Cancelled>;
  /** Direct commits that revert a part of a pull request, by sha, with the number of this pull request. */
  partialCommits: ReadonlyMap<string, number>;
  contributors: string[];
  firstContributions: FirstContribution[];
  /** Selected pull requests without an entry, sorted by number. */
  dropped: Dropped[];
  vocabulary: Vocabulary;
}

/**
 * Gathers the facts of a range: selects pull requests, pairs reverts, joins backports to their originals, classifies
 * changes and leaves out some changes.
 */
export function gather(reading: NotesSource, bounds: RangeBounds): Notes {
  const source = cachingSource(reading);
  const vocabulary = createVocabulary(source.settings);
  const selection = select(source, bounds);
  const { pulls, commitsWithoutPull } = selection;
  const settled = settleReverts(source, pulls, selection.resolution !== 'window', commitsWithoutPull);
  const all = entriesOf(new EntryMaker(source, vocabulary), selection, settled);
  const why = leavingOut(source, bounds, selection);
  const reverts = revertsOf(source, settled, vocabulary);
  const leftOut: Dropped[] = [];
  for (const entry of all) leftOut.push(...(why(entry) ?? []));
  const dropped = [...leftOut, ...cancelledOf(settled), ...reverts.skipped];
  const out = new Map(dropped.map((each) => [each.number, each.reason]));
  const kept = out.size === 0 ? all : all.filter((entry) => !shipped(entry).some(({ number }) => out.has(number)));
  const entries = kept.filter(({ section }) => section !== 'dependency');
  return {
    source,
    bounds,
    selection,
    entries,
    highlights: highlightsOf(source, entries),
    alreadyShipped: out.size === 0 ? [] : all.filter((entry) => out.get(entry.id) === 'shipped'),
    reverted: reverts.listed,
    updates: chainUpdates(
      kept
        .filter(({ section }) => section === 'dependency')
        .flatMap(shipped)
        .sort(byMerge),
    ),
    closedIssues: closedWithoutPull(selection),
    openIssues: () => openIssuesOf(source, kept),
    directCommits: commitsWithoutPull.filter(
      ({ sha, message }) =>
        !settled.cancelledCommits.has(sha) &&
        !isRelease(parseTitle(firstLine(message))) &&
        publicationOf(message) === undefined,
    ),
    cancelledCommits: settled.cancelledCommits,
    partialCommits: settled.partialCommits,
    ...peopleOfEntries(source, entries, reverts.listed),
    dropped: dropped.sort((a, b) => a.number - b.number),
    vocabulary,
  };
}

function entriesOf(maker: EntryMaker, { pulls }: Selection, settled: RevertOutcome): Entry[] {
  const setAside = new Set([...settled.unpaired, ...settled.restoring].map(({ pull }) => pull.number));
  const remaining = pulls.filter(({ number }) => !settled.cancelled.has(number) && !setAside.has(number));
  const restored = settled.restoring.map(({ pull, restored }) => maker.restored(pull, restored));
  return [...maker.entries(remaining), ...restored].sort(byImportance);
}

/**
 * Returns a function that reports why an entry is left out. The report has one item for each pull request of the entry.
 * For an entry that is kept, the function returns undefined. Only a label can leave out a breaking change.
 */
function leavingOut(
  source: NotesSource,
  bounds: RangeBounds,
  selection: Selection,
): (entry: Entry) => Dropped[] | undefined {
  const excluded = new Set(source.settings.excludedAuthors.map((login) => login.toLowerCase()));
  const before = shippedBefore(source, bounds, selection);
  return (entry) => {
    const drop = (reason: Dropped['reason'], detail?: string): Dropped[] =>
      shipped(entry).map(({ number }) => ({ number, reason, ...(detail !== undefined && { detail }) }));
    if (entry.skip !== null) return drop('label', entry.skip);
    if (entry.breaking) return undefined;
    if (entry.kind === 'release') return drop('release');
    const publication = publicationOfCommit(source, selection.publications, entry.pull);
    if (publication !== undefined) return drop('publication', publication);
    if (excluded.has(entry.pull.author.login.toLowerCase())) return drop('author', entry.pull.author.login);
    return before.has(entry.pull.number) && !entry.restoredBy ? drop('shipped', bounds.fromTag) : undefined;
  };
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
    if (skip !== null) skipped.push({ number: pull.number, reason: 'label', detail: skip });
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
  const credits = reverted.map(({ pull }) => ({ pull, people: peopleOf(source, pull) }));
  for (const entry of entries) {
    for (const pull of shipped(entry)) {
      const people = pull === entry.pull ? entry.people : [...entry.people, ...peopleOf(source, pull)];
      credits.push({ pull, people });
    }
  }
  credits.sort((a, b) => byMerge(a.pull, b.pull));
  const pulls = credits.map(({ pull }) => pull);
  const logins = new Set<string>();
  for (const { people } of credits) for (const login of people) logins.add(login);
  const contributors = distinctLogins(logins);
  return { contributors, firstContributions: firstContributions(source, pulls) };
}
