/**
 * Finds reverts that involve commits without a pull request. Such a commit can revert a change, or a pull request can
 * revert such a commit. `reverts.ts` decides which changes stay in the notes.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine, pullsOf } from './attribute.ts';
import type { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/** Matches the title of a partial revert. A partial revert leaves the reverted change in the notes. */
export const partial = /\bpartial(?:ly)?\b/i;
const revertedSha = /^This reverts commit ([0-9a-f]{7,64})\b/im;

/**
 * Returns the revert that a commit makes, if the commit was pushed by hand and its message names the reverted commit by
 * sha. Returns undefined for any other commit.
 */
export function findCommitRevert(
  source: NotesSource,
  commit: CommitRecord,
  targets: RevertTargets,
): { commit: CommitRecord; target: PullRecord | undefined; targetCommit?: CommitRecord } | undefined {
  const sha = partial.test(firstLine(commit.message)) ? undefined : revertedSha.exec(commit.message)?.[1];
  if (sha === undefined) return undefined;
  const targetCommit = targets.commitNamed(sha, commit);
  if (targetCommit) return { commit, target: undefined, targetCommit };
  const [target] = pullsOf(source, sha, source.commit(sha)).pulls;
  return target && { commit, target };
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
