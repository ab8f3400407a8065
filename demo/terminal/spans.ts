/**
 * Styles text inside a line: finds emphasis, code and links in Markdown, adds ANSI styles and wraps text by its visible
 * width. Each word is styled separately, so a style never extends into the margin of the next line.
 */
import { visibleText } from '../../src/foundation/visible-text.ts';

const codes = { bold: 1, dim: 2, italic: 3, underline: 4, code: 36, link: 34 } as const;

export type SpanStyle = keyof typeof codes;
export type Span = { text: string; styles: SpanStyle[] };

/** Returns the text with the ANSI codes of its styles, or unchanged when colors are off. */
export function paint(text: string, styles: SpanStyle[], color: boolean): string {
  if (!color || styles.length === 0 || text === '') return text;
  const open = [...new Set(styles)].map((style) => codes[style]).join(';');
  return `\x1b[${open}m${text}\x1b[0m`;
}

// Each repetition in these patterns has a maximum. Therefore the time to match a line of brackets or backticks grows
// only linearly with the length of the line.
const codeSpan = /(?<!`)(`{1,3})(?!`)([^\n]{1,500}?)(?<!`)\1(?!`)/y;
const link = /!?\[((?:\\.|[^\\\]]){0,400})\]\(<?([^()\s<>]{0,1000})>?\)/y;
const bareLink = /<(https?:\/\/[^\s<>]{1,1000})>/y;
const tag = /<\/?(?:b|i|em|strong|code|sub|sup|kbd|br)\s?\/?>/iy;
const entity = /&(amp|lt|gt|quot|nbsp|#\d{1,6}|#x[0-9a-f]{1,6});/iy;
const emphasis = /\*{1,3}|_{1,3}/y;

/** Splits a paragraph into styled spans. Emphasis that is never closed ends with the paragraph. */
export function parseSpans(text: string, base: SpanStyle[] = []): Span[] {
  const spans: Span[] = [];
  const open = new Set<SpanStyle>();
  let plain = '';
  const flush = () => {
    if (plain !== '') spans.push({ text: plain, styles: [...base, ...open] });
    plain = '';
  };
  let at = 0;
  while (at < text.length) {
    const special = readSpecial(text, at, [...base, ...open]);
    const mark = special === null ? readEmphasis(text, at, open) : null;
    if (special !== null) {
      flush();
      spans.push(...special.spans);
    } else if (mark !== null) {
      flush();
      toggle(open, mark.length);
    } else {
      plain += text[at]!;
    }
    at += special?.length ?? mark?.length ?? 1;
  }
  flush();
  return spans;
}

type Special = { spans: Span[]; length: number };

/** Reads a construct that begins with a special character: an escape, code, a link, a tag or an entity. */
function readSpecial(text: string, at: number, styles: SpanStyle[]): Special | null {
  const character = text[at];
  if (character === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? '')) {
    return { spans: [{ text: text[at + 1]!, styles }], length: 2 };
  }
  if (character === '`') return readCode(text, at, styles);
  if (character === '[' || character === '!') return readLink(text, at, styles);
  if (character === '<') return readAngle(text, at, styles);
  if (character === '&') {
    const found = matchAt(entity, text, at);
    return found && { spans: [{ text: decodeEntity(found[1]!), styles }], length: found[0].length };
  }
  return null;
}

function readCode(text: string, at: number, styles: SpanStyle[]): Special | null {
  const found = matchAt(codeSpan, text, at);
  return found && { spans: [{ text: found[2]!.trim(), styles: [...styles, 'code'] }], length: found[0].length };
}

function readLink(text: string, at: number, styles: SpanStyle[]): Special | null {
  const found = matchAt(link, text, at);
  if (found === null) return null;
  const [whole, label = '', url = ''] = found;
  const shown = parseSpans(label, [...styles, 'link']);
  if (label === url || url === '' || isReference(label)) return { spans: shown, length: whole.length };
  return { spans: [...shown, { text: ` (${url})`, styles: ['dim'] }], length: whole.length };
}

/**
 * Whether a label already shows where its link leads: a number (`#12`) or a handle (`@ada`). The addresses of such
 * links are not shown, because dozens of addresses would hide the notes.
 */
function isReference(label: string): boolean {
  return /^\\?[#@][\w.-]+$/.test(label);
}

function readAngle(text: string, at: number, styles: SpanStyle[]): Special | null {
  const address = matchAt(bareLink, text, at);
  if (address !== null)
    return { spans: [{ text: address[1]!, styles: [...styles, 'link'] }], length: address[0].length };
  const found = matchAt(tag, text, at);
  if (found === null) return null;
  const isBreak = found[0].toLowerCase().startsWith('<br');
  return { spans: isBreak ? [{ text: '\n', styles: [] }] : [], length: found[0].length };
}

/**
 * Returns the emphasis mark (`*`, `**`, `_` …) at a position, or null. An opening mark is before a word, and a closing
 * mark is after a word. `_` inside a word is not a mark.
 */
function readEmphasis(text: string, at: number, open: Set<SpanStyle>): string | null {
  const found = matchAt(emphasis, text, at);
  if (found === null) return null;
  const mark = found[0];
  const [before, after] = [text[at - 1] ?? ' ', text[at + mark.length] ?? ' '];
  if (mark[0] === '_' && /\w/.test(before) && /\w/.test(after)) return null;
  const isOpen = open.has(mark.length === 1 ? 'italic' : 'bold');
  return /\s/.test(isOpen ? before : after) ? null : mark;
}

function toggle(open: Set<SpanStyle>, length: number): void {
  const styles: SpanStyle[] = length === 1 ? ['italic'] : length === 2 ? ['bold'] : ['bold', 'italic'];
  for (const style of styles) {
    if (!open.delete(style)) open.add(style);
  }
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' };

function decodeEntity(name: string): string {
  const known = entities[name.toLowerCase()];
  if (known !== undefined) return known;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  // A numeric entity such as `&#8238;` can be a character that is invisible or changes the text direction. Such
  // characters are removed.
  return code >= 32 && code <= 0x10ffff
    ? visibleText(String.fromCodePoint(code)).replace(/[\u0085\u2028\u2029]/g, '')
    : '';
}

/** Wraps text to lines of at most the given width. A word that is wider than a line is not broken. */
export function wrapSpans(spans: Span[], width: number, color: boolean): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  for (const word of toWords(spans)) {
    const needed = word.reduce((sum, piece) => sum + textWidth(piece.text), 0);
    const isBreak = word[0]?.text === '\n';
    if (isBreak || (used > 0 && used + 1 + needed > width)) {
      lines.push(line);
      [line, used] = ['', 0];
    }
    if (isBreak) continue;
    const painted = word.map((piece) => paint(piece.text, piece.styles, color)).join('');
    line += used > 0 ? ` ${painted}` : painted;
    used += (used > 0 ? 1 : 0) + needed;
  }
  return [...lines, line];
}

/**
 * Splits spans into words. A word may have pieces of several styles: `**bold**, plain` is the word "bold," and the word
 * "plain".
 */
function toWords(spans: Span[]): Span[][] {
  const words: Span[][] = [];
  let word: Span[] = [];
  const flush = () => {
    if (word.length > 0) words.push(word);
    word = [];
  };
  for (const { text, styles } of spans) {
    for (const part of text.split(/( +|\n)/)) {
      if (part === '') continue;
      if (part === '\n' || part.trim() === '') flush();
      if (part === '\n') words.push([{ text: part, styles: [] }]);
      else if (part.trim() !== '') word.push({ text: part, styles });
    }
  }
  flush();
  return words;
}

const invisible = /\p{M}|[\u200b-\u200f]|\u2060/u;
const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|\p{Emoji_Presentation}/u;

/** Returns the number of columns that a text takes on a terminal. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let columns = 0;
  for (const character of text) {
    if (!invisible.test(character)) columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}
