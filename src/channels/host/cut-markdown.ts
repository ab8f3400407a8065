/**
 * Shortens Markdown to the size that a host accepts. Whole entries are removed, the last entry first. Highlights and
 * breaking changes are removed only after all other entries. Entries, paragraphs and blocks of code are never cut in
 * the middle.
 */
import { markdownTokens } from '../../foundation/markdown.ts';
import { hasMarker } from '../../foundation/markers.ts';

interface Piece {
  text: string;
  kind: 'heading' | 'entry' | 'other';
  depth: number;
  /** Whether the piece follows the previous entry without a blank line. */
  tight: boolean;
  /** Whether the piece belongs to a section that readers must not miss. */
  kept: boolean;
}

const mustStay = /\b(?:highlights?|breaking|action required)\b/i;

/**
 * Returns the text unchanged if it fits. If the text is too long, removes as few entries as possible.
 * @param maxLength maximum number of code points
 * @param rest returns the line that replaces the removed entries. `count` is the number of removed entries, or 0 if
 *   only other blocks were removed.
 */
export function cutMarkdown(text: string, maxLength: number, rest: (count: number) => string): string {
  if (isWithin(text, maxLength)) return text;
  const pieces = piecesOf(text);
  const order = [...pieces.filter(({ kept }) => kept), ...pieces.filter(({ kept }) => !kept)].filter(
    ({ kind }) => kind !== 'heading',
  );
  const version = (count: number): string => {
    const chosen = new Set(order.slice(0, count));
    return `${join(pieces, chosen)}\n\n${rest(left(pieces, chosen))}\n`.trimStart();
  };
  let [best, low, high] = [version(0), 1, order.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const shorter = version(middle);
    if (isWithin(shorter, maxLength)) [best, low] = [shorter, middle + 1];
    else high = middle - 1;
  }
  return best;
}

function isWithin(text: string, maxLength: number): boolean {
  return text.length <= maxLength || (text.length <= 2 * maxLength && [...text].length <= maxLength);
}

/** Splits a text into headings, entries of top-level lists, and all other blocks. */
function piecesOf(text: string): Piece[] {
  const lines = text.split('\n');
  const pieces: Piece[] = [];
  let [kept, keptDepth, listStart] = [false, 0, false];
  const add = (map: [number, number] | null, kind: Piece['kind'], depth = 0, tight = false): void => {
    const words = lines
      .slice(...(map ?? [0, 0]))
      .join('\n')
      .trimEnd();
    if (kind === 'heading' && (!kept || depth <= keptDepth)) [kept, keptDepth] = [mustStay.test(words), depth];
    if (words !== '') pieces.push({ text: words, kind, depth, tight, kept });
  };
  for (const token of markdownTokens(text)) {
    if (token.level === 0 && /^(?:bullet|ordered)_list_open$/.test(token.type)) listStart = true;
    else if (token.level === 1 && token.type === 'list_item_open') {
      const before = lines[(token.map?.[0] ?? 1) - 1] ?? '';
      add(token.map, 'entry', 0, !listStart && before.trim() !== '');
      listStart = false;
    } else if (token.level === 0 && token.type === 'heading_open')
      add(token.map, 'heading', Number(token.tag.slice(1)));
    else if (token.level === 0 && token.nesting >= 0 && token.map && token.type !== 'inline') add(token.map, 'other');
  }
  return pieces;
}

/**
 * Joins the chosen pieces. Each piece follows the headings of its section. If the end of a collapsed part (`<details>`)
 * was cut off, adds `</details>`.
 */
function join(pieces: readonly Piece[], chosen: ReadonlySet<Piece>): string {
  let text = '';
  let headings: Piece[] = [];
  for (const piece of pieces) {
    if (piece.kind === 'heading') headings = [...headings.filter(({ depth }) => depth < piece.depth), piece];
    else if (chosen.has(piece)) {
      for (const heading of headings) text += `\n\n${heading.text}`;
      text += `${headings.length === 0 && piece.tight ? '\n' : '\n\n'}${piece.text}`;
      headings = [];
    }
  }
  const open = (text.match(/^<details>/gm)?.length ?? 0) - (text.match(/^<\/details>/gm)?.length ?? 0);
  return text + '\n\n</details>'.repeat(Math.max(0, open));
}

function left(pieces: readonly Piece[], chosen: ReadonlySet<Piece>): number {
  const entries = pieces.filter(({ kind }) => kind === 'entry');
  const marked = entries.some(({ text }) => hasMarker(text));
  return entries.filter((piece) => !chosen.has(piece) && (!marked || hasMarker(piece.text))).length;
}
