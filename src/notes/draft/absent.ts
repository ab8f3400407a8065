/**
 * Says why a generated draft does not contain changes that the earlier draft or a person's edit names. A change that the
 * range has not considered is left out of the answer.
 */
import { markedIn, numberAndSha } from '../../foundation/markers.ts';
import type { AbsentChange } from '../../protocol/conflicts.ts';
import { referenceOf, shipped, withJoined } from './entries.ts';
import type { Notes } from './gather.ts';
import { isUnresolved } from './issues.ts';

type Verdict = Omit<AbsentChange, 'id'>;

/**
 * Maximum number of changes with a full reason, so that the result of a render stays far below the size of a record. A
 * later change of the range is only said to be unlisted, which takes about 40 bytes and is true for all of them.
 */
const maxReasons = 1_000;
/** Maximum number of all changes in an answer. */
const maxChanges = 5_000;
const maxDetailLength = 100;

/**
 * Returns the reasons for the changes that `bodyMd` does not contain.
 * @param named ids of changes that the earlier draft names, with the most important first. Their number is limited
 */
export function absentChanges(notes: Notes, bodyMd: string, named: Iterable<string>): AbsentChange[] {
  const wanted = new Set(named);
  // The first text of a draft is not searched for markers.
  if (wanted.size === 0) return [];
  const listed = new Set(markedIn(bodyMd));
  const ids = [...wanted].filter((id) => !listed.has(id));
  if (ids.length === 0) return [];
  const pulls = pullVerdicts(notes, listed);
  const lines = new Set([...listed].map(wholeId));
  const verdictOf = (id: string): Verdict | undefined => {
    const { number, sha } = numberAndSha(id);
    if (sha !== null) return commitVerdict(notes, sha);
    if (id.startsWith('issue:')) return issueVerdict(notes, listed, number as number);
    const verdict = pulls.get(number as number);
    // A release note can have several lines. If the draft still has another one, this line of the note is gone.
    return verdict?.reason === 'unlisted' && id.includes('.') && lines.has(wholeId(id)) ? { reason: 'note' } : verdict;
  };
  const absent: AbsentChange[] = [];
  for (const id of ids) {
    if (absent.length === maxChanges) break;
    const verdict = verdictOf(id);
    if (verdict) absent.push({ id, ...(absent.length < maxReasons ? cutDetail(verdict) : { reason: 'unlisted' }) });
  }
  return absent;
}

/** Returns the id of the first line of a change: `pr:12` for `pr:12.2`. */
function wholeId(id: string): string {
  return id.replace(/\.\d+$/, '');
}

/**
 * Returns the verdict for each pull request of the range, and for each original of a backport that has an entry.
 * @param listed ids in the markers of the draft. Not every draft lists every entry
 */
function pullVerdicts(
  { selection, entries, updates, dropped }: Notes,
  listed: ReadonlySet<string>,
): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const { number } of selection.pulls) verdicts.set(number, { reason: 'unlisted' });
  const join = (number: number, marker: string, detail: string): void => {
    if (listed.has(marker)) verdicts.set(number, { reason: 'joined', detail });
    else if (!verdicts.has(number)) verdicts.set(number, { reason: 'unlisted' });
  };
  for (const entry of entries) {
    for (const each of withJoined(entry)) {
      for (const { number } of [...(each.pull ? [each.pull] : []), ...shipped(each)])
        if (`pr:${number}` !== entry.marker) join(number, entry.marker, referenceOf(entry));
    }
  }
  for (const { pulls } of updates) {
    const first = pulls[0]?.number;
    for (const { number } of pulls.slice(1)) join(number, `pr:${first}`, `#${first}`);
  }
  for (const { number, reason, detail } of dropped)
    verdicts.set(number, { reason, ...(detail !== undefined && { detail }) });
  return verdicts;
}

function issueVerdict(
  { source, selection, entries, closedIssues }: Notes,
  listed: ReadonlySet<string>,
  number: number,
): Verdict | undefined {
  const issue = source.issue(number);
  if (issue?.state === 'open') return { reason: 'open' };
  const entry = entries.find(({ issues }) => issues.some((each) => each.number === number));
  if (entry)
    return listed.has(entry.marker) ? { reason: 'joined', detail: referenceOf(entry) } : { reason: 'unlisted' };
  if (!issue || !selection.issues.some((each) => each.number === number)) return undefined;
  if (isUnresolved(issue)) return { reason: 'unresolved' };
  return closedIssues.some((each) => each.number === number) ? { reason: 'unlisted' } : undefined;
}

function commitVerdict({ selection, droppedCommits }: Notes, hash: string): Verdict | undefined {
  const commit = selection.commitsWithoutPull.find(({ sha }) => sha.startsWith(hash));
  if (!commit) return undefined;
  return droppedCommits.get(commit.sha) ?? { reason: 'unlisted' };
}

function cutDetail({ reason, detail }: Verdict): Verdict {
  return detail === undefined ? { reason } : { reason, detail: detail.slice(0, maxDetailLength).toWellFormed() };
}
