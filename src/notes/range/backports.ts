/**
 * Finds the original of a backport: the pull request that the backport carries to another branch. The original and the
 * backport become one entry under the title of the original.
 */
import type { PullRecord } from '../../protocol/stored.ts';
import { visibleProse } from '../change/scan.ts';
import { parseTitle } from '../change/title.ts';
import { pullsOf } from './attribute.ts';
import { branchNow } from './branches.ts';
import type { NotesSource } from './source.ts';

const phrases =
  /\b(?:(?:manual |automated |automatic |clean )?(?:back-?port|cherry[- ]?pick)(?:s|ed|ing)?(?: of| from|:)?(?: (?:pull request|PR))?:? #(\d{1,10})(?!\w)|cherry[- ]picked from commit ([0-9a-f]{7,64})\b)/gi;
const heads = [
  /(?:^|\/)cherry-pick-(\d{1,10})-to-/,
  /(?:^|\/)backport[-/](\d{1,10})(?:-|$)/,
  /^mergify\/bp\/.{1,200}\/pr-(\d{1,10})$/,
  /(?:back-?port|cherry-?pick).{0,80}?(?:\bpr-?|#)(\d{1,10})(?!\d)/i,
];

/**
 * Returns the original of the backport `pull`: the merged pull request that `pull` carries to another branch. Returns
 * undefined when `pull` goes into the default branch, or when nothing names the original. A number at the end of the
 * title is used only if there is another sign of a backport.
 */
export function originalOf(source: NotesSource, pull: PullRecord): PullRecord | undefined {
  const { defaultBranch } = source.repository;
  const base = baseOf(source, pull);
  if (base === null || defaultBranch === null || base === defaultBranch) return undefined;
  for (const candidate of candidates(source, pull)) {
    const isOther = candidate.number !== pull.number && baseOf(source, candidate) !== base;
    if (candidate.state === 'merged' && isOther) return candidate;
  }
  return undefined;
}

function baseOf(source: NotesSource, pull: PullRecord): string | null {
  return branchNow(source, pull.baseRef, pull.mergedAt ?? pull.updatedAt);
}

function* candidates(source: NotesSource, pull: PullRecord): Iterable<PullRecord> {
  const head = heads.map((pattern) => pattern.exec(pull.headRef ?? '')?.[1]).find((digits) => digits !== undefined);
  if (head !== undefined) yield* captured(source, head);
  for (const [, digits, sha] of `${pull.title}\n${visibleProse(pull.body)}`.matchAll(phrases)) {
    if (sha !== undefined) yield* pullsOf(source, sha, source.commit(sha)).pulls;
    else yield* captured(source, digits as string);
  }
  const trailing = /\(#(\d{1,10})\)\s*$/.exec(pull.title)?.[1];
  const hinted =
    parseTitle(pull.title).target !== null || pull.author.bot || /back-?port|cherry-?pick/i.test(pull.headRef ?? '');
  if (trailing !== undefined && hinted) yield* captured(source, trailing);
}

function captured(source: NotesSource, digits: string): PullRecord[] {
  const pull = source.pull(Number(digits));
  return pull ? [pull] : [];
}
