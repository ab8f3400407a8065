/**
 * Reverts and the commits that no pull request brought: what such a commit takes back, and which of them a pull request does.
 * What comes of it is settled by `reverts.ts`.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { parseTitle } from '../change/title.ts';
import { firstLine, pullsOf } from './attribute.ts';
import type { RevertTargets } from './revert-targets.ts';
import type { NotesSource } from './source.ts';

/** What takes back a part of a change leaves the rest in the notes. */
export const partial = /\bpartial(?:ly)?\b/i;
const revertedSha = /^This reverts commit ([0-9a-f]{7,64})\b/im;

/** A commit pushed by hand that takes back what is named by its sha; anything else it may be is left as it is. */
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

/** The commit of the range that a pull request takes back: named by its body, else by the title that it quotes. */
export function revertedCommit(title: string, prose: string, targets: RevertTargets): CommitRecord | undefined {
  const sha = revertedSha.exec(prose)?.[1];
  if (sha !== undefined) return targets.commitNamed(sha);
  const quoted = quotedTitle(parseTitle(title).text);
  return quoted === undefined ? undefined : targets.commitTitled(quoted);
}

/** The title inside `Revert "…"`. */
export function quotedTitle(text: string): string | undefined {
  return /^revert:? ["“'`](.*)["”'`](?: ?\(#\d{1,10}\))*\.?$/i.exec(text)?.[1];
}
