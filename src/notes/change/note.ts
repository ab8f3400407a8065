/**
 * Reads the lines of a release note. A line can name its kind and area like a title does: `[BUGFIX] tsdb: Fix …`. A
 * note that begins with such a line and has several of them describes several changes.
 */
import type { ReleaseNote } from './body.ts';
import { type ChangeType, listedTypes } from './labels.ts';
import { parseTitle } from './title.ts';
import { type Meaning, meaningOf } from './title-words.ts';

/** One statement of a release note. `markdown` is its text without kind and area, not yet safe to show. */
export interface NoteItem {
  type: ChangeType | null;
  breaking: boolean;
  /** Whether the note calls the change work on the project itself. */
  housekeeping: boolean;
  areas: string[];
  markdown: string;
}

/** Words that only labels of release notes use, as in a block that begins with `release-note:enhancement`. */
const noteMeanings: Readonly<Record<string, Meaning>> = {
  'breaking-change': 'breaking',
  deprecation: 'plain',
  improvement: 'feature',
  enhancement: 'feature',
  'new-resource': 'feature',
  'new-datasource': 'feature',
  'new-data-source': 'feature',
  'new-guide': 'documentation',
  internal: 'housekeeping',
};
const listMark = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
/**
 * Matches "action required" at the start of a note, which marks a breaking change. Signs of the next word stay, as in
 * `ACTION REQUIRED: --old is gone`.
 */
const callToAct =
  /^[^\p{L}\p{N}]*action required[\])*_]*(?:\s*[:：!.]|\s+[–—-](?=\s))?[\])*_]*(?<=[^\p{L}\p{N}]|(?=\s))\s*(?=\S)/iu;
/** Matches a word in brackets at the start of a line. */
const bracketed = /^\[([^[\]]{1,40})\]/;
/** Matches a word in bold at the start of a line, which may name the kind: `**Breaking:** …`. */
const boldWord = /^\*\*([^*\n]{2,40})\*\*(:?)(?=\s)/;
const maxItems = 50;

/** A statement, and whether its line or its block names a kind. The kind may have no section, as in `[CHANGE] …`. */
interface Statement {
  item: NoteItem;
  isNamed: boolean;
}

/**
 * Returns the statements of a release note. Blocks without a kind are one statement, which is breaking if one of the
 * blocks is. If the first line of a block names a kind, or if two lines name one in brackets, each line with a kind is a
 * statement. Then a line without a kind continues the statement before it, and lines before the first statement are left
 * out, as is a first line such as `Changes:`. Any other block stays as it is written, without kinds in brackets.
 */
export function noteItems(note: ReleaseNote | undefined): NoteItem[] {
  if (note?.kind !== 'text') return [];
  const statements = note.parts.flatMap(({ label, text }) =>
    statementsOf(withThing(text, label), meaningOfLabel(label)),
  );
  const plain = statements.filter(({ isNamed }) => !isNamed).map(({ item }) => item);
  const [first] = plain;
  const items = statements.flatMap(({ item, isNamed }) => (isNamed || item === first ? [item] : []));
  if (first) {
    first.markdown = plain.map(({ markdown }) => markdown).join('\n\n');
    first.breaking = plain.some(({ breaking }) => breaking);
  }
  return items.slice(0, maxItems);
}

function statementsOf(written: string, meaning: Meaning | undefined): Statement[] {
  const text = written.replace(callToAct, '');
  const isCall = text !== written;
  const lines = readLines(text);
  const begin = lines.find(({ line }) => line.trim() !== '' && !introduction.test(line));
  const isSplit = begin?.item !== undefined || lines.filter(isBracketed).length > 1;
  const placed = !isSplit && meaning !== undefined ? readArea(text) : undefined;
  const blocks = isSplit ? split(lines) : [placed ?? { item: undefined, lines: lines.map(withoutBracket) }];
  // In a block that stays as it is written, any line can mark the change as breaking.
  const breaks = isCall || (!isSplit && lines.some(({ item }) => item?.breaking === true));
  return blocks.map((block) => ({
    item: withMeaning(block.item, block.lines.join('\n').trim(), meaning, breaks),
    isNamed: block.item !== undefined || meaning !== undefined,
  }));
}

/** A statement's lines, without the kind and area of the first line. `item` is undefined if no line names a kind. */
interface Block {
  item: NoteItem | undefined;
  lines: string[];
}

/** A line of a note. `item` is undefined if the line does not begin with a kind. */
interface ReadLine {
  line: string;
  item: NoteItem | undefined;
}

/** Matches a line that only introduces a list: `Changes:`. */
const introduction = /^[\s#*_]*(?:changes?|changelog|release notes?|notes?|what['’]?s (?:new|changed))[\s:*_#]*$/i;
/** Matches a fence, which may begin in a list item. */
const fence = /^\s*(?:(?:[-*+]|\d{1,9}[.)])\s+){0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const indented = /^(?: {4}| {0,3}\t)/;

/** Reads the lines of a note. Lines in a fence and lines that are indented like code name no kind. */
function readLines(text: string): ReadLine[] {
  let open = '';
  return text.split('\n').map((line) => {
    const mark = fence.exec(line)?.[1] ?? '';
    const isCode = open !== '' || mark !== '' || indented.test(line);
    if (open === '') open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = '';
    return { line, item: isCode ? undefined : readLine(line) };
  });
}

/** Whether a line names its kind in brackets: `[BUGFIX] …`. A word before a colon can belong to the text. */
function isBracketed({ line, item }: ReadLine): boolean {
  return item !== undefined && bracketed.test(line.replace(listMark, ''));
}

function withoutBracket(read: ReadLine): string {
  return isBracketed(read) && read.item ? (listMark.exec(read.line)?.[0] ?? '') + read.item.markdown : read.line;
}

/** Begins a block at each line with a kind. Lines before the first of them are left out. */
function split(lines: readonly ReadLine[]): Block[] {
  const blocks: Block[] = [];
  for (const { line, item } of lines) {
    if (item) blocks.push({ item, lines: [item.markdown] });
    else blocks.at(-1)?.lines.push(line);
  }
  return blocks;
}

/** Matches a text that is only a name, such as `x` or acme_volume. */
const onlyName = /^(?:`[^`\n]{1,100}`|(?=\S{0,100}[_./])[\w./-]{1,100})$/;

/** Puts the words of a label before a name, which alone says too little: `new-resource` gives "New resource: `x`". */
function withThing(text: string, label: string): string {
  const thing = /^new-([a-z-]{2,30})$/.exec(label)?.[1];
  return thing !== undefined && onlyName.test(text.trim()) ? `New ${thing.replaceAll('-', ' ')}: ${text.trim()}` : text;
}

/** Reads the area of a note of one line whose block names the kind: `provider: Mask tokens`. */
function readArea(text: string): Block | undefined {
  if (text.includes('\n')) return undefined;
  const { areas, text: words } = parseTitle(text);
  const markdown = withDot(words, text);
  return areas.length === 0
    ? undefined
    : { item: { type: null, breaking: false, housekeeping: false, areas, markdown }, lines: [markdown] };
}

/** Titles lose a dot at their end. A release note keeps it, because a further line may follow it. */
function withDot(words: string, text: string): string {
  return text.endsWith('.') && /[^.]$/.test(words) ? `${words}.` : words;
}

/** Reads a line that begins with a kind. Returns undefined for any other line. */
function readLine(line: string): NoteItem | undefined {
  const marked = listMark.exec(line)?.[0] ?? '';
  const text = line.slice(marked.length).trim().replace(boldWord, '$1$2');
  if (!/^(?:\[|[A-Za-z]{2,14}(?:\([^()]{1,60}\))?!?:|[^\w\s`*_])/.test(text)) return undefined;
  const { type, breaking, housekeeping, areas, text: words } = parseTitle(text);
  const rest = withDot(words, text);
  const isNamed = type !== null || breaking || housekeeping || meaningOf(bracketed.exec(text)?.[1] ?? '') === 'plain';
  return isNamed && rest !== '' ? { type, breaking, housekeeping, areas, markdown: rest } : undefined;
}

function withMeaning(
  item: NoteItem | undefined,
  text: string,
  meaning: Meaning | undefined,
  breaks: boolean,
): NoteItem {
  const type = item?.type ?? listedTypes.find((each) => each === meaning) ?? null;
  const markdown = text.replace(callToAct, '');
  return {
    type,
    breaking: (item?.breaking ?? false) || meaning === 'breaking' || breaks || markdown !== text,
    housekeeping: type === null && ((item?.housekeeping ?? false) || meaning === 'housekeeping'),
    areas: item?.areas ?? [],
    markdown,
  };
}

function meaningOfLabel(label: string): Meaning | undefined {
  return noteMeanings[label.toLowerCase()] ?? meaningOf(label);
}
