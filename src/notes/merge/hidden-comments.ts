/**
 * What a new draft says where a person's words stand instead: kept in a comment beside them, which nobody sees when the draft
 * is rendered, so that the person can take it over.
 */
import { type Block, blockText, proseOf, type Section } from './blocks.ts';

const opening = '<!-- rn:new';
const end = '-->';

/** Lines of a section's prose that are new since the base, where the person changed that prose as well. */
export function newsOf(base: Section, mine: Section, next: Section, follows: boolean): string[] {
  const own = new Set(proseOf(mine).map(blockText));
  const known = new Set(
    [...proseOf(base), ...proseOf(mine)].flatMap(({ lines }) => lines.map((line) => line.trimEnd())),
  );
  const was = proseOf(base);
  const changed = proseOf(next).filter((_block, index) => {
    const before = was[index];
    return !follows || before === undefined || !own.has(blockText(before));
  });
  return changed.flatMap(({ lines }) =>
    lines.map((line) => line.trimEnd()).filter((line) => line !== '' && !known.has(line)),
  );
}

/** Blocks with a comment of new lines at their end; an earlier such comment gives way to it. */
export function withNews(blocks: readonly Block[], lines: readonly string[]): Block[] {
  if (lines.length === 0) return [...blocks];
  const kept = blocks.filter((block) => !isNews(block));
  return [...kept, { id: null, gap: 1, lines: [opening, ...lines.map(inComment), end] }];
}

/** An entry without the comment that an earlier merge put beside it. */
export function withoutNews(block: Block): Block {
  const start = block.lines.findIndex((line) => line.trim() === opening);
  if (start === -1) return block;
  const length = block.lines.slice(start).findIndex((line) => line.trim() === end);
  const after = length === -1 ? [] : block.lines.slice(start + length + 1);
  return { ...block, lines: [...block.lines.slice(0, start), ...after] };
}

function isNews({ lines }: Block): boolean {
  return lines[0] === opening && lines.at(-1) === end;
}

/** Without what would end the comment: markers go, and mentions stay broken by other means. */
function inComment(line: string): string {
  return line
    .replace(/(?<! ) *<!-- rn:(?:pr|issue):\d{1,10} -->/g, '')
    .replaceAll('<!-- -->', '\u200D')
    .replace(/--(?=!?>)/g, '- -');
}
