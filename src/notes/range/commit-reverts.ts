/**
 * Finds reverts that involve commits without a pull request. Such a commit can revert a change, or a pull request can
 * revert such a commit. `reverts.ts` decides which changes stay in the notes.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine, pullsOf } from './attribute.ts';
import { MergedCommits } from './merged-commits.ts';
import type { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/** Matches the title of a partial revert. A partial revert leaves the reverted change in the notes. */
export const partial = /\bpartial(?:ly)?\b/i;
const revertedSha = /^This reverts commit ([0-9a-f]{7,64})\b/gim;

/**
 * Matches each sentence that names reverted commits: `This reverts commit abc1234`, `Reverts commits abc1234 and …`. A
 * short hash finds only a commit of the range that belongs to no pull request. Merges and the commits that they brought
 * are found by their full hashes.
 */
const revertedShas = /(?<!\b(?:partially|partly|not) )\breverts commits? ((?:[0-9a-f]{7,64}(?:,? and |, ?)?){1,50})/gi;

/** A change that a revert undoes: a pull request, or a commit of the range that belongs to no pull request. */
export interface RevertTarget {
  pull?: PullRecord | undefined;
  commit?: CommitRecord | undefined;
}

/**
 * Returns what a commit reverts, if the commit was pushed by hand and its message names the reverted commits by sha.
 * Returns undefined for any other commit.
 */
export function findCommitRevert(
  source: NotesSource,
  commit: CommitRecord,
  targets: RevertTargets,
): { commit: CommitRecord; targets: RevertTarget[]; isPartial?: boolean } | undefined {
  if (partial.test(firstLine(commit.message))) return undefined;
  const shas = revertedShasIn(commit.message);
  if (shas.length === 0) return undefined;
  const named: RevertTarget[] = [];
  for (const sha of shas) {
    const targetCommit = targets.commitNamed(sha, commit);
    const pull = targetCommit ? undefined : pullNamed(source, sha);
    if (targetCommit || pull) named.push({ pull, commit: targetCommit });
  }
  if (named.length > 0) return { commit, targets: named };
  const found = revertedMerges(source, [commit.message]);
  return found && { commit, targets: found.pulls.map((pull) => ({ pull })), isPartial: found.isPartial };
}

function revertedShasIn(text: string): string[] {
  return Array.from(text.matchAll(revertedSha), ([, sha = '']) => sha);
}

/**
 * Returns the pull request of a reverted commit, given by its full hash, if the commit stands for the whole pull
 * request: its merge commit, or a commit that names it. A commit of several that the merge brought does not stand for
 * the pull request.
 */
export function pullNamed(source: NotesSource, sha: string): PullRecord | undefined {
  const { pulls, exact } = pullsOf(source, sha, source.commit(sha));
  const [pull] = pulls;
  if (exact || !pull) return pull;
  return MergedCommits.of(source).broughtBy(sha)?.pull.number === pull.number ? undefined : pull;
}

/**
 * Returns the pull requests whose merges brought the commits that the texts of one revert name by their full hashes. If
 * the texts name all commits of some merges, only these are returned. If they do so for none, the revert is partial, and
 * the first pull request is returned.
 */
export function revertedMerges(
  source: NotesSource,
  texts: readonly string[],
): { pulls: PullRecord[]; isPartial: boolean } | undefined {
  const named = texts.flatMap((text) => [...text.matchAll(revertedShas)].flatMap(([, list = '']) => shasIn(list)));
  const runs = new Set(named.flatMap((sha) => MergedCommits.of(source).broughtBy(sha) ?? []));
  const [first] = runs;
  if (!first) return undefined;
  const names = new Set(named);
  const whole = [...runs].filter(({ shas }) => shas.every((sha) => names.has(sha)));
  return whole.length > 0
    ? { pulls: [...new Set(whole.map(({ pull }) => pull))], isPartial: false }
    : { pulls: [first.pull], isPartial: true };
}

function shasIn(list: string): string[] {
  return list.split(/[^0-9a-f]+/i).filter((word) => word.length >= 7);
}

/**
 * Returns the commits of the range that a pull request reverts. If the body of the pull request names shas, the commits
 * are found by them. If the body names no sha, the commit is found by the title that the pull request's title quotes.
 */
export function revertedCommits(title: string, prose: string, targets: RevertTargets): CommitRecord[] {
  const shas = revertedShasIn(prose);
  if (shas.length > 0) return shas.flatMap((sha) => targets.commitNamed(sha) ?? []);
  const quoted = quotedTitle(parseTitle(title).text);
  const commit = quoted === undefined ? undefined : targets.commitTitled(quoted);
  return commit ? [commit] : [];
}

/** Returns the title inside `Revert "…"`. */
export function quotedTitle(text: string): string | undefined {
  return /^revert:? ["“'`](.*)["”'`](?: ?\(#\d{1,10}\))*\.?$/i.exec(text)?.[1];
}
