/**
 * Splits a draft's Markdown into sections and blocks, and joins them again unchanged. An entry is a list item with a
 * marker and the lines indented under it. Everything else is prose.
 */
import { digestOf } from '../../foundation/etag.ts';
import { firstMarked } from '../../foundation/markers.ts';

/** A piece of a draft. `id` is the id in its marker, or null for prose. */
export interface Block {
  id: string | null;
  lines: string[];
  /** Number of blank lines before the block. */
  gap: number;
}

/** A heading with the text under it, up to the next heading. The first section has no heading. */
export interface Section {
  heading: string;
  /**
   * The heading's name. For an area, the name is combined with the heading above it, because the same area can occur
   * under several headings.
   */
  key: string;
  /** Name of the heading above an area. Null for a section that is not an area. */
  parent: string | null;
  gap: number;
  blocks: Block[];
}

const headingPattern = /^(#{1,6}) \S/;
const itemPattern = /^[-*+] /;
/**
 * Maximum length in characters of a heading that is stored in full as its name. A longer heading has a digest as its
 * name.
 */
const maxNameLength = 200;

/** Reads the sections of a draft that has `\n` as line ends. */
export function parseDraft(body: string): Section[] {
  const sections: Section[] = [{ heading: '', key: '', parent: null, gap: 0, blocks: [] }];
  let gap = 0;
  let parent = '';
  let fence = '';
  for (const line of body.split('\n')) {
    const here = sections.at(-1) as Section;
    const last = here.blocks.at(-1);
    const depth = fence === '' && line.startsWith('#') ? (headingPattern.exec(line)?.[1]?.length ?? 0) : 0;
    if (fence !== '' && last) last.lines.push(line);
    else if (line.trim() === '') {
      gap += 1;
      continue;
    } else if (depth > 0) {
      const name = nameOf(line);
      if (depth < 3) parent = name;
      const place = depth < 3 ? { key: name, parent: null } : { key: `${parent}\n${name}`, parent };
      sections.push({ heading: line, ...place, gap, blocks: [] });
    } else if (last && continues(last, line, gap)) push(last.lines, gap, [line]);
    else here.blocks.push({ id: entryId(line), lines: [line], gap });
    gap = 0;
    fence = fenceAfter(fence, line);
  }
  return sections;
}

/** Returns the sections as the text of a draft. The text ends with one line end. */
export function writeDraft(sections: readonly Section[]): string {
  const lines: string[] = [];
  for (const section of sections) {
    if (section.heading !== '') push(lines, section.gap, [section.heading]);
    for (const block of section.blocks) push(lines, block.gap, block.lines);
  }
  return `${lines.join('\n')}\n`;
}

/** Returns the blocks of a section that are not entries. */
export function proseOf(section: Section): Block[] {
  return section.blocks.filter(({ id }) => id === null);
}

/**
 * Whether two sections have the same entries and prose in the same order. The words of prose must be equal, too. The
 * words of entries may differ.
 */
export function isSameShape(one: Section, other: Section): boolean {
  const shape = (section: Section): string =>
    section.blocks.map((block) => block.id ?? `prose ${blockText(block)}`).join('\n\n');
  return shape(one) === shape(other);
}

/** Makes sure that each heading has a blank line before and after it. */
export function setApart(sections: readonly Section[]): Section[] {
  return sections.map((section, index) => {
    const [first, ...rest] = section.blocks;
    const gap = index > 0 ? Math.max(section.gap, 1) : section.gap;
    if (!first || section.heading === '') return { ...section, gap };
    return { ...section, gap, blocks: [{ ...first, gap: Math.max(first.gap, 1) }, ...rest] };
  });
}

/** Returns the text of a block for comparison with other blocks. Blanks at line ends are ignored. */
export function blockText(block: Block): string {
  const { lines } = block;
  return lines.length === 1 ? (lines[0] as string).trimEnd() : lines.map((line) => line.trimEnd()).join('\n');
}

function push(lines: string[], gap: number, more: readonly string[]): void {
  if (lines.length > 0) for (let count = 0; count < gap; count += 1) lines.push('');
  for (const line of more) lines.push(line);
}

/**
 * Returns the name of a heading: its text, or a digest of a long text. The digest keeps keys short, because the key of
 * each area repeats the name of the heading above it.
 */
function nameOf(heading: string): string {
  return heading.length <= maxNameLength ? heading : digestOf(heading);
}

function entryId(line: string): string | null {
  return itemPattern.test(line) ? (firstMarked(line) ?? null) : null;
}

/**
 * Whether a line belongs to the block before it. An entry continues over indented lines. Prose continues until a blank
 * line or an entry.
 */
function continues(block: Block, line: string, gap: number): boolean {
  if (block.id !== null) return /^(?: {2}|\t)/.test(line);
  return gap === 0 && entryId(line) === null;
}

function fenceAfter(open: string, line: string): string {
  const mark = /[`~]{3}/.test(line) ? /^[ >]*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] : undefined;
  if (!mark) return open;
  if (open === '') return mark;
  return mark.startsWith(open) && /^[ >]*[`~]+\s*$/.test(line) ? '' : open;
}
