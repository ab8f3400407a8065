/**
 * Notes what a draft is generated from, in about 20 bytes per change. A later generation is compared with these facts
 * to find out why its text differs.
 */
import { digestOf } from '../../foundation/etag.ts';
import { numberAndSha } from '../../foundation/markers.ts';
import type { DraftFacts } from '../../protocol/outdated.ts';
import type { IssueRecord, PullRecord } from '../../protocol/stored.ts';
import { readCommands } from '../change/commands.ts';
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

/** The digests of a change: three in one text, and that of the commands in its comments, if it has any. */
export interface Digests {
  mark: string;
  commands?: string | undefined;
}

/**
 * Returns the facts of a range.
 * @param ids ids of the changes that the text names
 */
export function factsOf(notes: Notes, ids: Iterable<string>): DraftFacts {
  const digestFor = digester(notes);
  const marks: Record<string, string> = {};
  const commands: Record<string, string> = {};
  const { selection, dropped } = notes;
  const left = [...selection.pulls, ...dropped].map(({ number }) => `pr:${number}`);
  const all = new Set([...ids, ...left, ...selection.issues.map(({ number }) => `issue:${number}`)]);
  const reverted = new Set(dropped.flatMap(({ number, reason }) => (isRevert(reason) ? [`pr:${number}`] : [])));
  for (const id of [...all].slice(0, maxMarks)) {
    const digests = digestFor(id);
    if (digests === undefined) continue;
    marks[id] = reverted.has(id) ? digests.mark + revertedMark : digests.mark;
    if (digests.commands !== undefined) commands[id] = digests.commands;
  }
  return { marks, commands, settings: settingsDigest(notes), ends: endShas(notes) };
}

/** Returns a function that returns the digests of a change; undefined for a change that cannot be edited. */
export function digester(notes: Notes): (id: string) => Digests | undefined {
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

function pullDigests({ source }: Notes, pulls: readonly PullRecord[]): Digests | undefined {
  if (pulls.length === 0) return undefined;
  const issues = pulls.flatMap(({ linkedIssues }) => linkedIssues.map((number) => issueState(source.issue(number))));
  const words = pulls.map(({ title, body }) => [title, body]);
  const mark = short(words) + short(pulls.map(({ labels }) => labels)) + short(issues);
  const commands = pulls.map(({ number }) => readCommands(source.commandComments(number), source.repository));
  return commands.some((each) => Object.keys(each).length > 0) ? { mark, commands: short(commands) } : { mark };
}

function issueDigests(issue: IssueRecord | undefined): Digests | undefined {
  if (!issue) return undefined;
  const { title, body, labels, state, stateReason } = issue;
  return { mark: short([title, body]) + short(labels) + short([state, stateReason]) };
}

function issueState(issue: IssueRecord | undefined): unknown {
  return issue && [issue.number, issue.title, issue.state, issue.stateReason, issue.labels];
}

function short(content: unknown): string {
  return digestOf(JSON.stringify(content)).slice(0, digestLength);
}
