/**
 * Makes the one-line summary of a note for lists, feeds and search engines. It uses only the note's own text, so it
 * never contains anything that an editor has removed.
 */
import { type Block, wordsOf } from './document.ts';
import { bareText } from './inlines.ts';
import { shorten } from './split.ts';

const maxExcerptLength = 300;
const maxItems = 5;
const highlights = /\bhighlights?\b/i;

/**
 * Returns the note's summary as plain text of at most 300 UTF-16 units. The summary is the entries under "Highlights".
 * Without such entries, it is the paragraph with which the note begins. If the note does not begin with a paragraph, it
 * is the note's first entries. The summary is empty if the note has none of these.
 */
export function excerptOf(blocks: readonly Block[]): string {
  const lines = highlightsOf(blocks) ?? introductionOf(blocks) ?? itemsOf(blocks);
  const texts = lines.map(bareText).filter((line) => line !== '');
  return shorten(texts.slice(0, maxItems).join(' · '), maxExcerptLength);
}

/** Returns the entries of the highlights section, up to the next heading; undefined without such a section. */
function highlightsOf(blocks: readonly Block[]): string[] | undefined {
  const at = blocks.findIndex((block) => block.kind === 'heading' && highlights.test(wordsOf(block.content)));
  if (at < 0) return undefined;
  const below = blocks.slice(at + 1);
  const end = below.findIndex(({ kind }) => kind === 'heading');
  const items = itemsOf(end < 0 ? below : below.slice(0, end));
  return items.length > 0 ? items : undefined;
}

function introductionOf(blocks: readonly Block[]): string[] | undefined {
  const first = blocks.find(({ kind }) => kind !== 'heading');
  return first?.kind === 'paragraph' ? [wordsOf(first.content)] : undefined;
}

/** Returns the first line of each list item. */
function itemsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'list') return [];
    return block.items.flatMap(({ blocks: [first] }) => (first?.kind === 'paragraph' ? [wordsOf(first.content)] : []));
  });
}
