/**
 * Keeps what a preview of a range has computed, so that the next preview of the range computes only what has changed. A
 * ledger has a base: a range that was computed in full, with a record of everything that was read for it
 * (`range/reads.ts`). The base stays valid until one of these rows changes. If the branch of an unreleased range has only
 * grown since, the pushes after the base are computed alone and added. This is done only if the new changes and the base
 * cannot influence each other. In all other cases the range is computed in full again, so a preview from a ledger always
 * equals a preview without one.
 */
import { isPartEnd } from '../../foundation/ids.ts';
import type { Bump, Change, Diagnostics, NotesSettings, SuggestedVersion } from '../../protocol/notes.ts';
import type { PullRecord, RangeBounds } from '../../protocol/stored.ts';
import type { WrittenRow } from '../../protocol/tasks.ts';
import { attribute, firstLine } from '../range/attribute.ts';
import { originalOfCommit, picksOf } from '../range/backports.ts';
import { cachingSource } from '../range/caching-source.ts';
import { branchOfRange, headOf, type RangeEnds } from '../range/ends.ts';
import { Reads } from '../range/reads.ts';
import { titleOf } from '../range/revert-targets.ts';
import { commitMentionsRevert, isRevert, pullMentionsRevert } from '../range/reverts.ts';
import { type Selection, select, selection } from '../range/select.ts';
import type { NotesSource } from '../range/source.ts';
import { stepsDown } from '../range/ways-down.ts';
import { diagnose, sumOf } from './diagnose.ts';
import { numberOf } from './entries.ts';
import { byNumber, changesOf } from './explain.ts';
import { gatherSelected, type Notes } from './gather.ts';
import { countedPulls, fewestRepetitions, leadPhraseOf } from './places.ts';
import {
  type Demand,
  demandsOf,
  type LastVersion,
  lastVersionOf,
  maxReasons,
  raised,
  stronger,
} from './suggested-version.ts';

/** The contents of a preview of a range. */
export interface RangeSummary {
  selection: Pick<Selection, 'resolution' | 'assumed' | 'ends'>;
  prCount: number;
  issueCount: number;
  commitCount: number;
  diagnostics: Diagnostics;
  suggestedVersion: SuggestedVersion;
  /** The examined changes: pull requests and issues by number, then commits with the oldest first. */
  changes: readonly (readonly Change[])[];
}

/**
 * Maximum number of commits after the base. With more commits, a new base is cheaper than to compute them for each
 * preview.
 */
const maxTail = 400;

/** A reason of an entry for a version, with the values by which entries are sorted. */
interface EntryDemand {
  priority: boolean;
  at: number;
  number: number;
  reason: Demand['reason'];
}

/** A part of a range: the base, or the pushes after it. */
interface Part {
  prCount: number;
  issueCount: number;
  commitCount: number;
  diagnostics: Diagnostics;
  changes: ReturnType<typeof changesOf>;
  /** The demands of the first entries with each bump, in the order of the entries. */
  demands: ReadonlyMap<Bump, readonly EntryDemand[]>;
  /** The demands of changes without an entry of their own. */
  others: readonly Demand[];
}

/** The facts by which later changes can influence the base, or the base can influence them. */
interface Footprint {
  numbers: ReadonlySet<number>;
  /** Numbers of issues that the pull requests link. */
  issues: ReadonlySet<number>;
  asked: Notes['asked'];
  mentionsRevert: boolean;
  leads: Notes['leads'];
}

export class Ledger {
  private readonly bounds: RangeBounds;
  private readonly context: string;
  private readonly forced: NotesSettings['nextVersion']['bump'];
  private readonly reads = new Reads();
  private readonly base: Part;
  private readonly selection: RangeSummary['selection'];
  private readonly footprint: Footprint;
  private readonly version: LastVersion;
  private readonly tags: readonly string[];
  /** The lead phrases of pull requests, as far as they were counted. */
  private readonly phrases = new Map<number, string | undefined>();
  /** Whether pushes after the base can be added. */
  private readonly isGrowing: boolean;
  private last: RangeSummary | undefined;

  /** Computes a range in full. */
  constructor(view: NotesSource, bounds: RangeBounds) {
    this.bounds = bounds;
    this.context = contextOf(view);
    this.forced = view.settings.nextVersion.bump;
    const source = cachingSource(this.reads.of(view));
    const notes = gatherSelected(source, bounds, select(source, bounds));
    const { resolution, assumed, diverged, ends } = notes.selection;
    this.selection = { resolution, assumed, ends };
    this.base = partOf(notes);
    this.version = lastVersionOf(notes);
    this.footprint = footprintOf(notes, this.base);
    this.tags = view.tags().flatMap(({ sha }) => sha ?? []);
    const isOnDefault = bounds.type === 'UNRELEASED' && branchOfRange(view, bounds) === view.repository.defaultBranch;
    const isLine = resolution === 'commits' && !assumed && !diverged && !this.reads.hasComparison;
    this.isGrowing = isOnDefault && isLine && ends?.to.sha != null && ends.to.sha !== ends.from?.sha;
    if (this.isGrowing) this.keepsLeadPhrases(source);
  }

  /** Number of changes, which the memory of a ledger is proportional to. */
  get size(): number {
    const { pulls, issues, commits } = this.base.changes;
    return pulls.length + issues.length + commits.length;
  }

  /**
   * Returns the preview of the current state.
   * @param rows all rows of the repository that were written since the last call, and maybe earlier ones
   * @returns undefined if the range has to be computed in full. Then the ledger is of no further use
   */
  summary(view: NotesSource, rows: readonly WrittenRow[] = []): RangeSummary | undefined {
    if (contextOf(view) !== this.context) return undefined;
    if (rows.length > 0 || !this.last) this.last = this.made(view, rows);
    return this.last;
  }

  private made(view: NotesSource, rows: readonly WrittenRow[]): RangeSummary | undefined {
    const own = this.isGrowing ? branchOfRange(view, this.bounds) : null;
    for (const row of rows) {
      if (row.table === 'pulls') this.phrases.delete(Number(row.key[0]));
      // The head of the branch is read again, and so are the lead phrases of pull requests.
      const isOwnHead = own !== null && row.table === 'branchHeads' && row.key[0] === own;
      if (!isOwnHead && this.reads.touches(row, own === null)) return undefined;
    }
    return own === null ? this.joined(undefined, this.selection) : this.grown(cachingSource(view));
  }

  private grown(source: NotesSource): RangeSummary | undefined {
    const { from, to } = this.selection.ends as RangeEnds;
    const head = headOf(source, to.baseRef);
    const ends = { from, to: head };
    if (head.sha === to.sha && !this.keepsLeadPhrases(source)) return undefined;
    if (head.sha === to.sha) return this.joined(undefined, { ...this.selection, ends });
    const pushes = head.sha === null ? undefined : this.pushesAfterBase(source, head.sha, to.sha as string);
    if (!pushes) return undefined;
    const selected = selection(source, { ...attribute(source, pushes), resolution: 'commits', ends });
    const notes = gatherSelected(source, this.bounds, selected);
    const tail = partOf(notes);
    return this.isApart(source, notes, tail) ? this.joined(tail, { ...this.selection, ends }) : undefined;
  }

  /**
   * Returns the pushes from the base to the head, the oldest first. Returns undefined if the way is not a single line of
   * complete pushes that are newer than all pushes below, or if it is long.
   */
  private pushesAfterBase(source: NotesSource, head: string, base: string): string[][] | undefined {
    // A walk that begins at the end of a part does not know the branch of the part.
    if (isPartEnd(base)) return undefined;
    const pushes: string[][] = [];
    const passed = new Set<string>();
    let [sha, branch, until]: [string, string | undefined, number] = [head, undefined, Number.POSITIVE_INFINITY];
    while (sha !== base) {
      const [step, ...others] = stepsDown(source, sha, branch);
      if (!step?.known || others.length > 0) return undefined;
      const { push, below, index } = step;
      const isNewer = push.at > this.reads.newestPush && push.at < until;
      if (!isNewer || index !== push.shas.length - 1) return undefined;
      for (const each of push.shas) {
        if (passed.has(each) || this.reads.hasCommit(each)) return undefined;
        passed.add(each);
      }
      if (passed.size > maxTail || pushes.length > maxTail) return undefined;
      pushes.push(push.shas);
      [sha, branch, until] = [below, push.branch, push.at];
      if (sha !== base && this.reads.hasCommit(sha)) return undefined;
    }
    // Neither a tag nor the host connects the new commits with a release.
    const isRelated = (tag: string): boolean =>
      passed.has(tag) || tag === head || !!source.comparison(tag, head) || !!source.comparison(head, tag);
    return this.tags.some(isRelated) ? undefined : pushes.reverse();
  }

  /** Whether the changes after the base and the changes of the base cannot influence each other. */
  private isApart(source: NotesSource, notes: Notes, tail: Part): boolean {
    const { numbers, issues, asked, mentionsRevert } = this.footprint;
    const { pulls, commitsWithoutPull, notCaptured } = notes.selection;
    const isKnown = (number: number): boolean => numbers.has(number) || this.reads.hasPull(number);
    // An entry of the base can have issues of a pull request that is not in the range.
    const isListed = (issue: number): boolean => issues.has(issue) || this.reads.hasIssue(issue);
    if (tail.changes.pulls.some(({ number = 0 }) => isKnown(number)) || [...notCaptured].some(isKnown)) return false;
    for (const pull of pulls) {
      if (isKnown(pull.number) || pull.linkedIssues.some(isListed)) return false;
      if (mayRevert(source, pull) || asked.pullTitles.has(titleOf(pull.title))) return false;
      if (picksOf(source, pull).length > 0) return false;
    }
    if (commitsWithoutPull.length > 0 && mentionsRevert && this.base.commitCount === 0) return false;
    for (const commit of commitsWithoutPull) {
      if (commitMentionsRevert(commit) || originalOfCommit(source, commit)) return false;
      if (asked.commitTitles.has(firstLine(commit.message))) return false;
    }
    const isAskedFor = (sha: string): boolean => commitsWithoutPull.some((commit) => commit.sha.startsWith(sha));
    return ![...asked.shas].some(isAskedFor) && this.keepsLeadPhrases(source, notes.leads);
  }

  /** Whether the same lead phrases of the base recur in the history, and no phrase of the added changes does. */
  private keepsLeadPhrases(source: NotesSource, added?: Notes['leads']): boolean {
    const { leads } = this.footprint;
    if (added && added.recurring.size > 0) return false;
    if (leads.all.size + (added?.all.size ?? 0) === 0) return true;
    const last = Math.max(leads.last, added?.last ?? 0);
    const counts = new Map<string, number>();
    for (let number = Math.max(1, last - countedPulls); number <= last; number += 1) {
      const phrase = this.phraseOf(source, number);
      if (phrase !== undefined) counts.set(phrase, (counts.get(phrase) ?? 0) + 1);
    }
    const recurs = (phrase: string): boolean => (counts.get(phrase) ?? 0) >= fewestRepetitions;
    const isSame = [...leads.all].every((phrase) => recurs(phrase) === leads.recurring.has(phrase));
    return isSame && ![...(added?.all ?? [])].some(recurs);
  }

  private phraseOf(source: NotesSource, number: number): string | undefined {
    if (!this.phrases.has(number)) {
      const pull = source.pull(number);
      this.phrases.set(number, pull && leadPhraseOf(pull));
    }
    return this.phrases.get(number);
  }

  /** Adds a later part to the base. Returns undefined if the order of the reasons for a version is not known. */
  private joined(tail: Part | undefined, selected: RangeSummary['selection']): RangeSummary | undefined {
    const { base } = this;
    const suggestedVersion = this.suggestion(tail ? [base, tail] : [base]);
    if (!suggestedVersion) return undefined;
    const { pulls, issues, commits } = base.changes;
    const added = tail?.changes;
    return {
      selection: selected,
      prCount: base.prCount + (tail?.prCount ?? 0),
      issueCount: base.issueCount + (tail?.issueCount ?? 0),
      commitCount: base.commitCount + (tail?.commitCount ?? 0),
      diagnostics: tail ? sumOf(base.diagnostics, tail.diagnostics) : base.diagnostics,
      suggestedVersion,
      changes: added
        ? [joinedByNumber(pulls, added.pulls), joinedByNumber(issues, added.issues), commits, added.commits]
        : [pulls, issues, commits],
    };
  }

  /** Suggests a version as `suggestVersion` does for the whole range. */
  private suggestion(parts: readonly Part[]): SuggestedVersion | undefined {
    const { forced, version } = this;
    const none = { version: null, bump: 'none', because: [] } as const;
    if (parts.every(({ prCount, commitCount }) => prCount + commitCount === 0)) return { ...none, because: [] };
    if (forced !== 'auto') return { ...raised(version, forced), because: [{ kind: 'setting' }] };
    const others = parts.map((part) => part.others).filter(({ length }) => length > 0);
    const bumps = parts.flatMap(({ demands }) => [...demands.keys()]);
    const all = [...bumps, ...others.map((): Bump => 'patch')];
    const wanted = all.length === 0 ? 'patch' : all.reduce(stronger);
    if (wanted === 'none') return { ...none, because: [] };
    const first = parts.flatMap(({ demands }) => demands.get(wanted) ?? []).sort(byOrder);
    const because = first.map(({ reason }) => reason);
    if (wanted === 'patch' && because.length < maxReasons) {
      if (others.length > 1) return undefined;
      because.push(...others.flat().map(({ reason }) => reason));
    }
    return { ...raised(version, wanted), because: because.slice(0, maxReasons) };
  }
}

/** Returns everything besides the captured records that a preview depends on. */
function contextOf({ repository, settings }: NotesSource): string {
  const { lastEventAt, revision, seenAt, provedAt, ...used } = repository;
  return JSON.stringify([used, settings]);
}

function partOf(notes: Notes): Part {
  const { pulls, issues, commitsWithoutPull } = notes.selection;
  const { entries, others } = demandsOf(notes);
  const demands = new Map<Bump, EntryDemand[]>();
  for (const { entry, demands: own } of entries) {
    for (const { bump, reason } of own) {
      const alike = demands.get(bump) ?? [];
      if (alike.length === 0) demands.set(bump, alike);
      if (alike.length === maxReasons) continue;
      alike.push({ priority: entry.priority, at: entry.at, number: numberOf(entry), reason });
    }
  }
  return {
    prCount: pulls.length,
    issueCount: issues.length,
    commitCount: commitsWithoutPull.length,
    diagnostics: diagnose(notes),
    changes: changesOf(notes),
    demands,
    others: others.slice(0, maxReasons),
  };
}

function footprintOf({ selection: { pulls, issues }, asked, mentionsRevert, leads }: Notes, part: Part): Footprint {
  const numbers = new Set(part.changes.pulls.map(({ number = 0 }) => number));
  const linked = new Set(issues.map(({ number }) => number));
  for (const pull of pulls) {
    numbers.add(pull.number);
    for (const number of pull.linkedIssues) linked.add(number);
  }
  return { numbers, issues: linked, asked, mentionsRevert, leads };
}

/** Whether a pull request may revert another change. */
function mayRevert(source: NotesSource, pull: PullRecord): boolean {
  const message = (pull.mergeSha === null ? undefined : source.commit(pull.mergeSha)?.message) ?? '';
  if (!pullMentionsRevert(pull)) return false;
  return /revert|reapply|reland/i.test(pull.title) || /\breverts\b/i.test(`${pull.body}\n${message}`) || isRevert(pull);
}

/** Compares by the order of entries. */
function byOrder(a: EntryDemand, b: EntryDemand): number {
  if (a.priority !== b.priority) return a.priority ? -1 : 1;
  return a.at - b.at || a.number - b.number;
}

/** Adds changes with other numbers to changes that are sorted by number. */
function joinedByNumber(sorted: readonly Change[], added: readonly Change[]): readonly Change[] {
  if (added.length === 0) return sorted;
  const last = sorted.at(-1)?.number ?? 0;
  const joined = [...sorted, ...added];
  return added.every(({ number = 0 }) => number > last) ? joined : joined.sort(byNumber);
}
