/**
 * Makes the line that lists, feeds and search engines show of a note. It consists of the note's own words, so it can never hold
 * what an editor removed.
 */
import { type Block, wordsOf } from './document.ts';
import { bareText } from './inlines.ts';
import { shorten } from './split.ts';

const longestExcerpt = 300;
const mostItems = 5;
const highlights = /\bhighlights?\b/i;

/**
 * The entries under "Highlights", else the paragraph that the note begins with, else its first entries. Plain text of at most
 * 300 UTF-16 units; empty for a note without either.
 */
export function excerptOf(blocks: readonly Block[]): string {
  const lines = highlightsOf(blocks) ?? introductionOf(blocks) ?? itemsOf(blocks);
  const texts = lines.map(bareText).filter((line) => line !== '');
  return shorten(texts.slice(0, mostItems).join(' · '), longestExcerpt);
}

/** Entries of the section of highlights, up to the next heading; undefined without such a section. */
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

/** The first line of each entry. */
function itemsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'list') return [];
    return block.items.flatMap(({ blocks: [first] }) => (first?.kind === 'paragraph' ? [wordsOf(first.content)] : []));
  });
}
