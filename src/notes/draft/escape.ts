/**
 * Makes untrusted single-line text safe to stand in Markdown: titles, labels, tag names. What it says stays readable, in the
 * source and rendered. Longer text from bodies is the matter of `quote.ts`.
 */
import { visibleText } from '../../foundation/visible-text.ts';
import { codeSpansIn, type Span, singleBlanks } from '../change/code-spans.ts';

/** How a mention is broken so that the host notifies nobody. */
export type MentionBreak = 'comment' | 'joiner';

const longestText = 300;
const blanks = /[\s\u0085\u2028\u2029]/g;
/** What a line needs cleaning for; most titles are plain ASCII with single blanks. */
const unclean = /[^ -~]| {2}/;

/** One clean line: no control or bidirectional characters, single blanks beside code, at most 300 characters. */
export function cleanLine(text: string): string {
  const line = withoutUnseen(text.slice(0, 40 * longestText));
  if (line.length <= longestText) return line;
  const characters = [...line];
  return characters.length <= longestText
    ? line
    : `${characters
        .slice(0, longestText - 1)
        .join('')
        .trimEnd()}…`;
}

function withoutUnseen(text: string): string {
  if (!unclean.test(text)) return text.trim();
  return singleBlanks(visibleText(text.replace(blanks, ' '))).trim();
}

/** What a line has that needs a closer look; most have none of it, and code between single backticks at most. */
const acts = /[\\*_[\]<>|~#&@]|\$.*\$|^[\d+=-]/;
const pairedTicks = /^[^`]*(?:`[^`]+`[^`]*)*$/;

/**
 * A title as Markdown that shows just the title: balanced code spans stay, all else that would act is escaped. Round
 * brackets stay bare, as they act only behind a square one, and that is escaped.
 */
export function escapeText(text: string, mentions: MentionBreak = 'comment'): string {
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

/** The text without its Markdown, for flags and headings of channels: no code marks, one line. */
export function plainText(text: string): string {
  return cleanLine(text.replace(/`+/g, ''));
}

/** Code spans that are kept as they are; one that holds a marker is not, as edits are found again by it. */
function codeSpansOf(line: string): Span[] {
  return codeSpansIn(line).spans.filter(({ start, end }) => !line.slice(start, end).includes('<!-- rn:'));
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
    // Hosts set what stands between two of them as a formula.
    if (mark === '$' && line.indexOf('$') === line.lastIndexOf('$')) return mark;
    if (mark === '#' && !/\d/.test(after)) return mark;
    if (mark === '&' && !/^&#?\w{1,32};/.test(line.slice(start + at, start + at + 40))) return mark;
    return `\\${mark}`;
  });
}

/** What would begin a list, a heading, a quotation or a rule at the start of a line. */
function escapeStart(text: string): string {
  if (!/^[\d+=#-]/.test(text)) return text;
  const numbered = /^(\d{1,9})([.)])(?=\s|$)/.exec(text);
  if (numbered) return `${numbered[1]}\\${text.slice((numbered[1] as string).length)}`;
  return /^[-+=#](?:\s|$)|^#{2,6}(?:\s|$)|^(?:-{2,}|={2,}|\+{2,})/.test(text) ? `\\${text}` : text;
}

/** Breaks what a host would take for a mention; `@scope/package` and `action@v5` stay as they are. */
export function breakMentions(text: string, by: MentionBreak): string {
  if (!text.includes('@')) return text;
  const gap = by === 'comment' ? '<!-- -->' : '\u200D';
  return text.replace(/(?<![\p{L}\p{N}_@/.])@(?=[\p{L}\p{N}_])(?![\w.-]{1,100}\/[\w.-])/gu, `@${gap}`);
}
