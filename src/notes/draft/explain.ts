/**
 * Explains for each change of a range whether it is in the notes, and why. The explanation uses the same facts as a
 * draft, so that both always agree.
 */
import type { Change, Diagnostics, Method, Reason } from '../../protocol/notes.ts';
import type { IssueRecord, PullRecord, RangeBounds } from '../../protocol/stored.ts';
import { firstLine } from '../range/attribute.ts';
import { branchNow } from '../range/branches.ts';
import type { NotesSource } from '../range/source.ts';
import { beginning, windowBetween } from '../range/window.ts';
import { diagnose } from './diagnose.ts';
import { type Entry, shipped, withJoined } from './entries.ts';
import { cleanLine } from './escape.ts';
import { gather, type Notes } from './gather.ts';
import { isUnresolved } from './issues.ts';

/** Whether a change is in the notes, why, and in which section. */
export type Verdict = Pick<Change, 'included' | 'reason' | 'detail' | 'section' | 'kindBy' | 'mayBreak'>;

/** All examined changes, and a count of the changes that lack a type label or an area. */
export interface Explanation {
  changes: Change[];
  diagnostics: Diagnostics;
}

/**
 * Explains a range. Lists pull requests by number, then issues by number, then commits with the oldest first. A range
 * with an unknown tag has no changes.
 * @param bounds valid, because the API has checked them
 */
export function explain(source: NotesSource, bounds: RangeBounds): Explanation {
  const notes = gather(source, bounds);
  const { pulls, issues, commits } = changesOf(notes);
  return { changes: [...pulls, ...issues, ...commits], diagnostics: diagnose(notes) };
}

/** Returns the examined changes: pull requests and issues by number, and commits with the oldest first. */
export function changesOf(notes: Notes): Record<'pulls' | 'issues' | 'commits', Change[]> {
  return { pulls: pullChanges(notes), issues: issueChanges(notes), commits: commitChanges(notes) };
}

/** The reasons of a range by number and by hash. */
export interface ExplainedFacts {
  pulls: ReadonlyMap<number, Verdict>;
  issues: ReadonlyMap<number, Verdict>;
  commits: ReadonlyMap<string, Verdict>;
}

/** Explains gathered facts. The result has the same reasons as `explain`. */
export function explainFacts(notes: Notes): ExplainedFacts {
  const issues = issueChanges(notes).map((issue) => [issue.number ?? 0, issue] as const);
  const commits = commitChanges(notes).map((commit) => [commit.sha ?? '', commit] as const);
  return { pulls: verdictsOf(notes), issues: new Map(issues), commits: new Map(commits) };
}

function pullChanges(notes: Notes): Change[] {
  const { selection, bounds, source } = notes;
  const verdicts = verdictsOf(notes);
  const held = selection.pulls.flatMap((pull) => {
    const verdict = verdicts.get(pull.number);
    return verdict ? [change(pull, 'pull', methodOf(notes, pull.number), verdict)] : [];
  });
  const passed = notSelected(notes).map(({ pull, verdict }) =>
    change(pull, 'pull', bounds.type === 'PR_BASED' ? 'number' : 'window', verdict),
  );
  const missing = [...selection.notCaptured].map((number): Change => {
    const title = source.repository.fullName;
    return {
      kind: 'pull',
      number,
      title: `${title}#${number}`,
      included: false,
      reason: 'notCaptured',
      method: 'subject',
    };
  });
  return [...held, ...passed, ...pickedChanges(notes), ...missing].sort(byNumber);
}

/**
 * Lists the changes that a pull request of the range brought with others. They were merged outside the range. Each of
 * them is in the list once, also if it has several entries.
 */
function pickedChanges(notes: Notes): Change[] {
  const selected = new Set(notes.selection.pulls.map(({ number }) => number));
  const picked = new Map<number, Change>();
  for (const entry of notes.entries.flatMap(withJoined)) {
    const { pull, backports } = entry;
    if (!pull || !entry.picked || selected.has(pull.number)) continue;
    if (picked.has(pull.number) && !entry.breaking) continue;
    const verdict = { ...listedAs(entry, 'cherryPicked'), ...pointing(backports[0]?.number) };
    picked.set(pull.number, change(pull, 'pull', 'subject', verdict));
  }
  for (const { number, reason, detail } of notes.dropped) {
    const pull = selected.has(number) || picked.has(number) ? undefined : notes.source.pull(number);
    const verdict = { included: false, reason, ...(detail !== undefined && { detail }) };
    if (pull) picked.set(number, change(pull, 'pull', 'subject', verdict));
  }
  return [...picked.values()];
}

/**
 * Returns the reason for each selected pull request. If a pull request is listed under another pull request, the reason
 * refers to that other pull request. A pull request with several entries has the section of its breaking entry, else of
 * its first entry. A pull request is left out only if none of its statements is listed.
 */
function verdictsOf(notes: Notes): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const entry of notes.entries) {
    for (const pull of shipped(entry)) {
      if (entry.breaking || !verdicts.has(pull.number)) verdicts.set(pull.number, entryVerdict(entry, pull));
    }
    for (const joined of [...entry.twins, ...entry.followUps])
      for (const pull of shipped(joined))
        verdicts.set(pull.number, { ...listedAs(joined, 'listed'), ...pointing(entry.pull?.number) });
  }
  for (const { pulls } of notes.updates) {
    for (const { number } of pulls)
      verdicts.set(number, { included: true, reason: 'dependency', section: 'dependencies' });
  }
  for (const { pull, target, isPartial } of notes.reverted) {
    const reason = isPartial ? 'partialRevert' : 'revert';
    verdicts.set(pull.number, { included: true, reason, section: 'reverted', ...pointing(target?.number) });
  }
  for (const { number, reason, detail } of notes.dropped) {
    if (verdicts.has(number)) continue;
    verdicts.set(number, { included: false, reason, ...(detail !== undefined && { detail }) });
  }
  for (const [number, verdict] of carrierVerdicts(notes)) verdicts.set(number, verdict);
  return verdicts;
}

/** Returns the reasons for pull requests that carry several changes. The detail names all changes that are listed. */
function carrierVerdicts(notes: Notes): Map<number, Verdict> {
  const carried = new Map<number, Set<string>>();
  for (const entry of notes.entries.flatMap(withJoined)) {
    if (!entry.picked) continue;
    const name = entry.pull ? `#${entry.pull.number}` : (entry.commit?.sha.slice(0, 7) ?? '');
    for (const { number } of entry.backports) carried.set(number, (carried.get(number) ?? new Set()).add(name));
  }
  return new Map(
    [...carried].map(([number, names]) => [
      number,
      { included: true, reason: 'backport', detail: [...names].join(', ') },
    ]),
  );
}

function entryVerdict(entry: Entry, pull: PullRecord): Verdict {
  const isOwn = pull.number === entry.pull?.number;
  if (entry.restoredBy) return { ...listedAs(entry, 'restored'), ...pointing(entry.pull?.number) };
  return isOwn ? listedAs(entry, 'listed') : { ...listedAs(entry, 'backport'), ...pointing(entry.pull?.number) };
}

function listedAs({ section, kindBy, mayBreak }: Entry, reason: Reason): Verdict {
  return {
    included: true,
    reason,
    section: section === 'dependency' ? 'dependencies' : section,
    ...(kindBy && { kindBy }),
    ...(mayBreak && { mayBreak }),
  };
}

/**
 * Returns the pull requests that were examined but not selected. For a range by number, the result contains the pull
 * requests that were not merged. If merge dates decide a range between tags, the result contains the pull requests that
 * were merged into another branch.
 */
function notSelected({ source, bounds, selection }: Notes): { pull: PullRecord; verdict: Verdict }[] {
  if (bounds.type === 'PR_BASED') {
    const numbered = [...source.pullsNumbered(bounds.fromPrNumber ?? 1, bounds.toPrNumber ?? 0)];
    return numbered.filter(({ state }) => state !== 'merged').map((pull) => ({ pull, verdict: out('unmerged') }));
  }
  const { ends, resolution } = selection;
  if (!ends || resolution !== 'window') return [];
  const { span, start, line } = windowBetween(source, ends.from ?? beginning, ends.to);
  const held = new Set(selection.pulls.map(({ number }) => number));
  const merged = [...source.pullsMergedBetween(start, span.to)];
  const cuts = new Map(line.slice(1).map(({ branch, until }) => [branch, until]));
  return merged
    .filter(({ number }) => !held.has(number))
    .map((pull) => {
      const { baseRef, mergedAt } = pull;
      const cut = cuts.get(branchNow(source, baseRef, mergedAt ?? 0) ?? '');
      const reason = cut !== undefined && (mergedAt ?? 0) > cut ? 'afterCut' : 'branch';
      return { pull, verdict: { ...out(reason), ...(baseRef !== null && { detail: baseRef }) } };
    });
}

function issueChanges(notes: Notes): Change[] {
  const linkedBy = new Map<number, PullRecord>();
  for (const pull of notes.selection.pulls) {
    for (const number of pull.linkedIssues) if (!linkedBy.has(number)) linkedBy.set(number, pull);
  }
  const issues = new Map(notes.selection.issues.map((issue) => [issue.number, issue]));
  for (const number of linkedBy.keys()) {
    const issue = notes.source.issue(number);
    if (issue) issues.set(number, issue);
  }
  const listed = new Set(notes.entries.flatMap((entry) => entry.issues.map(({ number }) => number)));
  return [...issues.values()]
    .map((issue) => issueChange(notes, issue, linkedBy.get(issue.number), listed.has(issue.number)))
    .sort(byNumber);
}

function issueChange(notes: Notes, issue: IssueRecord, by: PullRecord | undefined, listed: boolean): Change {
  const method = by ? 'link' : closedMethod(notes);
  if (issue.state === 'open') return change(issue, 'issue', method, { ...out('open'), ...pointing(by?.number) });
  if (listed) return change(issue, 'issue', method, { included: true, reason: 'linked', ...pointing(by?.number) });
  if (by) return change(issue, 'issue', method, { ...out('unlisted'), ...pointing(by.number) });
  if (isUnresolved(issue)) return change(issue, 'issue', method, out('unresolved'));
  return change(issue, 'issue', method, { included: true, reason: 'closed', section: 'issues' });
}

/** Lists the commits without a pull request. Several entries of a commit give one reason, as for a pull request. */
function commitChanges(notes: Notes): Change[] {
  const entries = new Map<string, Entry>();
  for (const entry of notes.entries.flatMap(withJoined)) {
    const sha = entry.commit?.sha;
    if (sha !== undefined && (entry.breaking || !entries.has(sha))) entries.set(sha, entry);
  }
  return notes.selection.commitsWithoutPull.map(({ sha, message }) => {
    const entry = entries.get(sha);
    const out = entry ? undefined : notes.droppedCommits.get(sha);
    const inside: Verdict = { included: true, reason: 'direct', section: 'commits' };
    const listed: Verdict = { ...(entry ? listedAs(entry, 'direct') : inside), ...listing(notes, sha) };
    const verdict = out ? { included: false, ...out } : listed;
    return { kind: 'commit', sha, title: cleanLine(firstLine(message)), ...verdict, method: 'commit' };
  });
}

/** Returns the reason why a commit is listed. */
function listing({ partialCommits, selection }: Notes, sha: string): Pick<Verdict, 'reason' | 'detail'> {
  const [part, foreign] = [partialCommits.get(sha), selection.foreign.get(sha)];
  if (part !== undefined) return { reason: 'partialRevert', ...pointing(part) };
  return foreign === undefined ? { reason: 'direct' } : { reason: 'foreign', ...pointing(foreign) };
}

function methodOf({ selection, bounds }: Notes, number: number): Method {
  if (bounds.type === 'DATE_BASED') return 'date';
  if (bounds.type === 'PR_BASED') return 'number';
  if (selection.resolution === 'window') return 'window';
  return selection.bySubject.has(number) ? 'subject' : 'mergeCommit';
}

function closedMethod({ bounds }: Notes): Method {
  if (bounds.type === 'DATE_BASED') return 'date';
  return bounds.type === 'PR_BASED' ? 'number' : 'window';
}

function change(record: PullRecord | IssueRecord, kind: 'pull' | 'issue', method: Method, verdict: Verdict): Change {
  return { kind, number: record.number, title: cleanLine(record.title), ...verdict, method };
}

function out(reason: Reason): Verdict {
  return { included: false, reason };
}

function pointing(number: number | undefined): { detail?: string } {
  return number === undefined ? {} : { detail: `#${number}` };
}

/** Compares changes by number. */
export function byNumber(a: Change, b: Change): number {
  return (a.number ?? 0) - (b.number ?? 0);
}
