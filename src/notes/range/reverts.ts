/**
 * Pairs reverts with what they take back. A pair inside a range cancels out; a revert of a revert restores; a revert of
 * something shipped before is a change of its own.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { visibleProse } from '../change/scan.ts';
import { parseTitle } from '../change/title.ts';
import { pullsOf } from './attribute.ts';
import { findCommitRevert, partial, quotedTitle, revertedCommit } from './commit-reverts.ts';
import { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/** Taken back inside the range, or what did so; `other` is the other one, as `#12` or a short sha. */
export interface Cancelled {
  reason: 'reverted' | 'reverts';
  other: string;
}

/** What the reverts of a range come to. */
export interface RevertOutcome {
  /** Numbers that leave the notes. */
  cancelled: Map<number, Cancelled>;
  /** Commits without a pull request that leave them, by sha. */
  cancelledCommits: Map<string, Cancelled>;
  /** Reverts of what is not in the range; `target` is what they take back, where that is captured. */
  standing: { pull: PullRecord; target: PullRecord | undefined }[];
  /** Reverts, outside the range's pairs, of reverts shipped before: they bring `restored` back. */
  restoring: { pull: PullRecord; restored: PullRecord }[];
}

/** Whether a merged pull request takes another back. */
export function isRevert(pull: PullRecord): boolean {
  const title = parseTitle(pull.title);
  return !partial.test(pull.title) && (title.revert || quotedTitle(title.text) !== undefined);
}

/** A revert, and what it takes back: a pull request, or a commit of the range. */
interface Revert {
  pull?: PullRecord;
  commit?: CommitRecord;
  target: PullRecord | undefined;
  targetCommit?: CommitRecord;
}

/** Of reverts that the range does not hold. */
const noTargets = new RevertTargets([]);

/** A name without quotes, or a number: a revert only where it leads to a merged pull request. */
const bareRevert =
  /^revert(?:s|ed|ing)?:? (?:(?:changes (?:from|in|of) )?(?:(?:PR|pull request|MR) )?[#!](\d{1,10})(?!\w)|(.{1,300})$)/i;

/**
 * Settles the reverts of a range, newest first, so that a revert that was itself taken back takes nothing back.
 * @param sameLine false where the range spans branches: then a revert cancels only on the branch of what it reverts
 * @param commits those of the range that no pull request brought: they take back, and are taken back, as well
 */
export function settleReverts(
  source: NotesSource,
  pulls: readonly PullRecord[],
  sameLine: boolean,
  commits: readonly CommitRecord[] = [],
): RevertOutcome {
  const outcome: RevertOutcome = { cancelled: new Map(), cancelledCommits: new Map(), standing: [], restoring: [] };
  const reverts: Revert[] = [];
  const targets = new RevertTargets(pulls, commits);
  for (const pull of pulls) {
    const revert = findRevert(source, pull, targets);
    if (revert) reverts.push(revert);
  }
  for (const commit of commits) {
    const revert = findCommitRevert(source, commit, targets);
    if (revert) reverts.push(revert);
  }
  if (reverts.length === 0) return outcome;
  reverts.sort(laterFirst);
  const inRange = new Set(pulls.map(({ number }) => number));
  for (const revert of reverts) {
    if (isCancelled(outcome, revert)) continue;
    const { pull, target, targetCommit } = revert;
    const onOneLine = sameLine || !pull || target?.baseRef === pull.baseRef;
    if (targetCommit || (target && inRange.has(target.number) && onOneLine)) {
      cancel(outcome, { pull: target, commit: targetCommit }, 'reverted', nameOf(revert));
      cancel(outcome, revert, 'reverts', nameOf({ pull: target, commit: targetCommit }));
      continue;
    }
    if (!pull) continue;
    const restored = target && isRevert(target) ? revertTarget(source, target, noTargets) : undefined;
    if (restored) outcome.restoring.push({ pull, restored });
    else outcome.standing.push({ pull, target });
  }
  return outcome;
}

type Side = { pull?: PullRecord | undefined; commit?: CommitRecord | undefined };

function isCancelled({ cancelled, cancelledCommits }: RevertOutcome, { pull, commit }: Side): boolean {
  return pull ? cancelled.has(pull.number) : cancelledCommits.has(commit?.sha ?? '');
}

function cancel(outcome: RevertOutcome, { pull, commit }: Side, reason: Cancelled['reason'], other: string): void {
  if (commit) outcome.cancelledCommits.set(commit.sha, { reason, other });
  else if (pull) outcome.cancelled.set(pull.number, { reason, other });
}

function nameOf({ pull, commit }: Side): string {
  return commit ? commit.sha.slice(0, 7) : `#${pull?.number}`;
}

function findRevert(source: NotesSource, pull: PullRecord, targets: RevertTargets): Revert | undefined {
  const said = /revert|reapply|reland/i.test(pull.title) || /revert/i.test(pull.body);
  if (!said || partial.test(pull.title)) return undefined;
  const target = revertTarget(source, pull, targets);
  if (target) return { pull, target };
  const targetCommit = targets.hasCommits ? revertedCommit(pull.title, visibleProse(pull.body), targets) : undefined;
  if (targetCommit) return { pull, target, targetCommit };
  return isRevert(pull) ? { pull, target } : undefined;
}

/** What a pull request takes back: named by its body or merge commit, by the quoted title's number, or by that title. */
function revertTarget(source: NotesSource, pull: PullRecord, targets: RevertTargets): PullRecord | undefined {
  const named = revertedByBody(source, pull, pull.body) ?? revertedByCommit(source, pull);
  if (named) return named;
  const title = parseTitle(pull.title);
  const [, numbered, unquoted] = bareRevert.exec(title.text) ?? [];
  const quoted = quotedTitle(title.text) ?? reappliedTitle(title.text) ?? (title.revert ? title.text : unquoted);
  const number = numbered ?? (quoted && /(?:\(#|^(?:PR )?#)(\d{1,10})\)?\s*$/.exec(quoted)?.[1]);
  const found = number && mergedBefore(source.pull(Number(number)), pull);
  return found || (quoted === undefined ? undefined : targets.pullTitled(quoted, pull));
}

function revertedByBody(source: NotesSource, pull: PullRecord, body: string): PullRecord | undefined {
  if (!/revert/i.test(body)) return undefined;
  const prose = visibleProse(body);
  for (const [, repository, digits, sha] of prose.matchAll(
    /(?<!\b(?:partially|partly|not) )\breverts (?:(?:([\w-]{1,39}\/[\w.-]{1,100})?#|(?:pull request|PR|MR) [#!])(\d{1,10})(?!\w)|(?:commit )?\[?([0-9a-f]{7,64})\b)/gi,
  )) {
    if (sha !== undefined) {
      const [found] = pullsOf(source, sha, source.commit(sha)).pulls;
      if (mergedBefore(found, pull)) return found;
    } else if (repository === undefined || sameName(repository, source.repository.fullName)) {
      const found = mergedBefore(source.pull(Number(digits)), pull);
      if (found) return found;
    }
  }
  return undefined;
}

/** The merge commit's message often names the commit taken back where the body does not. */
function revertedByCommit(source: NotesSource, pull: PullRecord): PullRecord | undefined {
  if (!isRevert(pull) || pull.mergeSha === null) return undefined;
  return revertedByBody(source, pull, source.commit(pull.mergeSha)?.message ?? '');
}

/** `Reapply "…"` takes back the revert of what it quotes. */
function reappliedTitle(text: string): string | undefined {
  const quoted = /^(?:reapply|reland) (["“'`].*["”'`])(?: ?\(#\d{1,10}\))*$/i.exec(text)?.[1];
  return quoted && `Revert ${quoted}`;
}

function mergedBefore(target: PullRecord | undefined, revert: PullRecord): PullRecord | undefined {
  if (target?.state !== 'merged' || target.number === revert.number) return undefined;
  return (target.mergedAt ?? 0) <= (revert.mergedAt ?? 0) ? target : undefined;
}

/** Of one time a pull request comes first, as its merge is noted after its commits are. */
function laterFirst(a: Revert, b: Revert): number {
  const at = ({ pull, commit }: Revert) => pull?.mergedAt ?? commit?.at ?? 0;
  return at(b) - at(a) || (b.pull?.number ?? 0) - (a.pull?.number ?? 0);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
