/**
 * Says why a generated draft does not contain changes that a person's edit of the draft names. A change that the range
 * has not considered is left out of the answer.
 */
import { markedIn, numberAndSha } from '../../foundation/markers.ts';
import type { AbsentChange } from '../../protocol/conflicts.ts';
import { referenceOf, shipped, withJoined } from './entries.ts';
import type { Notes } from './gather.ts';
import { isUnresolved } from './issues.ts';

type Verdict = Omit<AbsentChange, 'id'>;

/** Maximum number of changes with a reason, so that the result of a render stays far below the size of a record. */
const maxChanges = 1_000;
const maxDetailLength = 100;

/**
 * Returns the reasons for the changes that `bodyMd` does not contain.
 * @param named ids of changes that the edited draft names
 */
export function absentChanges(notes: Notes, bodyMd: string, named: Iterable<string>): AbsentChange[] {
  const listed = new Set(markedIn(bodyMd));
  const ids = [...new Set(named)].filter((id) => !listed.has(id));
  if (ids.length === 0) return [];
  const pulls = pullVerdicts(notes);
  const lines = new Set([...listed].map(wholeId));
  const verdictOf = (id: string): Verdict | undefined => {
    const { number, sha } = numberAndSha(id);
    if (sha !== null) return commitVerdict(notes, sha);
    if (id.startsWith('issue:')) return issueVerdict(notes, number as number);
    const verdict = pulls.get(number as number);
    // A release note can have several lines. If the draft still has another one, this line of the note is gone.
    return verdict?.reason === 'unlisted' && id.includes('.') && lines.has(wholeId(id)) ? { reason: 'note' } : verdict;
  };
  const absent: AbsentChange[] = [];
  for (const id of ids) {
    const verdict = absent.length < maxChanges ? verdictOf(id) : undefined;
    if (verdict) absent.push({ id, ...cutDetail(verdict) });
  }
  return absent;
}

/** Returns the id of the first line of a change: `pr:12` for `pr:12.2`. */
function wholeId(id: string): string {
  return id.replace(/\.\d+$/, '');
}

/** Returns the verdict for each pull request of the range, and for each original of a listed backport. */
function pullVerdicts({ selection, entries, updates, dropped }: Notes): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const { number } of selection.pulls) verdicts.set(number, { reason: 'unlisted' });
  for (const entry of entries) {
    for (const each of withJoined(entry)) {
      for (const { number } of [...(each.pull ? [each.pull] : []), ...shipped(each)])
        if (`pr:${number}` !== entry.marker) verdicts.set(number, { reason: 'joined', detail: referenceOf(entry) });
    }
  }
  for (const { pulls } of updates) {
    for (const { number } of pulls.slice(1))
      verdicts.set(number, { reason: 'joined', detail: `#${pulls[0]?.number ?? number}` });
  }
  for (const { number, reason, detail } of dropped)
    verdicts.set(number, { reason, ...(detail !== undefined && { detail }) });
  return verdicts;
}

function issueVerdict({ source, selection, entries, closedIssues }: Notes, number: number): Verdict | undefined {
  const issue = source.issue(number);
  if (issue?.state === 'open') return { reason: 'open' };
  const entry = entries.find(({ issues }) => issues.some((each) => each.number === number));
  if (entry) return { reason: 'joined', detail: referenceOf(entry) };
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
