/**
 * Reads the lines of a release note. A line can name its kind and area like a title does: `[BUGFIX] tsdb: Fix …`. A
 * note of several lines with kinds describes several changes.
 */
import type { ReleaseNote } from './body.ts';
import type { ChangeType } from './labels.ts';
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
const types: readonly ChangeType[] = ['feature', 'fix', 'security', 'performance', 'documentation'];
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
 * Returns the statements of a release note. Blocks without a kind are one statement. If at least two lines of a block
 * name a kind, each of them is a statement. Then a line without a kind continues the statement before it, and lines
 * before the first statement are left out.
 */
export function noteItems(note: ReleaseNote | undefined): NoteItem[] {
  if (note?.kind !== 'text') return [];
  const statements = note.parts.flatMap(({ label, text }) =>
    statementsOf(withThing(text, label), meaningOfLabel(label)),
  );
  const plain = statements.filter(({ isNamed }) => !isNamed).map(({ item }) => item);
  const [first] = plain;
  const items = statements.flatMap(({ item, isNamed }) => (isNamed || item === first ? [item] : []));
  if (first) first.markdown = plain.map(({ markdown }) => markdown).join('\n\n');
  return items.slice(0, maxItems);
}

function statementsOf(written: string, meaning: Meaning | undefined): Statement[] {
  const text = written.replace(callToAct, '');
  const isCall = text !== written;
  const blocks: { item: NoteItem | undefined; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const item = readLine(line);
    const last = blocks.at(-1);
    if (item) blocks.push({ item, lines: [item.markdown] });
    else if (last) last.lines.push(line);
    else blocks.push({ item: undefined, lines: [line] });
  }
  const named = blocks.filter(({ item }) => item !== undefined);
  const placed = named.length === 0 && meaning !== undefined ? readArea(text) : undefined;
  const whole = placed ? [placed] : named.length < 2 ? [joined(blocks)] : named;
  const breaks = isCall || (named.length === 1 && named[0]?.item?.breaking === true);
  return whole.map(({ item, lines }) => ({
    item: withMeaning(item, lines.join('\n').trim(), meaning, breaks),
    isNamed: item !== undefined || meaning !== undefined,
  }));
}

/** Matches a text that is only a name, such as `x` or acme_volume. */
const onlyName = /^(?:`[^`\n]{1,100}`|(?=\S{0,100}[_./])[\w./-]{1,100})$/;

/** Puts the words of a label before a name, which alone says too little: `new-resource` gives "New resource: `x`". */
function withThing(text: string, label: string): string {
  const thing = /^new-([a-z-]{2,30})$/.exec(label)?.[1];
  return thing !== undefined && onlyName.test(text.trim()) ? `New ${thing.replaceAll('-', ' ')}: ${text.trim()}` : text;
}

/** Reads the area of a note of one line whose block names the kind: `provider: Mask tokens`. */
function readArea(text: string): { item: NoteItem; lines: string[] } | undefined {
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

/**
 * Joins the blocks of a note that names at most one kind. The kind counts only if the first line names it, except that
 * any line can mark the change as breaking.
 */
function joined(blocks: { item: NoteItem | undefined; lines: string[] }[]): (typeof blocks)[number] {
  const [first] = blocks;
  return { item: first?.item, lines: blocks.flatMap(({ lines }) => lines) };
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
  const type = item?.type ?? types.find((each) => each === meaning) ?? null;
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
