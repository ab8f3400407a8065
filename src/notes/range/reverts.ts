/**
 * Pairs reverts with the changes that they revert. If both are inside a range, the pair is left out of the notes. A
 * revert of a revert restores the change. A revert of a change that was shipped before is a change of its own.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { visibleProse } from '../change/scan.ts';
import { parseTitle } from '../change/title.ts';
import { findCommitRevert, partial, pullNamed, quotedTitle, revertedCommit, revertedMerge } from './commit-reverts.ts';
import { MergedCommits } from './merged-commits.ts';
import { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/**
 * Why a pull request or commit is left out of the notes. `reverted`: another change in the range reverts this change.
 * `reverts`: this change reverts another change in the range. `other` names the other change, as `#12` or a short sha.
 */
export interface Cancelled {
  reason: 'reverted' | 'reverts';
  other: string;
}

/** The result of matching each revert in a range with the change that the revert undoes. */
export interface RevertOutcome {
  /** Numbers of pull requests that are left out of the notes. */
  cancelled: Map<number, Cancelled>;
  /** Commits that are left out of the notes, by sha. Only commits without a pull request are listed here. */
  cancelledCommits: Map<string, Cancelled>;
  /**
   * Reverts in the range that undo a change outside the range. `target` is the pull request that the revert undoes, if
   * this pull request is captured. `isPartial` means that the revert undoes only some commits of `target`. Then `target`
   * stays in the notes, and can also be inside the range.
   */
  unpaired: { pull: PullRecord; target: PullRecord | undefined; isPartial?: boolean }[];
  /** Commits without a pull request that revert a part of a pull request, by sha, with the number of this pull request. */
  partialCommits: Map<string, number>;
  /**
   * Reverts that restore a change. Each of them reverts another revert, which was shipped before. `restored` is the
   * change that is restored.
   */
  restoring: { pull: PullRecord; restored: PullRecord }[];
}

/** Whether a merged pull request reverts another pull request. */
export function isRevert(pull: PullRecord): boolean {
  const title = parseTitle(pull.title);
  return !partial.test(pull.title) && (title.revert || quotedTitle(title.text) !== undefined);
}

/** A revert, and the change that it reverts. Each of them is either a pull request or a commit of the range. */
interface Revert {
  pull?: PullRecord;
  commit?: CommitRecord;
  target: PullRecord | undefined;
  targetCommit?: CommitRecord;
  /** True if only some commits of `target` are reverted. */
  isPartial?: boolean;
  /** True if the pull request also has a change of its own, so that it stays in the notes. */
  staysListed?: boolean;
}

/** An empty set of targets. It is used for reverts outside the range, whose targets are not searched for by title. */
const noTargets = new RevertTargets([]);

/**
 * Matches a title such as `Revert #12` or `Revert Add search`, without quotes. Such a title is treated as a revert only
 * if the number or the text leads to a merged pull request.
 */
const bareRevert =
  /^revert(?:s|ed|ing)?:? (?:(?:changes (?:from|in|of) )?(?:(?:PR|pull request|MR) )?[#!](\d{1,10})(?!\w)|(.{1,300})$)/i;

/**
 * Pairs each revert of a range with the change that it reverts. The newest reverts are paired first, so that a revert
 * that was itself reverted has no effect.
 * @param sameLine false if the range can span several branches. In that case, a pull request cancels a change only if
 *   it was merged into the same branch as the change
 * @param commits commits of the range that belong to no pull request. Such a commit can revert a change, and can be
 *   reverted
 */
export function settleReverts(
  source: NotesSource,
  pulls: readonly PullRecord[],
  sameLine: boolean,
  commits: readonly CommitRecord[] = [],
): RevertOutcome {
  const outcome: RevertOutcome = {
    cancelled: new Map(),
    cancelledCommits: new Map(),
    unpaired: [],
    partialCommits: new Map(),
    restoring: [],
  };
  const merged = new MergedCommits(source);
  const reverts: Revert[] = [];
  const targets = new RevertTargets(pulls, commits);
  for (const pull of pulls) {
    const revert = findRevert(source, pull, targets, merged);
    if (revert) reverts.push(revert);
  }
  for (const commit of commits) {
    const revert = findCommitRevert(source, commit, targets, merged);
    if (revert) reverts.push(revert);
  }
  if (reverts.length === 0) return outcome;
  reverts.sort(laterFirst);
  const inRange = new Set(pulls.map(({ number }) => number));
  for (const revert of reverts) {
    if (isCancelled(outcome, revert)) continue;
    const { pull, target, targetCommit, isPartial, staysListed } = revert;
    if (isPartial && target) {
      if (pull) outcome.unpaired.push({ pull, target, isPartial });
      else if (revert.commit) outcome.partialCommits.set(revert.commit.sha, target.number);
      continue;
    }
    const onOneLine = sameLine || !pull || target?.baseRef === pull.baseRef;
    if (targetCommit || (target && inRange.has(target.number) && onOneLine)) {
      cancel(outcome, { pull: target, commit: targetCommit }, 'reverted', nameOf(revert));
      if (!staysListed) cancel(outcome, revert, 'reverts', nameOf({ pull: target, commit: targetCommit }));
      continue;
    }
    if (!pull || staysListed) continue;
    const restored = target && isRevert(target) ? revertTarget(source, target, noTargets, merged) : undefined;
    if (restored) outcome.restoring.push({ pull, restored });
    else outcome.unpaired.push({ pull, target });
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

function findRevert(
  source: NotesSource,
  pull: PullRecord,
  targets: RevertTargets,
  merged: MergedCommits,
): Revert | undefined {
  const mentionsRevert = /revert|reapply|reland/i.test(pull.title) || /revert/i.test(pull.body);
  if (!mentionsRevert || partial.test(pull.title)) return undefined;
  const target = revertTarget(source, pull, targets, merged);
  if (target) return { pull, target };
  const targetCommit = targets.hasCommits ? revertedCommit(pull.title, visibleProse(pull.body), targets) : undefined;
  if (targetCommit) return { pull, target, targetCommit };
  const brought = mergeReverted(source, pull, merged);
  if (isRevert(pull)) return brought ? { pull, target: brought.pull, isPartial: true } : { pull, target };
  // An update can contain the revert of a workaround. Its title names the update, and its body quotes the revert.
  return brought && !brought.isPartial ? { pull, target: brought.pull, staysListed: true } : undefined;
}

/**
 * Returns the pull request that another pull request reverts. The function searches by the body or the merge commit
 * first, then by the number in the quoted title, and then by the quoted title itself.
 */
function revertTarget(
  source: NotesSource,
  pull: PullRecord,
  targets: RevertTargets,
  merged: MergedCommits,
): PullRecord | undefined {
  const named = revertedByBody(source, pull, pull.body, merged) ?? revertedByCommit(source, pull, merged);
  if (named) return named;
  const brought = isRevert(pull) ? mergeReverted(source, pull, merged) : undefined;
  if (brought && !brought.isPartial) return brought.pull;
  const title = parseTitle(pull.title);
  const [, numbered, unquoted] = bareRevert.exec(title.text) ?? [];
  const quoted = quotedTitle(title.text) ?? reappliedTitle(title.text) ?? (title.revert ? title.text : unquoted);
  const number = numbered ?? (quoted && /(?:\(#|^(?:PR )?#)(\d{1,10})\)?\s*$/.exec(quoted)?.[1]);
  const found = number && mergedBefore(source.pull(Number(number)), pull);
  return found || (quoted === undefined ? undefined : targets.pullTitled(quoted, pull));
}

function revertedByBody(
  source: NotesSource,
  pull: PullRecord,
  body: string,
  merged: MergedCommits,
): PullRecord | undefined {
  if (!/revert/i.test(body)) return undefined;
  const prose = visibleProse(body);
  for (const [, repository, digits, sha] of prose.matchAll(
    /(?<!\b(?:partially|partly|not) )\breverts (?:(?:([\w-]{1,39}\/[\w.-]{1,100})?#|(?:pull request|PR|MR) [#!])(\d{1,10})(?!\w)|(?:commit )?\[?([0-9a-f]{7,64})\b)/gi,
  )) {
    if (sha !== undefined) {
      const found = pullNamed(source, sha, merged);
      if (mergedBefore(found, pull)) return found;
    } else if (repository === undefined || sameName(repository, source.repository.fullName)) {
      const found = mergedBefore(source.pull(Number(digits)), pull);
      if (found) return found;
    }
  }
  return undefined;
}

/**
 * Returns the reverted pull request that the message of the merge commit names. The message often names the reverted
 * commit when the body of the pull request does not.
 */
function revertedByCommit(source: NotesSource, pull: PullRecord, merged: MergedCommits): PullRecord | undefined {
  if (!isRevert(pull) || pull.mergeSha === null) return undefined;
  return revertedByBody(source, pull, source.commit(pull.mergeSha)?.message ?? '', merged);
}

/**
 * Returns the pull request whose merge brought a commit that the revert names by sha. The body of the revert, its merge
 * commit and the commits of its branch can name the reverted commits.
 */
function mergeReverted(
  source: NotesSource,
  pull: PullRecord,
  merged: MergedCommits,
): { pull: PullRecord; isPartial: boolean } | undefined {
  const texts = [visibleProse(pull.body)];
  if (isRevert(pull)) {
    const merge = pull.mergeSha === null ? undefined : source.commit(pull.mergeSha);
    texts.push(merge?.message ?? '', ...merged.commitsOf(pull).map(({ message }) => message));
  }
  const found = revertedMerge(merged, texts);
  return found && mergedBefore(found.pull, pull) ? found : undefined;
}

/** Returns the title of the revert that a title undoes. For `Reapply "X"`, this is `Revert "X"`. */
function reappliedTitle(text: string): string | undefined {
  const quoted = /^(?:reapply|reland) (["“'`].*["”'`])(?: ?\(#\d{1,10}\))*$/i.exec(text)?.[1];
  return quoted && `Revert ${quoted}`;
}

function mergedBefore(target: PullRecord | undefined, revert: PullRecord): PullRecord | undefined {
  if (target?.state !== 'merged' || target.number === revert.number) return undefined;
  return (target.mergedAt ?? 0) <= (revert.mergedAt ?? 0) ? target : undefined;
}

/**
 * Compares by time, newest first. If the times are equal, a pull request comes before a commit, because the host
 * records the merge of a pull request after its commits.
 */
function laterFirst(a: Revert, b: Revert): number {
  const at = ({ pull, commit }: Revert) => pull?.mergedAt ?? commit?.at ?? 0;
  return at(b) - at(a) || (b.pull?.number ?? 0) - (a.pull?.number ?? 0);
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
