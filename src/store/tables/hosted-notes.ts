/**
 * Notes on pages of this service. A version of a repository has a page of its own for customers, and below it one for engineers and
 * one for each internal draft. Beside them stands what lists show of each version: a list must not read the text of every note.
 */
import type { HostedPage } from '../../protocol/hosted.ts';
import type { Partition } from '../partition.ts';

/** A note as it stands on its page. Times in milliseconds. */
export interface HostedNote extends HostedPage {
  repoId: string;
  /** The publication that it came from last. */
  publicationId: string;
  /** Where its page is below the version's own; the customers' note has none. */
  path?: string;
  publishedAt: number;
  updatedAt: number;
}

/** A note as lists show it. */
export type HostedEntry = Pick<HostedNote, 'version' | 'path' | 'excerpt' | 'date' | 'updatedAt'>;

/** Keys and rows of lists: one of each version that lists show. Rows of earlier versions have no path and no excerpt. */
type IndexKey = [repoId: string, date: number, version: string];
type IndexRow = Pick<HostedNote, 'path' | 'excerpt' | 'summary' | 'updatedAt' | 'publicationId'>;

const engineers = 'engineer';

/** Writes a note; the earlier one of its page gives way, whose time of publication stays. */
export function writeHostedNote(
  partition: Partition,
  note: Omit<HostedNote, 'publishedAt' | 'updatedAt'>,
  at: number,
): void {
  const { repoId, version, path } = note;
  relisting(partition, repoId, version, () => {
    const before = readHostedNote(partition, repoId, version, path);
    const written = { ...note, publishedAt: before?.publishedAt ?? at, updatedAt: at };
    partition.tables.hostedNotes.putSync(keyOf(repoId, version, path), written);
    if (path !== undefined) leaveVersionPage(partition, written);
  });
}

/** Removes what a publication put on a page, unless another one has taken its place there. */
export function removeHostedNote(
  partition: Partition,
  { repoId, version, path, publicationId }: Pick<HostedNote, 'repoId' | 'version' | 'path' | 'publicationId'>,
): void {
  relisting(partition, repoId, version, () => {
    for (const each of path === undefined ? [undefined] : [undefined, path])
      if (readHostedNote(partition, repoId, version, each)?.publicationId === publicationId)
        partition.tables.hostedNotes.removeSync(keyOf(repoId, version, each));
  });
}

/** @param path of the page below the version's own */
export function readHostedNote(
  partition: Partition,
  repoId: string,
  version: string,
  path?: string,
): HostedNote | undefined {
  return partition.tables.hostedNotes.get(keyOf(repoId, version, path));
}

/** The engineers' note of a version. */
export function readEngineersNote(partition: Partition, repoId: string, version: string): HostedNote | undefined {
  return readHostedNote(partition, repoId, version, engineers);
}

/** Publications that the notes of a repository came from last. What lists show need not be read as a whole. */
export function publicationsOnPages({ tables }: Partition, repoId: string): Set<string> {
  const listed = new Map<string, string>();
  for (const { key, value } of tables.hostedNotesByDate.getRange(rowsOf(repoId))) {
    const { path, publicationId } = value as IndexRow;
    listed.set(JSON.stringify(keyOf(repoId, (key as IndexKey)[2], path)), publicationId);
  }
  const publicationOf = (key: string[]): string =>
    listed.get(JSON.stringify(key)) ?? (tables.hostedNotes.get(key) as HostedNote).publicationId;
  return new Set([...tables.hostedNotes.getKeys(rowsOf(repoId))].map((key) => publicationOf(key as string[])));
}

/** How many pages a repository has, whether or not lists show them. */
export function countPages(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotes.getKeysCount(rowsOf(repoId));
}

/** How many versions lists show of a repository. */
export function countHostedNotes(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotesByDate.getKeysCount(rowsOf(repoId));
}

/**
 * Versions of a repository as lists show them, the newest first. They may be fewer than `limit` although others follow: an internal
 * note that an earlier version published on the version's own page stays readable there, but is left out.
 */
export function listHostedNotes(partition: Partition, repoId: string, offset: number, limit: number): HostedEntry[] {
  const within = { start: [repoId, '\u{10ffff}'], end: [repoId], reverse: true, offset, limit };
  return [...partition.tables.hostedNotesByDate.getRange(within)].flatMap(({ key, value }) => {
    const [, date, version] = key as IndexKey;
    const { path, excerpt, updatedAt } = value as IndexRow;
    const isOld = excerpt === undefined;
    if (isOld && readHostedNote(partition, repoId, version)?.persona === 'internal') return [];
    return [{ version, ...(path !== undefined && { path }), excerpt: excerpt ?? '', date, updatedAt }];
  });
}

/**
 * Earlier versions published every persona on the version's own page. The engineers' note moves from there to its page, and readers
 * are led after it. An internal one is taken away: to lead on from an address that can be guessed would give the new one away.
 */
function leaveVersionPage({ tables: { hostedNotes } }: Partition, note: HostedNote): void {
  const key = keyOf(note.repoId, note.version);
  const there: HostedNote | undefined = hostedNotes.get(key);
  if (there?.persona !== note.persona) return;
  if (note.path === engineers) hostedNotes.putSync(key, { ...note, html: '' });
  else hostedNotes.removeSync(key);
}

/** Changes notes of a version and brings what lists show of it up to date. */
function relisting(partition: Partition, repoId: string, version: string, change: () => void): void {
  const { hostedNotesByDate } = partition.tables;
  const before = listedNote(partition, repoId, version);
  change();
  const after = listedNote(partition, repoId, version);
  if (before) hostedNotesByDate.removeSync([repoId, before.date, version]);
  if (after) hostedNotesByDate.putSync([repoId, after.date, version], indexRow(after));
}

/** The note of a version that lists show: the customers', else the engineers', else what an earlier version put on its page. */
function listedNote(partition: Partition, repoId: string, version: string): HostedNote | undefined {
  const own = readHostedNote(partition, repoId, version);
  if (own?.persona === 'customer') return own;
  return readEngineersNote(partition, repoId, version) ?? own;
}

/** A record of an earlier version gives the row that it gave then. */
function indexRow({ path, excerpt, summary, updatedAt, publicationId }: HostedNote): IndexRow {
  const shown = excerpt === undefined ? { summary } : { excerpt };
  return { ...shown, updatedAt, publicationId, ...(path !== undefined && { path }) };
}

function keyOf(repoId: string, version: string, path?: string): string[] {
  return path === undefined ? [repoId, version] : [repoId, version, path];
}

function rowsOf(repoId: string) {
  return { start: [repoId], end: [repoId, '\u{10ffff}'] };
}
