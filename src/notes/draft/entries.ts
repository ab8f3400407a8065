/**
 * Makes entries from pull requests and from commits without a pull request. A backport joins the entry of the change
 * that it carries to another branch. An entry contains everything known about a change, and is the same for every
 * persona. `gather.ts` selects the pull requests and commits.
 */
import type { CommitRecord, IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { type ReleaseNote, releaseNote, upgradeText } from '../change/body.ts';
import { type Classification, classify } from '../change/classify.ts';
import { type Commands, readCommands, skipCommand } from '../change/commands.ts';
import { ownWords } from '../change/dependencies.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { type NoteItem, noteItems } from '../change/note.ts';
import { type ChangeRecord, changeOfCommit, changeOfPull } from '../change/record.ts';
import { endNumber, firstLine } from '../range/attribute.ts';
import { type CarriedChange, originalOfCommit, picksOf } from '../range/backports.ts';
import { linkedClosedIssues } from '../range/select.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';
import { peopleOf, peopleOfCommit } from './people.ts';
import { inlineText } from './quote.ts';

/**
 * One change: a pull request with its backports, only the backports if the change itself was shipped before, or a
 * commit without a pull request. If a release note has several statements with kinds, each of them is an entry.
 */
export interface Entry extends Classification {
  /** Ties the entry to its change in a draft, e.g. `pr:12`. The marker stays the same when the range grows. */
  marker: string;
  /** The record whose words are shown. For a backport, this is the original pull request. */
  record: ChangeRecord;
  /** The pull request that made the change; null if no captured pull request did. */
  pull: PullRecord | null;
  /** Whether `pull` itself is in the range. */
  listed: boolean;
  /** Backports in the range. */
  backports: PullRecord[];
  /** The commit that brought the change into the range, if no pull request of the range did. */
  commit: CommitRecord | null;
  /** Whether a pull request brought the change that carries several changes. */
  picked: boolean;
  /** The pull request that reverted a revert and so restored the change; null if the change was not restored. */
  restoredBy: PullRecord | null;
  issues: IssueRecord[];
  /** Author and co-authors. */
  people: string[];
  /** Upgrade instructions, taken from the body of a breaking change. */
  upgrade: string;
  /** The statement of the release note; null if the change has none. */
  note: NoteItem | null;
  /** Whether the author wrote that the change needs no release note, or that its note is about inside work. */
  declined: boolean;
  /** Time at which the change reached the branch, in milliseconds. */
  at: number;
  /** Whether a command keeps the change out of the notes. Then `skip` is the command. */
  isSkippedByCommand: boolean;
  /** Later changes to the same feature, which are counted on this entry and have no line of their own. */
  followUps: readonly Entry[];
  /** Further changes with the same words for the same issue, which are shown in this entry. */
  twins: readonly Entry[];
}

/** Most entries have no other entries in them. They share this list. */
const none: readonly Entry[] = [];
const noCommands: Commands = {};

/** A change with everything that brought it into the range. */
interface Group {
  pull: PullRecord | null;
  listed: boolean;
  backports: PullRecord[];
  commit: CommitRecord | null;
  picked: boolean;
}

/** Makes entries. All entries of an instance use the same source and the same vocabulary. */
export class EntryMaker {
  private readonly source: NotesSource;
  private readonly vocabulary: Vocabulary;
  private readonly foreign: ReadonlyMap<string, number>;

  /** @param foreign numbers that commits name but that belong to another repository, by sha */
  constructor(source: NotesSource, vocabulary: Vocabulary, foreign: ReadonlyMap<string, number>) {
    this.source = source;
    this.vocabulary = vocabulary;
    this.foreign = foreign;
  }

  /** Makes the entries of pull requests and of commits without a pull request. Each change has one group. */
  entries(pulls: readonly PullRecord[], commits: readonly CommitRecord[]): Entry[] {
    const entries: Entry[] = [];
    for (const group of this.groups(pulls, commits)) entries.push(...this.entriesOf(group));
    return entries;
  }

  /**
   * Groups what belongs to one change. If nothing is carried to another branch, each pull request and each commit is a
   * change of its own. Then the groups are made one after the other, so that they need no memory while entries are made.
   */
  private *groups(pulls: readonly PullRecord[], commits: readonly CommitRecord[]): Iterable<Group> {
    const picks = pulls.map((pull) => picksOf(this.source, pull));
    const originals = commits.map((commit) => originalOfCommit(this.source, commit));
    const isCarried = picks.some(({ length }) => length > 0) || originals.some((original) => original !== undefined);
    if (isCarried) {
      yield* joinedGroups(pulls, picks, commits, originals);
      return;
    }
    for (const pull of pulls) yield { pull, listed: true, backports: [], commit: null, picked: false };
    for (const commit of commits) yield { pull: null, listed: false, backports: [], commit, picked: false };
  }

  /**
   * Makes the entry of a change whose revert was itself reverted. `restored` is the original pull request of the
   * change. `pull` is the pull request that reverted the revert.
   */
  restored(pull: PullRecord, restored: PullRecord): Entry[] {
    const group = { pull: restored, listed: true, backports: [], commit: null, picked: false };
    const at = pull.mergedAt ?? 0;
    return this.entriesOf(group).map((entry) => ({
      ...entry,
      ...{ marker: markerOf(`pr:${pull.number}`, entry), restoredBy: pull, at },
    }));
  }

  /** Makes the entries of one change: one, or one for each statement of its release note that names a kind. */
  private entriesOf(group: Group): Entry[] {
    const { source } = this;
    const { pull, commit } = group;
    const carriers = group.backports.length > 1 ? group.backports.sort(byMerge) : group.backports;
    const record = pull ? changeOfPull(pull) : changeOfCommit(commit as CommitRecord, source.repository.url);
    const all = pull && !group.picked && carriers.length > 0 ? [pull, ...carriers] : [record];
    const issues = linkedBy(source, pull, carriers);
    const commands = this.commandsOf(group, carriers);
    const note = noteOfCommand(commands) ?? firstSaid(all, releaseNote);
    const items = noteItems(note);
    const facts: Facts = { group, carriers, record, all, issues, commands, note, several: items.length > 1 };
    return items.length === 0
      ? [this.entry(facts, undefined, 0)]
      : items.map((item, index) => this.entry(facts, item, index));
  }

  /**
   * Makes an entry. Usually the entry uses the labels of the pull request. If the range contains only backports, and the
   * labels of the first backport have a meaning, the entry uses the labels of the first backport.
   */
  private entry(facts: Facts, item: NoteItem | undefined, index: number): Entry {
    const { source } = this;
    const { group, carriers, record, all, issues, commands, note, several } = facts;
    const { pull, commit, listed, picked } = group;
    const [backport] = carriers;
    const isOwn = backport && !listed && !picked && this.hasMeaning(backport.labels);
    const isSkippedByCommand = commands.note === null;
    const is = classify(record, several ? [] : issues, {
      vocabulary: this.vocabulary,
      labels: isOwn ? backport.labels : record.labels,
      ...(item && { note: item }),
      ignoresKindLabels: several,
      commands,
      subjects: () => squashedSubjects(source, pull),
      readsVerbs: source.settings.readVerbs,
    });
    // The object is written field by field. V8 would make a slow object from a spread, and would reserve extra room in
    // an object to which fields are added later.
    return {
      section: is.section,
      kind: is.kind,
      kindBy: is.kindBy,
      breaking: is.breaking,
      mayBreak: is.mayBreak,
      besides: is.besides,
      areas: is.areas,
      keys: pull || this.foreign.has(commit?.sha ?? '') ? is.keys : keysOfCommit(is.keys, commit),
      priority: is.priority,
      highlight: is.highlight,
      housekeeping: is.housekeeping,
      skip: commands.note === undefined ? is.skip : isSkippedByCommand ? skipCommand : null,
      text: several && item ? inlineText(item.markdown.split('\n')[0] ?? '') || is.text : is.text,
      marker: markerAt(markerFor(group, carriers), index),
      record,
      pull,
      listed,
      backports: carriers,
      commit,
      picked,
      restoredBy: null,
      issues,
      people: pull ? peopleOf(source, pull) : peopleOfCommit(commit as CommitRecord),
      upgrade: is.breaking ? upgradeOf(all, item) : '',
      note: item ?? null,
      declined: note?.kind === 'none' || item?.housekeeping === true,
      at: timeOf(group, carriers),
      isSkippedByCommand,
      followUps: none,
      twins: none,
    };
  }

  /**
   * Returns the commands for a change: those of the pull request, else those of its backports. If the range contains only
   * backports, theirs come first.
   */
  private commandsOf({ pull, listed, picked }: Group, carriers: readonly PullRecord[]): Commands {
    if (!pull) return noCommands;
    const own = this.commandsIn(pull);
    if (carriers.length === 0 || picked) return own;
    const carried = Object.assign({}, ...carriers.toReversed().map((carrier) => this.commandsIn(carrier)));
    return listed ? { ...carried, ...own } : { ...own, ...carried };
  }

  private commandsIn({ number }: PullRecord): Commands {
    return readCommands(this.source.commandComments(number), this.source.repository);
  }

  private hasMeaning(labels: readonly string[]): boolean {
    const { specTypes, aliasTypes, areas, dependencies, skip } = readLabels(labels, this.vocabulary);
    return specTypes.size + aliasTypes.size + areas.length > 0 || dependencies || skip !== null;
  }
}

/**
 * Groups pull requests and commits by the change that they make or carry. `picks` has what each pull request carries,
 * and `originals` the change that each commit carries.
 */
function joinedGroups(
  pulls: readonly PullRecord[],
  picks: readonly (readonly CarriedChange[])[],
  commits: readonly CommitRecord[],
  originals: readonly (PullRecord | undefined)[],
): Iterable<Group> {
  // The key of a pull request is its number, and the key of a commit is its sha.
  const groups = new Map<number | string, Group>();
  const groupOf = (key: number | string, pull: PullRecord | null): Group => {
    let group = groups.get(key);
    if (!group) {
      group = { pull, listed: false, backports: [], commit: null, picked: false };
      groups.set(key, group);
    }
    return group;
  };
  for (const [index, pull] of pulls.entries()) {
    const carried = picks[index] as readonly CarriedChange[];
    if (carried.length === 0) groupOf(pull.number, pull).listed = true;
    for (const pick of carried) {
      const isPull = 'pull' in pick;
      const group = isPull ? groupOf(pick.pull.number, pick.pull) : groupOf(pick.commit.sha, null);
      group.backports.push(pull);
      group.picked ||= carried.length > 1;
      if (!isPull) group.commit = pick.commit;
    }
  }
  for (const [index, commit] of commits.entries()) {
    const original = originals[index];
    const group = original ? groupOf(original.number, original) : groupOf(commit.sha, null);
    if (!group.listed && group.backports.length === 0) group.commit ??= commit;
  }
  return groups.values();
}

/** What all entries of one change share. */
interface Facts {
  group: Group;
  carriers: PullRecord[];
  record: ChangeRecord;
  all: readonly ChangeRecord[];
  issues: IssueRecord[];
  commands: Commands;
  note: ReleaseNote | undefined;
  /** Whether the change has several entries. */
  several: boolean;
}

/** Returns the release note that a command gives the change; undefined if no command gives one. */
function noteOfCommand({ note }: Commands): ReleaseNote | undefined {
  return note == null ? undefined : { kind: 'text', parts: [{ label: '', text: note }] };
}

/**
 * Returns the marker of a change. The marker of a backport is its own number, because the original may join the range
 * later. A pull request that carries several changes cannot mark each of them, so their own numbers do.
 */
function markerFor({ pull, listed, picked, commit }: Group, carriers: readonly PullRecord[]): string {
  const [first] = carriers;
  if (!pull) return `commit:${commit?.sha.slice(0, 12)}`;
  if (!listed && !picked && first) return `pr:${first.number}`;
  return listed || picked || !commit ? `pr:${pull.number}` : `commit:${commit.sha.slice(0, 12)}`;
}

/** Numbers the markers of several entries of one change: `pr:12`, `pr:12.2`, `pr:12.3`. */
function markerAt(marker: string, index: number): string {
  return index === 0 ? marker : `${marker}.${index + 1}`;
}

function markerOf(marker: string, { marker: own }: Entry): string {
  return marker + (/\.\d+$/.exec(own)?.[0] ?? '');
}

function timeOf({ pull, listed, commit }: Group, [first]: readonly PullRecord[]): number {
  const carrier = listed ? pull : (first ?? pull);
  return (!listed && !first && commit ? commit.at : carrier?.mergedAt) ?? 0;
}

function linkedBy(source: NotesSource, pull: PullRecord | null, carriers: readonly PullRecord[]): IssueRecord[] {
  if (!pull) return [];
  const own = linkedClosedIssues(source, pull);
  return carriers.length === 0
    ? distinctIssues(own)
    : distinctIssues([...own, ...carriers.flatMap((each) => linkedClosedIssues(source, each))]);
}

/** Returns the keys of a commit. A number at the end of its subject names a pull request that is not captured. */
function keysOfCommit(keys: string[], commit: CommitRecord | null): string[] {
  const number = commit ? endNumber(firstLine(commit.message)) : undefined;
  return number === undefined ? keys : [...keys, `#${number}`];
}

/** Returns the subjects of the commits that were squashed into a pull request, as the host lists them: `* Add x`. */
export function squashedSubjects(source: NotesSource, pull: PullRecord | null): string[] {
  const message = pull?.mergeSha ? source.commit(pull.mergeSha)?.message : undefined;
  if (!message?.includes('\n* ')) return [];
  return message.split('\n').flatMap((line) => (line.startsWith('* ') ? [line.slice(2).trim()] : []));
}

/**
 * Returns how to upgrade: the steps in a body, else the release note. The release note of a breaking change says what
 * to do about the change.
 */
function upgradeOf(records: readonly ChangeRecord[], note: NoteItem | undefined): string {
  return firstSaid(records, (body) => upgradeText(body) || undefined) ?? note?.markdown ?? '';
}

/** Reads the bodies of `records` in order. Returns the first result of `read` that is not undefined. */
function firstSaid<Said>(records: readonly ChangeRecord[], read: (body: string) => Said | undefined): Said | undefined {
  for (const record of records) {
    const said = read(ownWords(record));
    if (said !== undefined) return said;
  }
  return undefined;
}

/** Returns the pull requests of the draft's range that an entry represents. */
export function shipped({ pull, listed, backports, restoredBy }: Entry): PullRecord[] {
  if (restoredBy) return [restoredBy];
  return listed && pull ? [pull, ...backports] : backports;
}

/** Returns an entry and the entries that are shown in it. */
export function withJoined(entry: Entry): Entry[] {
  return entry.twins.length + entry.followUps.length === 0 ? [entry] : [entry, ...entry.twins, ...entry.followUps];
}

/** Returns how a text without links refers to a change: `#12`, or the first digits of a commit. */
export function referenceOf({ marker, commit }: Entry): string {
  const number = /^pr:(\d+)/.exec(marker)?.[1];
  return number === undefined ? (commit?.sha.slice(0, 7) ?? '') : `#${number}`;
}

/** Compares entries: `priority: high` first, then the order in which they reached the branch (spec part 2, rule 3). */
export function byImportance(a: Entry, b: Entry): number {
  if (a.priority !== b.priority) return a.priority ? -1 : 1;
  return a.at - b.at || numberOf(a) - numberOf(b);
}

/** Returns the number by which entries of the same time are compared. */
export function numberOf({ pull, listed, backports, restoredBy }: Entry): number {
  const first = restoredBy ?? (listed ? pull : (backports[0] ?? pull));
  return first?.number ?? 0;
}

/** Returns each issue once, by number. */
export function distinctIssues(issues: IssueRecord[]): IssueRecord[] {
  if (issues.length < 2) return issues;
  const found = new Map(issues.map((issue) => [issue.number, issue]));
  return [...found.values()].sort((a, b) => a.number - b.number);
}
