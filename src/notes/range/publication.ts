/**
 * Recognizes commits and pull requests that this service made when it published to a file of the repository. Such
 * commits and pull requests carry a trailer with the id of the publication. The notes leave them out.
 */
import { publicationPullLines, publicationPullMarker, publicationTrailer } from '../../protocol/publications.ts';
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import type { Selection } from './select.ts';
import type { NotesSource } from './source.ts';

const own = new RegExp(`^${publicationTrailer}: (pub_[0-9a-z]{20,60})$`);
/**
 * Matches trailers that hosts and people add next to the publication's trailer, and the line that some hosts draw above
 * trailers.
 */
const beside = /^(?:[A-Za-z][A-Za-z0-9]{0,30}(?:-[A-Za-z0-9]{1,30}){0,5}: \S|-{3,}$)/;
/**
 * Matches the marker in the text of a publication's pull request. Hosts copy the text into the message of the merged
 * commit, and may wrap it at a space.
 */
const marker = new RegExp(`<!--\\s+${publicationPullMarker}\\s+[^\\s<>]{1,400}\\s+-->`, 'g');
const pullLines: ReadonlySet<string> = new Set(publicationPullLines);
/** Matches the subject of a commit that merges a branch and has no change of its own. */
const mergeSubject = /^Merge /;
/** Matches the subject of a squashed pull request: its title and its number. */
const squashedTitle = /^[^\n]* \(#\d{1,10}\)[ \r]*(?:\n|$)/;
/**
 * Matches a line in the message of a squashed commit. A host that squashes several commits lists the subject of each
 * commit in such a line.
 */
const squashed = /^\* \S/;

/**
 * Returns the publication that made a commit, or undefined for any other commit. After the subject, the message of a
 * publication's commit contains only trailers, or the text of the publication's pull request. The message of a squashed
 * pull request contains other lines if the pull request also has commits of other people. Such a pull request stays in
 * the notes.
 */
export function publicationOf(message: string): string | undefined {
  if (!message.includes(publicationTrailer)) return undefined;
  let publication: string | undefined;
  let isOpen = false;
  for (const line of message.replace(marker, '').split('\n').slice(1)) {
    const text = line.trim();
    if (text === '' || pullLines.has(text)) continue;
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

/**
 * If every commit of a list was made by a publication, returns the publication of the first commit. Otherwise returns
 * undefined.
 */
export function publicationOfAll(commits: readonly CommitRecord[]): string | undefined {
  const publications = commits.map(({ message }) => publicationOf(message));
  return publications.every((id) => id !== undefined) ? publications[0] : undefined;
}

/**
 * Returns the id of the publication that created a pull request, or undefined for any other pull request. If
 * `publications` contains the pull request, its value there is returned. If not, the message of the merge commit
 * decides. If the merge commit is not captured, only merges a branch or has no text below its subject, the body of the
 * pull request decides. The service and some hosts write the trailer into the body.
 */
export function publicationOfCommit(
  source: NotesSource,
  publications: Selection['publications'],
  { number, mergeSha, body }: PullRecord,
): string | undefined {
  if (publications.has(number)) return publications.get(number);
  const merged = mergeSha === null ? undefined : source.commit(mergeSha);
  if (merged && !mergeSubject.test(merged.message) && hasText(merged.message)) return publicationOf(merged.message);
  return publicationOf(`\n${body}`);
}

/**
 * Whether the commits of a pull request do not say who made it: one of them is only the title and the number of the pull
 * request, and publications made all others. Hosts can be set to such messages. The body of the pull request decides.
 */
export function leavesOpen(commits: readonly CommitRecord[]): boolean {
  const others = commits.filter(({ message }) => !squashedTitle.test(message) || hasText(message));
  return others.length < commits.length && others.every(({ message }) => publicationOf(message) !== undefined);
}

/** Whether a message contains more than a subject and the trailers that hosts add. */
function hasText(message: string): boolean {
  const lines = message.split('\n').slice(1);
  return lines.some((line) => line.trim() !== '' && (!beside.test(line.trim()) || own.test(line.trim())));
}
