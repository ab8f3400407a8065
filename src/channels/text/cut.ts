/**
 * Shortens a document for receivers with size limits. Whole entries are removed, the last entry first. Sections that
 * readers must not miss are removed only after all other sections. The caller defines the limit and the text about the
 * removed entries.
 */
import type { Block, List, ListItem } from './document.ts';
import { wordsOf } from './document.ts';

/** The removed part of a document. */
export interface Rest {
  /**
   * Number of removed changes. Entries with a marker are counted. If no entry has a marker, all removed list items are
   * counted.
   */
  changes: number;
}

/** A heading, or a unit that is removed as a whole: a list item or another block. */
interface Piece {
  block: Exclude<Block, List> | null;
  item: ListItem | null;
  list: List | null;
  /** Whether the piece belongs to a section that readers must not miss. */
  kept: boolean;
}

/** Matches headings of sections that are removed last. */
const mustStay = /\b(?:highlights?|breaking|action required)\b/i;

/**
 * Returns the longest version of a document that fits.
 * @param build makes the payload from blocks; `rest` is null if the blocks are the whole document
 * @param fits whether the receiver accepts a payload; a payload without blocks is assumed to fit
 */
export function cutToFit<Payload>(
  blocks: readonly Block[],
  build: (kept: Block[], rest: Rest | null) => Payload,
  fits: (payload: Payload) => boolean,
): Payload {
  const whole = build([...blocks], null);
  if (fits(whole)) return whole;
  const pieces = piecesOf(blocks);
  const order = lastToGoFirst(pieces);
  const version = (count: number): Payload => {
    const chosen = new Set(order.slice(0, count));
    return build(toBlocks(pieces, chosen), {
      changes: changesOf(
        pieces.filter((piece) => !chosen.has(piece)),
        pieces,
      ),
    });
  };
  let [best, low, high] = [version(0), 1, order.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const payload = version(middle);
    if (fits(payload)) [best, low] = [payload, middle + 1];
    else high = middle - 1;
  }
  return best;
}

/** Returns the text that informs readers about removed changes. */
export function restText({ changes }: Rest): string {
  if (changes === 0) return 'These notes go on';
  return `${changes} more ${changes === 1 ? 'change' : 'changes'}`;
}

function piecesOf(blocks: readonly Block[]): Piece[] {
  const pieces: Piece[] = [];
  let [kept, keptDepth] = [false, 0];
  for (const block of blocks) {
    if (block.kind === 'heading' && (!kept || block.depth <= keptDepth)) {
      kept = mustStay.test(wordsOf(block.content));
      keptDepth = block.depth;
    }
    if (block.kind === 'list') for (const item of block.items) pieces.push({ block: null, item, list: block, kept });
    else pieces.push({ block, item: null, list: null, kept });
  }
  return pieces;
}

/**
 * Returns all pieces that are not headings, the most important first. A heading is kept when a piece below it is kept.
 */
function lastToGoFirst(pieces: readonly Piece[]): Piece[] {
  const own = pieces.filter(({ block }) => block?.kind !== 'heading');
  return [...own.filter(({ kept }) => kept), ...own.filter(({ kept }) => !kept)];
}

function changesOf(gone: readonly Piece[], all: readonly Piece[]): number {
  const marked = all.some(({ item }) => item?.isChange);
  return gone.filter(({ item }) => (marked ? item?.isChange : item !== null)).length;
}

/** Turns the chosen pieces back into blocks, each below its headings. */
function toBlocks(pieces: readonly Piece[], chosen: ReadonlySet<Piece>): Block[] {
  const blocks: Block[] = [];
  let headings: Extract<Block, { kind: 'heading' }>[] = [];
  let open: { of: List; list: List } | undefined;
  for (const piece of pieces) {
    if (piece.block?.kind === 'heading') {
      const { block } = piece;
      headings = [...headings.filter(({ depth }) => depth < block.depth), block];
      open = undefined;
    } else if (chosen.has(piece)) {
      blocks.push(...headings);
      headings = [];
      open = put(blocks, piece, open);
    }
  }
  return blocks;
}

function put(blocks: Block[], { block, item, list }: Piece, open: { of: List; list: List } | undefined) {
  if (block) blocks.push(block);
  if (!item || !list) return undefined;
  if (open?.of === list) open.list.items.push(item);
  else {
    open = { of: list, list: { ...list, items: [item] } };
    blocks.push(open.list);
  }
  return open;
}
