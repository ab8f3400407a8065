/**
 * Chooses the few changes that matter most, from labels and issues alone.
 */

import type { NotesSource } from '../range/source.ts';
import type { Entry } from './entries.ts';
import { escapeText, plainText } from './escape.ts';
import type { Notes } from './gather.ts';

const mostHighlights = 5;
/** Below this a list of highlights would only repeat the draft. */
const fewestForHighlights = 6;

/** What matters most: asked for by label, then what breaks, then features whose issues were talked about most. */
export function highlightsOf(source: NotesSource, entries: readonly Entry[]): Entry[] {
  const asked = entries.filter((entry) => entry.priority || entry.highlight);
  const breaking = entries.filter((entry) => entry.breaking);
  const first = [...new Set([...asked, ...breaking])];
  if (first.length >= mostHighlights) return first.slice(0, mostHighlights);
  const features = entries.filter((entry) => entry.section === 'feature' && entry.issues.length > 0);
  const talk = new Map(features.map((entry) => [entry, commentsOf(source, entry)]));
  const wanted = features.sort((a, b) => (talk.get(b) ?? 0) - (talk.get(a) ?? 0) || b.issues.length - a.issues.length);
  return [...new Set([...first, ...wanted])].slice(0, mostHighlights);
}

function commentsOf(source: NotesSource, { issues }: Entry): number {
  return issues.reduce((sum, { number }) => sum + source.commentCount(number), 0);
}

/** A highlight in plain text: no Markdown. Customers read their own lines instead. */
export function highlightText(entry: Entry): string {
  return plainText(entry.text) || 'Untitled';
}

/** Highlights as a list for a draft; none where they would only repeat the breaking changes, or a short draft. */
export function highlightLines({ highlights, entries }: Notes): string[] {
  if (entries.length < fewestForHighlights || highlights.every((entry) => entry.breaking)) return [];
  return highlights.map((entry) => `- ${escapeText(entry.text) || 'Untitled'}`);
}
