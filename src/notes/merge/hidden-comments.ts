/**
 * Adds hidden comments to a merged draft. Where the merged draft shows a person's own words, the new draft's text is
 * put into a comment next to those words. The comment is invisible when the draft is rendered, and the person can copy
 * from the comment.
 */
import { withoutMarkers } from '../../foundation/markers.ts';
import { type Block, blockText, proseOf, type Section } from './blocks.ts';

const opening = '<!-- rn:new';
const end = '-->';

/**
 * Returns the lines to put into a hidden comment: the lines of the new draft's prose (`next`) that are neither in the
 * prose of `base` nor in the person's own prose (`mine`). A line that an earlier hidden comment lists stays listed.
 * @param follows true if the merged draft replaces unedited prose by the prose of the new draft. The lines of the
 *   replacement are then left out, because the merged draft shows them anyway
 */
export function newLinesOf(base: Section, mine: Section, next: Section, follows: boolean): string[] {
  const inBase = linesOf(proseOf(base));
  const own = linesOf(proseOf(mine).filter((block) => !isHiddenComment(block)));
  const listed = linesOf(proseOf(mine).filter(isHiddenComment));
  return changedLines(base, mine, next, follows).filter(
    (line) => !own.has(line) && (!inBase.has(line) || listed.has(inComment(line))),
  );
}

/** Returns the lines to put into a hidden comment, as earlier versions of Tidings chose them. */
export function formerNewLinesOf(base: Section, mine: Section, next: Section, follows: boolean): string[] {
  const known = linesOf([...proseOf(base), ...proseOf(mine)]);
  return changedLines(base, mine, next, follows).filter((line) => !known.has(line));
}

/** Returns the lines of the new draft's prose that the merged draft does not show, without blank lines. */
function changedLines(base: Section, mine: Section, next: Section, follows: boolean): string[] {
  const own = new Set(proseOf(mine).map(blockText));
  const was = proseOf(base);
  const changed = proseOf(next).filter((_block, index) => {
    const before = was[index];
    return !follows || before === undefined || !own.has(blockText(before));
  });
  return changed.flatMap(({ lines }) => lines.map((line) => line.trimEnd()).filter((line) => line !== ''));
}

function linesOf(blocks: readonly Block[]): Set<string> {
  return new Set(blocks.flatMap(({ lines }) => lines.map((line) => line.trimEnd())));
}

/**
 * Returns the blocks with `lines` as a hidden comment at the end. The comment replaces an earlier hidden comment. If
 * `lines` is empty, an earlier comment is removed.
 */
export function withHiddenComment(blocks: readonly Block[], lines: readonly string[]): Block[] {
  const kept = blocks.filter((block) => !isHiddenComment(block));
  if (lines.length === 0) return kept;
  return [...kept, { id: null, gap: 1, lines: [opening, ...lines.map(inComment), end] }];
}

/** Returns an entry without the comment that an earlier merge added to the entry. */
export function withoutHiddenComment(block: Block): Block {
  const start = block.lines.findIndex((line) => line.trim() === opening);
  if (start === -1) return block;
  const length = block.lines.slice(start).findIndex((line) => line.trim() === end);
  const after = length === -1 ? [] : block.lines.slice(start + length + 1);
  return { ...block, lines: [...block.lines.slice(0, start), ...after] };
}

function isHiddenComment({ lines }: Block): boolean {
  return lines[0] === opening && lines.at(-1) === end;
}

/**
 * Makes a line safe inside a comment, so that the line does not end the comment. Markers are removed. In a draft, an
 * empty comment breaks a mention. This empty comment is replaced by an invisible joiner, because it would end the outer
 * comment.
 */
function inComment(line: string): string {
  return withoutMarkers(line)
    .replaceAll('<!-- -->', '\u200D')
    .replace(/--(?=!?>)/g, '- -');
}
