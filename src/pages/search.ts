/**
 * Searches the published notes of one repository for words. A search reads at most 200 notes and 1 million characters,
 * the newest notes first. Only notes that the list of versions shows are searched.
 */
import type { Partition } from '../store/partition.ts';
import { type HostedEntry, listHostedNotes, readHostedNote } from '../store/tables/hosted-notes.ts';
import { textOf } from './note-html.ts';

const maxNotes = 200;
const maxCharacters = 1_000_000;
/** Maximum number of versions that are found. */
export const maxResults = 50;
/** A run of combining marks. Two halfwidth letters of Japanese also become combining marks when they are normalized. */
const marks = /([\p{M}\uff9e\uff9f]{1,8})[\p{M}\uff9e\uff9f]*/gu;

/** The versions whose notes contain all words, the newest first. */
export interface SearchResult {
  entries: HostedEntry[];
  /**
   * The limit that was reached: `results` if more versions contain the words, `versions` if older versions were not
   * searched, `text` if the oldest searched note was not searched to its end.
   */
  limit?: 'results' | 'versions' | 'text';
}

/** Returns the words of a searched text, in the form that is compared. */
export function searchWords(text: string): string[] {
  return [...new Set(comparable(text).split(/\s+/))].filter((word) => word !== '');
}

/** @param words words in any order. A version is found if its name or its text contains every word */
export function searchNotes(partition: Partition, repoId: string, words: readonly string[]): SearchResult {
  const listed = listHostedNotes(partition, repoId, 0, maxNotes + 1);
  const entries: HostedEntry[] = [];
  let left = maxCharacters;
  for (const [index, entry] of listed.entries()) {
    if (index === maxNotes || left <= 0) return { entries, limit: 'versions' };
    const html = readHostedNote(partition, repoId, entry.version, entry.path)?.html ?? '';
    const searched = comparable(`${entry.version} ${textOf(html.slice(0, left))}`);
    left -= html.length;
    if (!words.every((word) => searched.includes(word))) continue;
    if (entries.length === maxResults) return { entries, limit: 'results' };
    entries.push(entry);
  }
  return left < 0 ? { entries, limit: 'text' } : { entries };
}

/**
 * Returns a text in the form that is compared: one form of each letter, in lower case. Of a run of combining marks, the
 * first 8 are kept. `normalize` sorts each run, and the time for this grows with the square of the run's length: 80,000
 * marks took 5 seconds.
 */
export function comparable(text: string): string {
  return text.replace(marks, '$1').normalize('NFKC').toLowerCase();
}
