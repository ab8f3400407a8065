/**
 * Chooses the few most important changes, using only labels and issues.
 */

import type { NotesSource } from '../range/source.ts';
import type { Entry } from './entries.ts';
import { escapeText, plainText } from './escape.ts';
import type { Notes } from './gather.ts';
import { talkAbout } from './severity.ts';

const maxHighlights = 5;
/**
 * The minimum number of entries for highlights. With fewer entries, a list of highlights would only repeat the draft.
 */
const fewestForHighlights = 6;

/**
 * Chooses highlights: changes with a highlight or priority label, then breaking changes, then features whose issues
 * have the most comments.
 */
export function highlightsOf(source: NotesSource, entries: readonly Entry[]): Entry[] {
  const asked = entries.filter((entry) => entry.priority || entry.highlight);
  const breaking = entries.filter((entry) => entry.breaking);
  const first = [...new Set([...asked, ...breaking])];
  if (first.length >= maxHighlights) return first.slice(0, maxHighlights);
  const features = entries.filter((entry) => entry.section === 'feature' && entry.issues.length > 0);
  const talk = new Map(features.map((entry) => [entry, talkAbout(source, entry)]));
  const wanted = features.sort((a, b) => (talk.get(b) ?? 0) - (talk.get(a) ?? 0) || b.issues.length - a.issues.length);
  return [...new Set([...first, ...wanted])].slice(0, maxHighlights);
}

/** Returns a highlight as plain text without Markdown. For customers, `customerPhrases` makes the highlights. */
export function highlightText(entry: Entry): string {
  return plainText(entry.text) || 'Untitled';
}

/**
 * Returns highlights as a list for a draft. The list is empty if the draft is short, or if all highlights are breaking
 * changes. In both cases, the list would only repeat other lines of the draft.
 */
export function highlightLines({ highlights, entries }: Notes): string[] {
  if (entries.length < fewestForHighlights || highlights.every((entry) => entry.breaking)) return [];
  return highlights.map((entry) => `- ${escapeText(entry.text) || 'Untitled'}`);
}
