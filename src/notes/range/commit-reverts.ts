/**
 * Finds reverts that involve commits without a pull request. Such a commit can revert a change, or a pull request can
 * revert such a commit. `reverts.ts` decides which changes stay in the notes.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine, pullsOf } from './attribute.ts';
import type { MergedCommits } from './merged-commits.ts';
import type { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/** Matches the title of a partial revert. A partial revert leaves the reverted change in the notes. */
export const partial = /\bpartial(?:ly)?\b/i;
const revertedSha = /^This reverts commit ([0-9a-f]{7,64})\b/im;

/** Matches each sentence that names reverted commits: `This reverts commit abc1234`, `Reverts commits abc1234 and …`. */
const revertedShas = /(?<!\b(?:partially|partly|not) )\breverts commits? ((?:[0-9a-f]{7,64}(?:,? and |, ?)?){1,50})/gi;

/**
 * Returns the revert that a commit makes, if the commit was pushed by hand and its message names the reverted commit by
 * sha. Returns undefined for any other commit.
 */
export function findCommitRevert(
  source: NotesSource,
  commit: CommitRecord,
  targets: RevertTargets,
  merged: MergedCommits,
):
  | { commit: CommitRecord; target: PullRecord | undefined; targetCommit?: CommitRecord; isPartial?: boolean }
  | undefined {
  const sha = partial.test(firstLine(commit.message)) ? undefined : revertedSha.exec(commit.message)?.[1];
  if (sha === undefined) return undefined;
  const targetCommit = targets.commitNamed(sha, commit);
  if (targetCommit) return { commit, target: undefined, targetCommit };
  const target = pullNamed(source, sha, merged);
  if (target) return { commit, target };
  const found = revertedMerge(merged, [commit.message]);
  return found && { commit, target: found.pull, isPartial: found.isPartial };
}

/**
 * Returns the pull request of a reverted commit, if the commit stands for the whole pull request: its merge commit, or a
 * commit that names it. A commit of several that the merge brought does not stand for the pull request.
 */
export function pullNamed(source: NotesSource, sha: string, merged: MergedCommits): PullRecord | undefined {
  const { pulls, exact } = pullsOf(source, sha, source.commit(sha));
  const [pull] = pulls;
  return !exact && pull && merged.broughtBy(sha)?.pull.number === pull.number ? undefined : pull;
}

/**
 * Returns the pull request whose merge brought a commit that the texts of one revert name by sha. The revert is partial
 * if the texts do not name all commits that the merge brought. A whole revert is preferred to a partial one.
 */
export function revertedMerge(
  merged: MergedCommits,
  texts: readonly string[],
): { pull: PullRecord; isPartial: boolean } | undefined {
  const named = texts.flatMap((text) => [...text.matchAll(revertedShas)].flatMap(([, list = '']) => shasIn(list)));
  const runs = named.flatMap((sha) => merged.broughtBy(sha) ?? []);
  const names = new Set(named);
  const whole = runs.find(({ shas }) => shas.every((sha) => names.has(sha)));
  const found = whole ?? runs[0];
  return found && { pull: found.pull, isPartial: found !== whole };
}

function shasIn(list: string): string[] {
  return list.split(/[^0-9a-f]+/i).filter((word) => word.length >= 7);
}

/**
 * Returns the commit of the range that a pull request reverts. If the body of the pull request names a sha, the commit
 * is found by this sha. If the body names no sha, the commit is found by the title that the pull request's title
 * quotes.
 */
export function revertedCommit(title: string, prose: string, targets: RevertTargets): CommitRecord | undefined {
  const sha = revertedSha.exec(prose)?.[1];
  if (sha !== undefined) return targets.commitNamed(sha);
  const quoted = quotedTitle(parseTitle(title).text);
  return quoted === undefined ? undefined : targets.commitTitled(quoted);
}

/** Returns the title inside `Revert "…"`. */
export function quotedTitle(text: string): string | undefined {
  return /^revert:? ["“'`](.*)["”'`](?: ?\(#\d{1,10}\))*\.?$/i.exec(text)?.[1];
}
