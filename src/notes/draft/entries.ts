/**
 * Makes entries from pull requests. A backport joins the entry of the change that it carries to another branch. An
 * entry contains everything known about a change, and is the same for every persona. `gather.ts` selects the pull
 * requests.
 */
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { type ReleaseNote, releaseNote, upgradeText } from '../change/body.ts';
import { type Classification, classify } from '../change/classify.ts';
import { ownWords } from '../change/dependencies.ts';
import { readLabels, type Vocabulary } from '../change/labels.ts';
import { originalOf } from '../range/backports.ts';
import { linkedClosedIssues } from '../range/select.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';
import { peopleOf } from './people.ts';

/** One change: a pull request with its backports, or only the backports if the change itself was shipped before. */
export interface Entry extends Classification {
  /** Number in the entry's marker. The number stays the same when the range grows. */
  id: number;
  /** The pull request whose words are shown. For a backport, this is the original pull request. */
  pull: PullRecord;
  /** Backports in the range. */
  backports: PullRecord[];
  /** The pull request that reverted a revert and so restored the change; null if the change was not restored. */
  restoredBy: PullRecord | null;
  issues: IssueRecord[];
  /** Author and co-authors. */
  people: string[];
  /** Upgrade instructions, taken from the body of a breaking change. */
  upgrade: string;
  note: ReleaseNote | undefined;
}

/** An original pull request with its backports in the range. */
interface Group {
  pull: PullRecord;
  backports: PullRecord[];
  /** Whether the pull request itself is in the range. */
  listed: boolean;
}

/** Makes entries. All entries of an instance use the same source and the same vocabulary. */
export class EntryMaker {
  private readonly source: NotesSource;
  private readonly vocabulary: Vocabulary;

  constructor(source: NotesSource, vocabulary: Vocabulary) {
    this.source = source;
    this.vocabulary = vocabulary;
  }

  /** Makes one entry per change. Backports share the entry of their original. */
  entries(pulls: readonly PullRecord[]): Entry[] {
    const groups = new Map<number, Group>();
    for (const pull of pulls) {
      const original = originalOf(this.source, pull);
      const shown = original ?? pull;
      const group = groups.get(shown.number) ?? { pull: shown, backports: [], listed: false };
      if (original) group.backports.push(pull);
      else group.listed = true;
      groups.set(shown.number, group);
    }
    return [...groups.values()].map((group) => this.entry(group));
  }

  /**
   * Makes the entry of a change whose revert was itself reverted. `restored` is the original pull request of the
   * change. `pull` is the pull request that reverted the revert.
   */
  restored(pull: PullRecord, restored: PullRecord): Entry {
    return { ...this.entry({ pull: restored, backports: [], listed: true }), id: pull.number, restoredBy: pull };
  }

  /**
   * Makes an entry for a pull request and its backports. Usually the entry uses the labels of the pull request. If the
   * range contains only backports, and the labels of the first backport have a meaning, the entry uses the labels of
   * the first backport.
   */
  private entry({ pull, backports, listed }: Group): Entry {
    const carriers = backports.sort(byMerge);
    const [backport] = carriers;
    const all = backport ? [pull, ...carriers] : [pull];
    const issues = backport
      ? distinctIssues(all.flatMap((each) => linkedClosedIssues(this.source, each)))
      : distinctIssues(linkedClosedIssues(this.source, pull));
    const own = backport && !listed && this.hasMeaning(backport.labels) ? backport.labels : pull.labels;
    const is = classify(pull, issues, this.vocabulary, own);
    const note = firstSaid(all, releaseNote);
    // The object is written field by field. V8 would make a slow object from a spread, and would reserve extra room in
    // an object to which fields are added later.
    return {
      section: is.section,
      kind: is.kind,
      breaking: is.breaking,
      besides: is.besides,
      areas: is.areas,
      keys: is.keys,
      priority: is.priority,
      highlight: is.highlight,
      housekeeping: is.housekeeping,
      skip: is.skip,
      text: is.text,
      id: listed || !backport ? pull.number : backport.number,
      pull,
      backports: carriers,
      restoredBy: null,
      issues,
      people: peopleOf(this.source, pull),
      upgrade: is.breaking ? upgradeOf(all, note) : '',
      note,
    };
  }

  private hasMeaning(labels: readonly string[]): boolean {
    const { specTypes, aliasTypes, areas, dependencies, skip } = readLabels(labels, this.vocabulary);
    return specTypes.size + aliasTypes.size + areas.length > 0 || dependencies || skip !== null;
  }
}

/**
 * Returns how to upgrade: the steps in a body, else the release note. The release note of a breaking change says what
 * to do about the change.
 */
function upgradeOf(pulls: readonly PullRecord[], note: ReleaseNote | undefined): string {
  return firstSaid(pulls, (body) => upgradeText(body) || undefined) ?? (note?.kind === 'text' ? note.text : '');
}

/** Reads the bodies of `pulls` in order. Returns the first result of `read` that is not undefined. */
function firstSaid<Said>(pulls: readonly PullRecord[], read: (body: string) => Said | undefined): Said | undefined {
  for (const pull of pulls) {
    const said = read(ownWords(pull));
    if (said !== undefined) return said;
  }
  return undefined;
}

/** Returns the pull requests of the draft's range that an entry represents. */
export function shipped(entry: Entry): PullRecord[] {
  if (entry.restoredBy) return [entry.restoredBy];
  if (entry.pull.number !== entry.id) return entry.backports;
  return entry.backports.length === 0 ? [entry.pull] : [entry.pull, ...entry.backports];
}

/** Compares entries: `priority: high` first, then merge order, then number (spec part 2, rule 3). */
export function byImportance(a: Entry, b: Entry): number {
  if (a.priority !== b.priority) return a.priority ? -1 : 1;
  return byMerge(firstOf(a), firstOf(b)) || a.id - b.id;
}

function firstOf({ id, pull, backports, restoredBy }: Entry): PullRecord {
  return restoredBy ?? (pull.number === id ? pull : (backports[0] ?? pull));
}

/** Returns each issue once, by number. */
export function distinctIssues(issues: IssueRecord[]): IssueRecord[] {
  if (issues.length < 2) return issues;
  const found = new Map(issues.map((issue) => [issue.number, issue]));
  return [...found.values()].sort((a, b) => a.number - b.number);
}
