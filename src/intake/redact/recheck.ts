/**
 * Searches a long text again near the placeholders that replaced matches. After a replacement, another match can become
 * visible at the edge of the placeholder. A second search of the whole text would take as long as the first.
 */
import { type Finder, findIn, type Span } from './scan.ts';

/** Number of characters that are searched on either side of a replacement. */
const around = 192;
/**
 * Minimum distance, in characters, between a match and the edges of the searched part. A match that is nearer to an
 * edge is ignored, because it may be only half of a longer match.
 */
const margin = 32;
/**
 * Maximum number of characters that are searched again, so that a text full of matches does not take twice the time.
 */
const maxRechecks = 4096;
const placeholder = /\[(?:attachment|card|email|ip|phone|secret)\]/g;

/**
 * A part of the text that is searched again. `from` and `to` are offsets in the text. All parts are joined into one
 * text for the search, and `at` is the offset in the joined text at which this part begins.
 */
interface Part {
  from: number;
  to: number;
  at: number;
}

/** Finds matches near the placeholders of earlier replacements. The matches are in order and do not overlap. */
export function findNextToReplaced(text: string, finders: readonly Finder[]): Span[] {
  const parts = partsNextToReplaced(text);
  const together = parts.map(({ from, to }) => `${text.slice(from, to)}\n`).join('');
  return together === '' ? [] : findIn(together, finders, (span) => inText(text, parts, span));
}

function partsNextToReplaced(text: string): Part[] {
  const parts: Part[] = [];
  let total = 0;
  placeholder.lastIndex = 0;
  while (total < maxRechecks && placeholder.test(text)) {
    const last = parts.at(-1);
    const from = Math.max(last?.to ?? 0, placeholder.lastIndex - around);
    const to = Math.min(text.length, placeholder.lastIndex + around);
    if (last?.to === from) last.to = to;
    else parts.push({ from, to, at: total + parts.length });
    total += to - from;
  }
  return parts;
}

function inText(text: string, parts: readonly Part[], { start, end, word }: Span): Span | undefined {
  const part = parts.findLast(({ at }) => at <= start);
  if (!part) return undefined;
  const there = { start: part.from + start - part.at, end: part.from + end - part.at, word };
  const isWhole =
    (part.from === 0 || there.start >= part.from + margin) &&
    (part.to === text.length || there.end <= part.to - margin);
  return isWhole && there.end <= part.to ? there : undefined;
}
