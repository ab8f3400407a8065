/**
 * Notes that are published on pages of this service. Each released version of a repository has a page for customers. A
 * version can also have a page for engineers, and one page for each internal draft. The paths of these pages begin with
 * the path of the customers' page.
 *
 * A second table contains one list entry per version. So a list can be shown without reading the text of every note.
 */
import type { HostedPage } from '../../protocol/hosted.ts';
import type { Partition } from '../partition.ts';

/** A note that is published on a page. Times are in milliseconds. */
export interface HostedNote extends HostedPage {
  repoId: string;
  /** The last publication that wrote this note. */
  publicationId: string;
  /** Path of the note's page, relative to the page of the version; absent for the customers' note. */
  path?: string;
  publishedAt: number;
  updatedAt: number;
}

/** The fields of a note that are shown in lists. */
export type HostedEntry = Pick<HostedNote, 'version' | 'path' | 'excerpt' | 'marks' | 'date' | 'updatedAt'> & {
  /** Whether the note has no text. */
  isEmpty?: true;
};

/**
 * The key and the row of a list entry. Each version has one list entry. Rows that earlier versions of the service wrote
 * have no path, no excerpt and no marks.
 */
type IndexKey = [repoId: string, date: number, version: string];
type IndexRow = Pick<HostedNote, 'path' | 'excerpt' | 'marks' | 'summary' | 'updatedAt' | 'publicationId'> &
  Pick<HostedEntry, 'isEmpty'>;

const engineers = 'engineer';
/** Maximum number of rows that are read to find the next entry of a list, including rows that lists do not show. */
const maxPassedOver = 20;

/**
 * Writes a note. If the page already has a note, the new note replaces the old note. The time of publication does not
 * change.
 */
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

/**
 * Removes the note that a publication wrote on a page. If another publication has replaced the note, nothing is
 * removed.
 */
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

/** @param path path of the page, relative to the page of the version; undefined for the page of the version itself */
export function readHostedNote(
  partition: Partition,
  repoId: string,
  version: string,
  path?: string,
): HostedNote | undefined {
  return partition.tables.hostedNotes.get(keyOf(repoId, version, path));
}

/** Whether a version has a note for engineers on a page of its own. */
export function hasEngineersNote({ tables }: Partition, repoId: string, version: string): boolean {
  return tables.hostedNotes.doesExist(keyOf(repoId, version, engineers));
}

/** Returns the engineers' note of a version. */
export function readEngineersNote(partition: Partition, repoId: string, version: string): HostedNote | undefined {
  return readHostedNote(partition, repoId, version, engineers);
}

/**
 * Returns the ids of the publications that wrote the current notes on a repository's pages. Reading whole notes is
 * slow. So if a note has a list entry, the id of its publication is read from the list entry.
 */
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

/** Returns the number of pages of a repository. Pages that appear in no list are also counted. */
export function countPages(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotes.getKeysCount(rowsOf(repoId));
}

/** Returns how many versions of a repository have a list entry. */
export function countHostedNotes(partition: Partition, repoId: string): number {
  return partition.tables.hostedNotesByDate.getKeysCount(rowsOf(repoId));
}

/**
 * Returns the list entries of a repository's versions, newest first. The result can have fewer than `limit` entries
 * even if more entries follow, because some notes are not listed. Example: an earlier version of the service published
 * an internal note on the version's own page. This note can still be read, but it is not listed.
 */
export function listHostedNotes(partition: Partition, repoId: string, offset: number, limit: number): HostedEntry[] {
  const within = { start: [repoId, '\u{10ffff}'], end: [repoId], reverse: true, offset, limit };
  return [...partition.tables.hostedNotesByDate.getRange(within)].flatMap(
    ({ key, value }) => entryOf(partition, key as IndexKey, value as IndexRow) ?? [],
  );
}

/** Returns the list entries next to a listed note: the next newer one and the next older one. */
export function neighboursOf(
  partition: Partition,
  { repoId, version, date }: Pick<HostedNote, 'repoId' | 'version' | 'date'>,
): { newer?: HostedEntry; older?: HostedEntry } {
  const { hostedNotesByDate } = partition.tables;
  // The list entry has the date of the note that lists show, which can be the note of another persona.
  const isOwn = hostedNotesByDate.get([repoId, date, version]) !== undefined;
  const listed = isOwn ? { date } : listedNote(partition, repoId, version);
  if (!listed) return {};
  const from: IndexKey = [repoId, listed.date, version];
  const next = (reverse: boolean): HostedEntry | undefined => {
    const end = reverse ? [repoId] : [repoId, '\u{10ffff}'];
    for (const { key, value } of hostedNotesByDate.getRange({ start: from, end, reverse, limit: maxPassedOver })) {
      const isSame = (key as IndexKey)[2] === version;
      const entry = isSame ? undefined : entryOf(partition, key as IndexKey, value as IndexRow);
      if (entry) return entry;
    }
    return undefined;
  };
  const [newer, older] = [next(false), next(true)];
  return { ...(newer && { newer }), ...(older && { older }) };
}

/** Returns the list entry of a row; undefined for a note that lists do not show. */
function entryOf(partition: Partition, [repoId, date, version]: IndexKey, row: IndexRow): HostedEntry | undefined {
  const { path, excerpt, marks, isEmpty, updatedAt } = row;
  const isOld = excerpt === undefined;
  if (isOld && readHostedNote(partition, repoId, version)?.persona === 'internal') return undefined;
  return {
    version,
    ...(path !== undefined && { path }),
    excerpt: excerpt ?? '',
    ...(marks && { marks }),
    ...(isEmpty && { isEmpty }),
    date,
    updatedAt,
  };
}

/**
 * Removes an old note from the page of a released version if the old note has the same persona as `note`. Earlier
 * versions of Tidings published the notes for every persona on that page. If the old note was for engineers, the page
 * then redirects readers to the new page. If the old note was internal, the page does not redirect, because its address
 * can be guessed and a redirect would reveal the secret new address.
 */
function leaveVersionPage({ tables: { hostedNotes } }: Partition, note: HostedNote): void {
  const key = keyOf(note.repoId, note.version);
  const there: HostedNote | undefined = hostedNotes.get(key);
  if (there?.persona !== note.persona) return;
  if (note.path === engineers) hostedNotes.putSync(key, { ...note, html: '' });
  else hostedNotes.removeSync(key);
}

/** Runs `change`, which changes notes of a version. Then updates the version's list entry. */
function relisting(partition: Partition, repoId: string, version: string, change: () => void): void {
  const { hostedNotesByDate } = partition.tables;
  const before = listedNote(partition, repoId, version);
  change();
  const after = listedNote(partition, repoId, version);
  if (before) hostedNotesByDate.removeSync([repoId, before.date, version]);
  if (after) hostedNotesByDate.putSync([repoId, after.date, version], indexRow(after));
}

/**
 * Returns the note that lists show for a version: the customers' note if there is one, or else the engineers' note. If
 * both are missing, returns the note that an earlier version of the service published on the version's page.
 */
function listedNote(partition: Partition, repoId: string, version: string): HostedNote | undefined {
  const own = readHostedNote(partition, repoId, version);
  if (own?.persona === 'customer') return own;
  return readEngineersNote(partition, repoId, version) ?? own;
}

/**
 * Returns the row of a note's list entry. If an earlier version of the service wrote the note, the row has the same
 * fields as a row of the earlier version.
 */
function indexRow({ path, html, excerpt, marks, summary, updatedAt, publicationId }: HostedNote): IndexRow {
  const shown = excerpt === undefined ? { summary } : { excerpt };
  return {
    ...shown,
    ...(marks && { marks }),
    ...(html === '' && { isEmpty: true }),
    updatedAt,
    publicationId,
    ...(path !== undefined && { path }),
  };
}

function keyOf(repoId: string, version: string, path?: string): string[] {
  return path === undefined ? [repoId, version] : [repoId, version, path];
}

function rowsOf(repoId: string) {
  return { start: [repoId], end: [repoId, '\u{10ffff}'] };
}
