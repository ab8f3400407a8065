/**
 * Notes on pages of this service, one a version of a repository, and beside them what lists of them show: a list must not read
 * the text of every note.
 */
import type { HostedPage } from '../protocol/hosted.ts';
import type { Partition } from './partition.ts';

/** A note as it stands on its page. Times in milliseconds. */
export interface HostedNote extends HostedPage {
  repoId: string;
  /** The publication that it came from last. */
  publicationId: string;
  publishedAt: number;
  updatedAt: number;
}

/** A note as lists show it. */
export type HostedEntry = Pick<HostedNote, 'version' | 'summary' | 'date' | 'updatedAt'>;

/** Keys and rows of lists. */
type IndexKey = [repoId: string, date: number, version: string];
type IndexRow = Pick<HostedNote, 'summary' | 'updatedAt' | 'publicationId'>;

/** Writes a note; the version's earlier one gives way, its time of publication stays. */
export function writeHostedNote(
  partition: Partition,
  note: Omit<HostedNote, 'publishedAt' | 'updatedAt'>,
  at: number,
): void {
  const { hostedNotes, hostedNotesByDate } = partition.tables;
  const { repoId, version, date, summary } = note;
  const before = readHostedNote(partition, repoId, version);
  if (before) hostedNotesByDate.removeSync([repoId, before.date, version]);
  hostedNotes.putSync([repoId, version], { ...note, publishedAt: before?.publishedAt ?? at, updatedAt: at });
  hostedNotesByDate.putSync([repoId, date, version], { summary, updatedAt: at, publicationId: note.publicationId });
}

/** Removes what a publication put on a page, unless another one has taken its place there. */
export function removeHostedNote(partition: Partition, repoId: string, publicationId: string): void {
  const { hostedNotes, hostedNotesByDate } = partition.tables;
  for (const { key, value } of [...hostedNotesByDate.getRange(rowsOf(repoId))]) {
    if ((value as IndexRow).publicationId !== publicationId) continue;
    hostedNotes.removeSync([repoId, (key as IndexKey)[2]]);
    hostedNotesByDate.removeSync(key);
  }
}

export function readHostedNote(partition: Partition, repoId: string, version: string): HostedNote | undefined {
  return partition.tables.hostedNotes.get([repoId, version]);
}

/** Publications that the notes of a repository came from last. */
export function publicationsOnPages(partition: Partition, repoId: string): Set<string> {
  const rows = [...partition.tables.hostedNotes.getRange(rowsOf(repoId))];
  return new Set(rows.map(({ value }) => (value as HostedNote).publicationId));
}

/** How many pages a repository has, whether or not lists show them. */
export function countPages(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotes.getKeysCount(rowsOf(repoId));
}

/** How many notes a repository has. */
export function countHostedNotes(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotesByDate.getKeysCount(rowsOf(repoId));
}

/** Notes of a repository as lists show them, the newest versions first. */
export function listHostedNotes(partition: Partition, repoId: string, offset: number, limit: number): HostedEntry[] {
  const within = { start: [repoId, '\u{10ffff}'], end: [repoId], reverse: true, offset, limit };
  return [...partition.tables.hostedNotesByDate.getRange(within)].map(({ key, value }) => {
    const [, date, version] = key as IndexKey;
    const { summary, updatedAt } = value as IndexRow;
    return { version, date, summary, updatedAt };
  });
}

function rowsOf(repoId: string) {
  return { start: [repoId], end: [repoId, '\u{10ffff}'] };
}
