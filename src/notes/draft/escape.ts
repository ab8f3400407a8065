/**
 * Makes untrusted single-line text, such as titles, labels and tag names, safe to use in Markdown. The text stays
 * readable, both as source and when rendered. `quote.ts` makes longer text from bodies safe.
 */
import { ownComment } from '../../foundation/markers.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import { codeSpansIn, type Span, singleBlanks } from '../change/code-spans.ts';

/** How a mention is changed so that the host notifies no one: an empty comment or an invisible joiner is inserted. */
export type MentionBreak = 'comment' | 'joiner';

const maxTextLength = 300;
/** A text is cut at the border of a word, unless its last word would take more than half of the text. */
const minCutLength = 150;
const blanks = /[\s\u0085\u2028\u2029]/g;
/** Matches a line that needs cleaning. Most titles are plain ASCII with single blanks. */
const unclean = /[^ -~]| {2}/;

/**
 * Cleans a line. The result has at most 300 characters, is cut between two words, and contains no control or
 * bidirectional characters. Outside code, each run of blanks becomes a single space.
 */
export function cleanLine(text: string): string {
  const line = withoutUnseen(text.slice(0, 40 * maxTextLength));
  if (line.length <= maxTextLength) return line;
  const characters = [...line];
  if (characters.length <= maxTextLength) return line;
  const cut = characters.slice(0, maxTextLength - 1).join('');
  const isInsideWord = /\S/.test(characters[maxTextLength - 1] as string);
  const border = isInsideWord ? cut.lastIndexOf(' ') : cut.length;
  return `${cut.slice(0, border > minCutLength ? border : cut.length).trimEnd()}…`;
}

function withoutUnseen(text: string): string {
  if (!unclean.test(text)) return text.trim();
  return singleBlanks(visibleText(text.replace(blanks, ' '))).trim();
}

/**
 * Matches characters, other than backticks, that can have an effect in Markdown. Most titles contain none of them. Such
 * a title is returned unchanged if its backticks form pairs.
 */
const acts = /[\\*_[\]<>|~#&@]|\$.*\$|^[\d+=-]/;
/**
 * Matches clean ASCII titles that stay unchanged. Most titles are of this kind, and one search is enough for them. Code
 * between two backticks may contain any sign, but no blank.
 */
const harmless = /^[A-Za-z(](?: ?(?:[A-Za-z0-9.,:;'"!?%()/{}^-]|`[!-_a-z{}]+`))*$/;
const pairedTicks = /^[^`]*(?:`[^`]+`[^`]*)*$/;

/**
 * Escapes a title, so that Markdown shows the title unchanged. Complete code spans stay as they are. Outside code, all
 * characters with an effect in Markdown are escaped, except round brackets. Round brackets have an effect only after a
 * square bracket, and square brackets are escaped.
 */
export function escapeText(text: string, mentions: MentionBreak = 'comment'): string {
  if (text.length <= maxTextLength && harmless.test(text)) return text;
  const line = cleanLine(text);
  if (!acts.test(line) && pairedTicks.test(line)) return line;
  let escaped = '';
  let position = 0;
  for (const span of codeSpansOf(line)) {
    escaped += breakMentions(escapeMarks(line, position, span.start), mentions) + line.slice(span.start, span.end);
    position = span.end;
  }
  return escapeStart(escaped + breakMentions(escapeMarks(line, position, line.length), mentions));
}

/**
 * Returns the text on one line and without code marks. Such a text is used in the flags of a draft, and in headings
 * that channels show.
 */
export function plainText(text: string): string {
  return cleanLine(text.replace(/`+/g, ''));
}

/** Returns the words of a text in lower case, for comparison with another text. Signs and blanks do not count. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * Returns the code spans that stay unchanged. A span that contains a marker is left out, because a person's edits are
 * matched to entries by markers.
 */
function codeSpansOf(line: string): Span[] {
  return codeSpansIn(line).spans.filter(({ start, end }) => !line.slice(start, end).includes(ownComment));
}

const marks = /[\\`*_[\]<>|~#&$]/g;
const acting = new RegExp(marks.source);

function escapeMarks(line: string, start: number, end: number): string {
  const part = line.slice(start, end);
  if (!acting.test(part)) return part;
  return part.replaceAll(marks, (mark, at: number) => {
    const before = line[start + at - 1] ?? ' ';
    const after = line[start + at + 1] ?? ' ';
    if (mark === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)) return mark;
    // Hosts render the text between two dollar signs as a formula, and between two tildes as struck out. A single such
    // sign needs no escape.
    if ((mark === '$' || mark === '~') && line.indexOf(mark) === line.lastIndexOf(mark)) return mark;
    if (mark === '#' && !/\d/.test(after)) return mark;
    if (mark === '&' && !/^&#?\w{1,32};/.test(line.slice(start + at, start + at + 40))) return mark;
    return `\\${mark}`;
  });
}

/** Escapes the start of a line that would begin a list, a heading, a quotation or a rule. */
function escapeStart(text: string): string {
  if (!/^[\d+=#-]/.test(text)) return text;
  const numbered = /^(\d{1,9})([.)])(?=\s|$)/.exec(text);
  if (numbered) return `${numbered[1]}\\${text.slice((numbered[1] as string).length)}`;
  return /^[-+=#](?:\s|$)|^#{2,6}(?:\s|$)|^(?:-{2,}|={2,}|\+{2,})/.test(text) ? `\\${text}` : text;
}

/** Changes each mention so that the host notifies no one. `@scope/package` and `action@v5` stay unchanged. */
export function breakMentions(text: string, by: MentionBreak): string {
  if (!text.includes('@')) return text;
  const gap = by === 'comment' ? '<!-- -->' : '\u200D';
  return text.replace(/(?<![\p{L}\p{N}_@/.])@(?=[\p{L}\p{N}_])(?![\w.-]{1,100}\/[\w.-])/gu, `@${gap}`);
}
