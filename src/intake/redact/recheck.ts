/**
 * One more look at a long text where something was taken out of it, since a replacement can uncover another find at its edge.
 * A look at the whole of it would take as long as the first.
 */
import { type Finder, findIn, type Span } from './scan.ts';

/** So much is looked at on both sides of what was taken out. */
const around = 192;
/** Nearer to the edge of what is looked at, a find may be half of something: it is left. */
const margin = 32;
/** Most characters that are looked at again: a text made of nothing but finds must not cost twice as much. */
const mostAgain = 4096;
const placeholder = /\[(?:attachment|card|email|ip|phone|secret)\]/g;

/** A part of the text, and where it stands among the parts put together. */
interface Part {
  from: number;
  to: number;
  at: number;
}

/** What the finders find beside the words that stand for what was taken out; in order and apart. */
export function findBesideReplaced(text: string, finders: readonly Finder[]): Span[] {
  const parts = partsBesideReplaced(text);
  const together = parts.map(({ from, to }) => `${text.slice(from, to)}\n`).join('');
  return together === '' ? [] : findIn(together, finders, (span) => inText(text, parts, span));
}

function partsBesideReplaced(text: string): Part[] {
  const parts: Part[] = [];
  let total = 0;
  placeholder.lastIndex = 0;
  while (total < mostAgain && placeholder.test(text)) {
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
