/**
 * Sets the blank lines between the blocks of a merged draft. Blocks that were neighbors in the person's draft keep their
 * blank lines. An inserted entry gets a blank line only where the list has blank lines anyway, because a single blank
 * line changes the layout of the whole list.
 */
import type { Block, Section } from './blocks.ts';

const itemPattern = /^(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * Returns the sections with corrected blank lines.
 * @param mine sections of the person's draft
 */
export function spaced(sections: readonly Section[], mine: readonly Section[]): Section[] {
  const neighbors = new Set<string>();
  for (const { blocks } of mine) {
    for (const [index, block] of blocks.entries()) neighbors.add(pair(blocks[index - 1], block));
  }
  return sections.map((section) => {
    const blocks = section.blocks.map((block, index) => {
      const before = section.blocks[index - 1];
      if (!before || neighbors.has(pair(before, block))) return block;
      return { ...block, gap: gapBetween(before, block) };
    });
    return { ...section, blocks };
  });
}

/** Names two neighbors by their ids, or by their lines if they are not entries. */
function pair(before: Block | undefined, block: Block): string {
  return `${before ? nameOf(before) : ''}\n\n${nameOf(block)}`;
}

function nameOf({ id, lines }: Block): string {
  return id ?? lines.join('\n');
}

function gapBetween(before: Block, block: Block): number {
  const isList = itemPattern.test(block.lines[0] ?? '') && endsWithItem(before);
  // Without a blank line, two blocks of prose that were not neighbors would become one paragraph.
  if (!isList) return Math.max(block.gap, 1);
  return before.lines.some((line) => line.trim() === '') ? 1 : 0;
}

/** Whether a list item continues up to the end of a block. */
function endsWithItem({ id, lines }: Block): boolean {
  if (id !== null) return true;
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at] as string;
    if (itemPattern.test(line)) return true;
    if (!/^\s/.test(line)) return false;
  }
  return false;
}
