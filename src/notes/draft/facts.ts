/**
 * Notes what a draft is generated from, in about 20 bytes per change. A later generation is compared with these facts
 * to find out why its text differs.
 */
import { digestOf } from '../../foundation/etag.ts';
import { numberAndSha } from '../../foundation/markers.ts';
import type { DraftFacts } from '../../protocol/outdated.ts';
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { shipped, withJoined } from './entries.ts';
import type { LeftOut, Notes } from './gather.ts';

/** Length of a digest in characters of base64url: 24 bits. A wrong match only hides one reason of several. */
export const digestLength = 4;
/** Follows the digests of a change that a revert left out, or that is itself this revert. */
const revertedMark = 'r';
/** Maximum number of changes in the facts. The facts of a longer draft stay far below the size of a record. */
const maxMarks = 10_000;

/** What the three digests of a change are about, in their order. */
export const digestedParts = ['edited', 'label', 'issue'] as const;

/**
 * Returns the facts of a range.
 * @param ids ids of the changes that the text names
 */
export function factsOf(notes: Notes, ids: Iterable<string>): DraftFacts {
  const digestFor = digester(notes);
  const marks: Record<string, string> = {};
  const { selection, dropped } = notes;
  const left = [...selection.pulls, ...dropped].map(({ number }) => `pr:${number}`);
  const all = new Set([...ids, ...left, ...selection.issues.map(({ number }) => `issue:${number}`)]);
  const reverted = new Set(dropped.flatMap(({ number, reason }) => (isRevert(reason) ? [`pr:${number}`] : [])));
  for (const id of [...all].slice(0, maxMarks)) {
    const digests = digestFor(id);
    if (digests !== undefined) marks[id] = reverted.has(id) ? digests + revertedMark : digests;
  }
  return { marks, settings: settingsDigest(notes), ends: endShas(notes) };
}

/** Returns a function that returns the digests of a change; undefined for a change that cannot be edited. */
export function digester(notes: Notes): (id: string) => string | undefined {
  const pulls = new Map<string, PullRecord[]>();
  for (const entry of notes.entries) {
    const all = withJoined(entry).flatMap((each) => [...(each.pull ? [each.pull] : []), ...shipped(each)]);
    if (all.length > 0) pulls.set(entry.marker, [...new Set(all)]);
  }
  return (id) => {
    const { number, sha } = numberAndSha(id);
    if (sha !== null) {
      const carried = pulls.get(id);
      return carried && pullDigests(notes, carried);
    }
    if (id.startsWith('issue:')) return issueDigests(notes.source.issue(number as number));
    const pull = pulls.has(id) ? undefined : notes.source.pull(number as number);
    return pullDigests(notes, pulls.get(id) ?? (pull ? [pull] : []));
  };
}

/** Whether a change was left out because of a revert, by its mark. */
export function wasReverted(mark: string): boolean {
  return mark.endsWith(revertedMark) && mark.length > digestedParts.length * digestLength;
}

function isRevert(reason: LeftOut['reason']): boolean {
  return reason === 'reverted' || reason === 'reverts';
}

/** Returns the digest of the settings that a text depends on. */
export function settingsDigest({ source }: Notes): string {
  const { strictPublishing: _, nextVersion: _version, ...settings } = source.settings;
  return short(settings);
}

/**
 * Returns the commits of the range's tags. The head of a branch is not among them, because it moves with each merge.
 */
export function endShas({ bounds, selection: { ends } }: Notes): (string | null)[] {
  if (!ends) return [];
  const from = ends.from?.sha ?? null;
  return bounds.type === 'UNRELEASED' ? [from] : [from, ends.to.sha];
}

function pullDigests({ source }: Notes, pulls: readonly PullRecord[]): string | undefined {
  if (pulls.length === 0) return undefined;
  const issues = pulls.flatMap(({ linkedIssues }) => linkedIssues.map((number) => issueState(source.issue(number))));
  return (
    short(pulls.map(({ title, body }) => [title, body])) + short(pulls.map(({ labels }) => labels)) + short(issues)
  );
}

function issueDigests(issue: IssueRecord | undefined): string | undefined {
  return issue && short([issue.title, issue.body]) + short(issue.labels) + short([issue.state, issue.stateReason]);
}

function issueState(issue: IssueRecord | undefined): unknown {
  return issue && [issue.number, issue.title, issue.state, issue.stateReason, issue.labels];
}

function short(content: unknown): string {
  return digestOf(JSON.stringify(content)).slice(0, digestLength);
}
