/**
 * Makes entries of pull requests: backports folded onto what they carry, with all that is known about each, the same for every
 * persona. Which pull requests there are, and what else a draft is made from, is the matter of `gather.ts`.
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

/** A change under the pull request it carries, and those of the range that brought it. */
interface Group {
  pull: PullRecord;
  backports: PullRecord[];
  /** The pull request itself is in the range. */
  listed: boolean;
}

/** Reads entries out of one source with one vocabulary. */
export class EntryMaker {
  private readonly source: NotesSource;
  private readonly vocabulary: Vocabulary;

  constructor(source: NotesSource, vocabulary: Vocabulary) {
    this.source = source;
    this.vocabulary = vocabulary;
  }

  /** An entry a change; backports of one change share the entry of their original. */
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

  /** The entry of a change that `pull` brought back. */
  restored(pull: PullRecord, restored: PullRecord): Entry {
    return { ...this.entry({ pull: restored, backports: [], listed: true }), id: pull.number, restoredBy: pull };
  }

  /** Labels are the backport's where these say something, else the original's. */
  private entry({ pull, backports, listed }: Group): Entry {
    const carriers = backports.sort(byMerge);
    const [backport] = carriers;
    const all = backport ? [pull, ...carriers] : [pull];
    const issues = backport
      ? distinctIssues(all.flatMap((each) => linkedClosedIssues(this.source, each)))
      : distinctIssues(linkedClosedIssues(this.source, pull));
    const own = backport && !listed && this.saysSomething(backport.labels) ? backport.labels : pull.labels;
    const is = classify(pull, issues, this.vocabulary, own);
    const note = firstSaid(all, releaseNote);
    // Field by field: V8 makes a slow object of a spread, and one with room for more of what is added to.
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

  private saysSomething(labels: readonly string[]): boolean {
    const { specTypes, aliasTypes, areas, dependencies, skip } = readLabels(labels, this.vocabulary);
    return specTypes.size + aliasTypes.size + areas.length > 0 || dependencies || skip !== null;
  }
}

/** The steps that a body gives, else its release note: of what breaks, that says what to do. */
function upgradeOf(pulls: readonly PullRecord[], note: ReleaseNote | undefined): string {
  return firstSaid(pulls, (body) => upgradeText(body) || undefined) ?? (note?.kind === 'text' ? note.text : '');
}

/** What the first of some bodies to say anything says. */
function firstSaid<Said>(pulls: readonly PullRecord[], read: (body: string) => Said | undefined): Said | undefined {
  for (const pull of pulls) {
    const said = read(ownWords(pull));
    if (said !== undefined) return said;
  }
  return undefined;
}

/** Pull requests of the range that an entry stands for. */
export function shipped(entry: Entry): PullRecord[] {
  if (entry.restoredBy) return [entry.restoredBy];
  if (entry.pull.number !== entry.id) return entry.backports;
  return entry.backports.length === 0 ? [entry.pull] : [entry.pull, ...entry.backports];
}

/** `priority: high` first, then in merge order, then by number (spec part 2, rule 3). */
export function byImportance(a: Entry, b: Entry): number {
  if (a.priority !== b.priority) return a.priority ? -1 : 1;
  return byMerge(firstOf(a), firstOf(b)) || a.id - b.id;
}

function firstOf({ id, pull, backports, restoredBy }: Entry): PullRecord {
  return restoredBy ?? (pull.number === id ? pull : (backports[0] ?? pull));
}

/** Issues once each, by number. */
export function distinctIssues(issues: IssueRecord[]): IssueRecord[] {
  if (issues.length < 2) return issues;
  const found = new Map(issues.map((issue) => [issue.number, issue]));
  return [...found.values()].sort((a, b) => a.number - b.number);
}
