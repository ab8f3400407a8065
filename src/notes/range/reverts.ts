/**
 * Pairs reverts with the changes that they revert. A revert can revert several changes. If all of them are inside a
 * range, the revert and these changes are left out of the notes. A revert of a revert restores the change. A revert of a
 * change that was shipped before is a change of its own.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { visibleProse } from '../change/scan.ts';
import { parseTitle } from '../change/title.ts';
import {
  findCommitRevert,
  partial,
  pullNamed,
  quotedTitle,
  type RevertTarget,
  revertedCommits,
  revertedMerges,
} from './commit-reverts.ts';
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
  /** Titles and shas that the reverts of the range searched for among its changes. */
  asked: RevertTargets['asked'];
  /** Whether a change of the range has words that a revert may have. */
  mentionsRevert: boolean;
}

/** Whether a merged pull request reverts another pull request. */
export function isRevert(pull: PullRecord): boolean {
  const title = parseTitle(pull.title);
  return !partial.test(pull.title) && (title.revert || quotedTitle(title.text) !== undefined);
}

/** A revert, and the changes that it reverts. The revert is either a pull request or a commit of the range. */
interface Revert {
  pull?: PullRecord;
  commit?: CommitRecord;
  /** Empty if no known change is the target. */
  targets: RevertTarget[];
  /** True if only some commits of the first target are reverted. */
  isPartial?: boolean;
  /** True if the pull request also has a change of its own, so that it stays in the notes. */
  staysListed?: boolean;
}

/**
 * Maximum number of changes that one revert reverts. A body has room for thousands of names. Each of them is compared
 * with what the named change reverts itself.
 */
const maxTargets = 100;

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
  const targets = new RevertTargets(pulls, commits);
  const outcome: RevertOutcome = {
    cancelled: new Map(),
    cancelledCommits: new Map(),
    unpaired: [],
    partialCommits: new Map(),
    restoring: [],
    asked: targets.asked,
    mentionsRevert: false,
  };
  const reverts: Revert[] = [];
  for (const pull of pulls) {
    if (!pullMentionsRevert(pull)) continue;
    outcome.mentionsRevert = true;
    const revert = findRevert(source, pull, targets);
    if (revert) reverts.push(limited(revert));
  }
  for (const commit of commits) {
    outcome.mentionsRevert ||= commitMentionsRevert(commit);
    const revert = findCommitRevert(source, commit, targets);
    if (revert) reverts.push(limited(revert));
  }
  if (reverts.length === 0) return outcome;
  reverts.sort(laterFirst);
  const inRange = new Set(pulls.map(({ number }) => number));
  const byChange = new Map(reverts.map((revert) => [keyOf(revert), revert]));
  for (const revert of reverts) {
    if (isCancelled(outcome, revert)) continue;
    const { pull, isPartial, staysListed } = revert;
    const changes = withoutRestored(revert, byChange);
    const first = changes[0]?.pull;
    if (isPartial && first) {
      if (pull) outcome.unpaired.push({ pull, target: first, isPartial });
      else if (revert.commit) outcome.partialCommits.set(revert.commit.sha, first.number);
      continue;
    }
    const isPaired = ({ pull: target, commit }: RevertTarget): boolean =>
      commit !== undefined ||
      (target !== undefined && inRange.has(target.number) && (sameLine || !pull || target.baseRef === pull.baseRef));
    const paired = changes.filter(isPaired);
    for (const change of paired) cancel(outcome, change, 'reverted', nameOf(revert));
    if (staysListed) continue;
    const [one] = paired;
    if (one && paired.length === changes.length) cancel(outcome, revert, 'reverts', nameOf(one));
    if (!pull || paired.length === Math.max(1, changes.length)) continue;
    const target = changes.find((change) => !isPaired(change))?.pull;
    const restored = target && isRevert(target) ? revertedBy(source, target) : undefined;
    if (restored) outcome.restoring.push({ pull, restored });
    else outcome.unpaired.push({ pull, target });
  }
  return outcome;
}

/** Returns the change that a revert outside the range reverts. Its targets are not searched for by title. */
function revertedBy(source: NotesSource, revert: PullRecord): PullRecord | undefined {
  // Each call has its own empty targets, because they keep the titles that they are asked for.
  return revertTargets(source, revert, new RevertTargets([]))[0]?.pull;
}

function limited(revert: Revert): Revert {
  const { targets } = revert;
  return targets.length <= maxTargets ? revert : { ...revert, targets: targets.slice(0, maxTargets) };
}

/**
 * Returns the changes that a revert removes. The text of a revert of a revert can name both the revert and the change
 * that is restored. The restored change is left out.
 */
function withoutRestored({ targets }: Revert, byChange: ReadonlyMap<number | string, Revert>): RevertTarget[] {
  if (targets.length < 2) return targets;
  const restored = new Set(targets.flatMap((target) => byChange.get(keyOf(target))?.targets.map(keyOf) ?? []));
  const left = targets.filter((target) => !restored.has(keyOf(target)));
  return left.length > 0 ? left : targets.slice(0, 1);
}

/** Returns the sha of a commit or the number of a pull request. */
function keyOf({ pull, commit }: RevertTarget): number | string {
  return commit?.sha ?? pull?.number ?? 0;
}

function isCancelled({ cancelled, cancelledCommits }: RevertOutcome, { pull, commit }: RevertTarget): boolean {
  return pull ? cancelled.has(pull.number) : cancelledCommits.has(commit?.sha ?? '');
}

function cancel(
  outcome: RevertOutcome,
  { pull, commit }: RevertTarget,
  reason: Cancelled['reason'],
  other: string,
): void {
  if (commit) outcome.cancelledCommits.set(commit.sha, { reason, other });
  else if (pull) outcome.cancelled.set(pull.number, { reason, other });
}

function nameOf({ pull, commit }: RevertTarget): string {
  return commit ? commit.sha.slice(0, 7) : `#${pull?.number}`;
}

/** Whether a pull request has words that a revert may have. */
export function pullMentionsRevert({ title, body }: PullRecord): boolean {
  return /revert|reapply|reland/i.test(title) || /revert/i.test(body);
}

/** Whether a commit has words that a revert may have. */
export function commitMentionsRevert({ message }: CommitRecord): boolean {
  return /revert/i.test(message);
}

function findRevert(source: NotesSource, pull: PullRecord, targets: RevertTargets): Revert | undefined {
  if (partial.test(pull.title)) return undefined;
  const named = revertTargets(source, pull, targets);
  if (named.length > 0) return { pull, targets: named };
  const commits = targets.hasCommits ? revertedCommits(pull.title, visibleProse(pull.body), targets) : [];
  if (commits.length > 0) return { pull, targets: commits.map((commit) => ({ commit })) };
  const brought = mergeReverted(source, pull);
  if (isRevert(pull)) return brought ? { pull, targets: brought.targets, isPartial: true } : { pull, targets: [] };
  // An update can contain the revert of a workaround. Its title names the update, and its body quotes the revert.
  return brought && !brought.isPartial ? { pull, targets: brought.targets, staysListed: true } : undefined;
}

/**
 * Returns the changes that a pull request reverts, with at least one pull request. Returns an empty list if there is
 * none. The function searches by the body or the merge commit first, then by the number in the quoted title, and then by
 * the quoted title itself. Only a text can name several changes.
 */
function revertTargets(source: NotesSource, pull: PullRecord, targets: RevertTargets): RevertTarget[] {
  const byBody = revertedByText(source, pull, pull.body, targets);
  const named = byBody.length > 0 ? byBody : revertedByCommit(source, pull, targets);
  if (named.length > 0) return named;
  const brought = isRevert(pull) ? mergeReverted(source, pull) : undefined;
  if (brought && !brought.isPartial) return brought.targets;
  const title = parseTitle(pull.title);
  const [, numbered, unquoted] = bareRevert.exec(title.text) ?? [];
  const quoted = quotedTitle(title.text) ?? reappliedTitle(title.text) ?? (title.revert ? title.text : unquoted);
  const number = numbered ?? (quoted && /(?:\(#|^(?:PR )?#)(\d{1,10})\)?\s*$/.exec(quoted)?.[1]);
  const numberedPull = number ? mergedBefore(source.pull(Number(number)), pull) : undefined;
  const found = numberedPull ?? (quoted === undefined ? undefined : targets.pullTitled(quoted, pull));
  return found ? [{ pull: found }] : [];
}

/** Matches a sentence that names reverted changes, up to the first one: `Reverts #12`, `This reverts commit …`. */
const revertSentence =
  /(?<!\b(?:partially|partly|not) )\breverts (?:(?:([\w-]{1,39}\/[\w.-]{1,100})?#|(?:pull request|PR|MR) [#!])(\d{1,10})(?!\w)|(?:commits? )?\[?([0-9a-f]{7,64})\b)/gi;
/** Matches a further change of such a sentence: ` and #13`. */
const furtherTarget =
  /(?:,? and |, ?| & )(?:(?:([\w-]{1,39}\/[\w.-]{1,100})?#|(?:pull request|PR|MR) [#!])(\d{1,10})(?!\w)|([0-9a-f]{7,64})\b)/iy;
const sentenceEnd = /[ \t]*(?:[.;:!)\r\n]|$)/y;
/** Matches what can be before the verb of a sentence about the revert itself. `#15 reverts #9` is about another one. */
const ownSubject = /[\n.;:!][ \t*+-]*(?:(?:this|it|also|and)(?: (?:PR|pull request|commit|change))? ){0,3}$/i;
const maxSubjectLength = 60;

/**
 * Returns the changes that the text of a revert names, with the pull requests first. Returns an empty list if the text
 * names no pull request.
 */
function revertedByText(source: NotesSource, pull: PullRecord, text: string, targets: RevertTargets): RevertTarget[] {
  if (!/revert/i.test(text)) return [];
  const prose = `\n${visibleProse(text)}`;
  const pulls = new Set<PullRecord>();
  const shas: string[] = [];
  const add = ([, repository, digits, sha]: RegExpMatchArray): void => {
    const isOurs = repository === undefined || sameName(repository, source.repository.fullName);
    const named = sha !== undefined ? pullNamed(source, sha) : isOurs ? source.pull(Number(digits)) : undefined;
    const found = mergedBefore(named, pull);
    if (found) pulls.add(found);
    else if (sha !== undefined) shas.push(sha);
  };
  for (const sentence of prose.matchAll(revertSentence)) {
    const { index } = sentence;
    if (pulls.size > 0 && !ownSubject.test(prose.slice(Math.max(0, index - maxSubjectLength), index))) continue;
    add(sentence);
    for (const further of furtherTargets(prose, index + sentence[0].length)) add(further);
  }
  if (pulls.size === 0) return [];
  const commits = new Set(targets.hasCommits ? shas.flatMap((sha) => targets.commitNamed(sha) ?? []) : []);
  return [...[...pulls].map((pull) => ({ pull })), ...[...commits].map((commit) => ({ commit }))];
}

/** Returns the further changes in a sentence. Returns an empty list if the sentence goes on after them. */
function furtherTargets(prose: string, from: number): RegExpMatchArray[] {
  const found: RegExpMatchArray[] = [];
  let end = from;
  for (;;) {
    furtherTarget.lastIndex = end;
    const further = furtherTarget.exec(prose);
    if (!further) break;
    found.push(further);
    end = furtherTarget.lastIndex;
  }
  sentenceEnd.lastIndex = end;
  return sentenceEnd.test(prose) ? found : [];
}

/**
 * Returns the reverted changes that the message of the merge commit names. The message often names the reverted commits
 * when the body of the pull request does not.
 */
function revertedByCommit(source: NotesSource, pull: PullRecord, targets: RevertTargets): RevertTarget[] {
  if (!isRevert(pull) || pull.mergeSha === null) return [];
  return revertedByText(source, pull, source.commit(pull.mergeSha)?.message ?? '', targets);
}

/**
 * Returns the pull requests whose merges brought the commits that the revert names by sha. The body of the revert, its
 * merge commit and the commits of its branch can name the reverted commits.
 */
function mergeReverted(
  source: NotesSource,
  pull: PullRecord,
): { targets: RevertTarget[]; isPartial: boolean } | undefined {
  const texts = [visibleProse(pull.body)];
  if (isRevert(pull)) {
    const merge = pull.mergeSha === null ? undefined : source.commit(pull.mergeSha);
    texts.push(
      merge?.message ?? '',
      ...MergedCommits.of(source)
        .commitsOf(pull)
        .map(({ message }) => message),
    );
  }
  const found = revertedMerges(source, texts);
  const targets = (found?.pulls ?? [])
    .flatMap((each) => mergedBefore(each, pull) ?? [])
    .map((each) => ({ pull: each }));
  return found && targets.length > 0 ? { targets, isPartial: found.isPartial } : undefined;
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
