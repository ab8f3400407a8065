/**
 * Recognises commits and pull requests that this service made itself when it published to a file of the repository: they carry a
 * trailer with the id of the publication, and are no news.
 */
import { publicationTrailer } from '../../protocol/publications.ts';
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import type { Selection } from './select.ts';
import type { NotesSource } from './source.ts';

const own = new RegExp(`^${publicationTrailer}: (pub_[0-9a-z]{20,60})$`);
/** Trailers that hosts and people add beside it, and the line that some hosts draw above them. */
const beside = /^(?:[A-Za-z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,5}: \S|-{3,}$)/;
/** The subject of a commit that merges a branch and has no change of its own. */
const mergeSubject = /^Merge /;
/** A host that squashes several commits lists the subject of each. */
const squashed = /^\* \S/;

/**
 * The publication that a commit was made by; undefined for any other commit. Behind the subject there must be trailers alone: a
 * squashed pull request whose commits are not all of this service has other words there, and stays news.
 */
export function publicationOf(message: string): string | undefined {
  if (!message.includes(publicationTrailer)) return undefined;
  let publication: string | undefined;
  let isOpen = false;
  for (const line of message.split('\n').slice(1)) {
    const text = line.trim();
    if (text === '') continue;
    const id = own.exec(text)?.[1];
    if (squashed.test(text)) {
      if (isOpen) return undefined;
      isOpen = true;
    } else if (id !== undefined) {
      publication ??= id;
      isOpen = false;
    } else if (!beside.test(text)) return undefined;
  }
  return isOpen ? undefined : publication;
}

/** The publication that all commits were made by, the first one's; undefined unless each of them was. */
export function publicationOfAll(commits: readonly CommitRecord[]): string | undefined {
  const publications = commits.map(({ message }) => publicationOf(message));
  return publications.every((id) => id !== undefined) ? publications[0] : undefined;
}

/**
 * The publication that a pull request was made by. The commits that it brought decide, else the commit that it was merged as; where
 * neither is known, its body, which hosts fill in from its commit.
 */
export function publicationBehind(
  source: NotesSource,
  publications: Selection['publications'],
  { number, mergeSha, body }: PullRecord,
): string | undefined {
  if (publications.has(number)) return publications.get(number);
  const merged = mergeSha === null ? undefined : source.commit(mergeSha);
  if (merged && !mergeSubject.test(merged.message)) return publicationOf(merged.message);
  return publicationOf(`\n${body}`);
}
