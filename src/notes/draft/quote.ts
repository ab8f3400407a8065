/**
 * Quotes Markdown from a body, so that the quoted text is safe in a draft. Words, lists and code stay. Markup that
 * would have an effect is removed.
 */
import { markdownTokens } from '../../foundation/markdown.ts';
import { ownComment } from '../../foundation/markers.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import { besideCode, besideSpans, codeSpansIn, isEscaped, type Span } from '../change/code-spans.ts';
import { breakMentions, cleanLine, type MentionBreak } from './escape.ts';
import { altOf, inlineWords, isName, withoutTags } from './inline.ts';

const maxQuoteLength = 4_000;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Quotes Markdown as lines. Raw HTML is shown as text, and images are replaced by their alternative text. Only http(s)
 * and mailto links are kept. Mentions are disabled, and open fences are closed. Indented code becomes fenced code.
 */
export function quoteLines(markdown: string, mentions: MentionBreak): string[] {
  const lines: string[] = [];
  const fenced = new Set<number>();
  let open = '';
  // A code span may continue on the next line. Without the lines before it, a line does not show which parts are code.
  let inCode = false;
  const text = shorten(markdown);
  const code = codeIn(text);
  for (const [number, line] of text.split('\n').entries()) {
    const block = open === '' ? code.indented.get(number) : undefined;
    if (block !== undefined) {
      for (const each of block) fenced.add(lines.push(visibleText(each)) - 1);
      continue;
    }
    const mark = fence.exec(line)?.[1] ?? '';
    if (mark !== '' || line.trim() === '') inCode = false;
    if (mark !== '' && open === '') open = mark;
    else if (mark !== '' && mark.startsWith(open) && line.trim() === mark) open = '';
    else if (open === '') {
      const prose = visibleText(line.replaceAll('\t', '    ').trimEnd());
      const { spans, open: staysOpen } = codeSpansIn(prose, true);
      const quoted = withoutHeading(quoteLine(prose, inCode ? [] : spans, mentions), lines.at(-1) ?? '');
      lines.push(code.isFenced(number) ? quoted : withoutFence(quoted));
      inCode ||= staysOpen;
      continue;
    }
    if (open !== '') fenced.add(lines.length);
    lines.push(code.isFenced(number) ? visibleText(line) : withoutComments(visibleText(line)));
  }
  if (open !== '') lines.push(open);
  return collapseBlank(settled(lines, fenced, mentions));
}

/** Matches the start of a fence, also in a list or in a quotation. */
const fenceMark = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}(?=[^`]*$)|~{3,})/;

/** Escapes a fence that a removed tag or name has moved to the start of a line. It would make the next lines code. */
function withoutFence(line: string): string {
  return line.replace(fenceMark, (_, before: string, mark: string) => before + mark.replace(/./g, '\\$&'));
}

const headingMark = /^((?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*)(?=#{1,6}(?:\s|$))/;
const underline = /^([\s>]*)(?=(?:=+|-+)\s*$)/;

/**
 * Escapes the sign that makes a line, or the line before it, a heading. A heading in a quotation would look like a
 * section of the draft.
 */
export function withoutHeading(line: string, before: string): string {
  if (/^[\s>]*$/.test(before)) return line.replace(headingMark, '$1\\');
  return line.replace(headingMark, '$1\\').replace(underline, '$1\\');
}

/**
 * Returns the lines after lines outside code were changed. A line that was quoted as code is made ineffective if
 * Markdown does not read it as code: a list item can end a fence early. No line of the result contains a marker or
 * begins a link definition. This is the last step, because removing a tag or a name can join two parts of a text.
 * @param code indexes of the lines that were quoted as code
 */
export function settled(lines: string[], code: ReadonlySet<number>, mentions: MentionBreak): string[] {
  const mayAct = [...code].some((index) => acts.test(lines[index] ?? ''));
  const { isFenced } = mayAct ? codeIn(lines.join('\n')) : { isFenced: () => true };
  const isCode = (index: number): boolean => code.has(index) && isFenced(index);
  const quoted = lines.map((line, index) =>
    withoutMarkers(code.has(index) && !isFenced(index) ? withoutFence(quoteText(line, mentions)) : line),
  );
  return withoutDefinitions(quoted, isCode);
}

/** Matches the start of a link definition, up to its bracket. The label may go on over several lines. */
const definition = /((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*)\[(?=(?:[^[\]\\]|\\.)*\]:)/sy;

/**
 * Escapes the bracket that begins a link definition. A definition would make a link of the same word in the text of
 * another author. Markdown finds definitions before code spans, so a label may contain backticks.
 */
function withoutDefinitions(lines: string[], isCode: (index: number) => boolean): string[] {
  if (!lines.some((line) => line.includes(']:'))) return lines;
  const text = lines.join('\n');
  let next = 0;
  return lines.map((line, index) => {
    definition.lastIndex = next;
    next += line.length + 1;
    const before = isCode(index) ? undefined : definition.exec(text)?.[1];
    return before === undefined ? line : `${before}\\${line.slice(before.length)}`;
  });
}

/** Matches the signs that make a line effective outside code. */
const acts = /[<[@]/;

/** The lines of a text that Markdown reads as code. */
interface Code {
  isFenced: (line: number) => boolean;
  /**
   * Blocks of indented code outside lists, as fenced code. The keys are all lines of the blocks. The value of a first
   * line is the whole block, and the value of any other line is empty.
   */
  indented: ReadonlyMap<number, readonly string[]>;
}

/**
 * Finds code with a Markdown parser, because a list item can end a fence early, and because an indented line can
 * continue a paragraph. A text that cannot contain code is not parsed.
 */
function codeIn(markdown: string): Code {
  const indented = new Map<number, readonly string[]>();
  if (!/^(?: {4}| {0,3}\t)|`{3}|~{3}/m.test(markdown)) return { isFenced: () => false, indented };
  const fences: [number, number][] = [];
  for (const { type, map, content, level } of markdownTokens(markdown)) {
    if (type === 'fence' && map) fences.push(map);
    if (type !== 'code_block' || !map || level > 0) continue;
    for (let line = map[0]; line < map[1]; line += 1) indented.set(line, []);
    indented.set(map[0], withFence(content.replace(/\n$/, '')));
  }
  return { isFenced: (line) => fences.some(([start, end]) => line >= start && line < end), indented };
}

/** Returns code between two lines of backticks. These lines are longer than any run of backticks in the code. */
function withFence(code: string): string[] {
  const longest = (code.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const mark = '`'.repeat(longest + 1);
  return [mark, ...code.split('\n'), mark];
}

/** Matches the end of a sentence. A dot after an abbreviation or a blank, as in `git add .`, ends no sentence. */
export const sentenceEnd =
  /(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|z\.B|d\.h))(?<![\s./])[.!?](?=\s|$)|[。！？])/gi;
const sentence = new RegExp(`^.*?${sentenceEnd.source}`, 'i');

/**
 * Returns the first sentence of quoted Markdown on one line, without code blocks and list marks. A line that ends in a
 * colon also counts as a sentence. If the text has no sentence, returns the first line.
 */
export function firstSentence(markdown: string): string {
  let first = '';
  for (const line of proseLines(markdown)) {
    const found = besideCode(line, sentenceOf);
    if (found !== '') return found;
    first ||= line;
  }
  return first;
}

function sentenceOf(line: string): string {
  return sentence.exec(line)?.[0] ?? /^(.+):$/.exec(line)?.[1] ?? '';
}

const listMark = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?/;

/** Returns the lines that are prose. Each line is read on demand, because the first line is usually enough. */
function* proseLines(markdown: string): Generator<string> {
  let fenced = false;
  for (const line of shorten(markdown).split('\n')) {
    if (fence.test(line)) fenced = !fenced;
    else if (!fenced && !/^\s*\|/.test(line)) {
      const text = cleanLine(inlineWords(line.replace(listMark, ''), 'address'));
      if (text !== '') yield text;
    }
  }
}

/**
 * Returns a Markdown line as text, without its list mark and bold signs. Links and images are replaced by their text.
 */
export function inlineText(line: string): string {
  return fence.test(line) ? '' : inlineWords(line.replace(listMark, ''), 'words');
}

function shorten(markdown: string): string {
  if (markdown.length <= maxQuoteLength) return markdown;
  const cut = markdown.slice(0, maxQuoteLength).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), 0) || cut.length)}\n…`;
}

/** Quotes a line. Code spans stay unchanged. */
function quoteLine(line: string, code: readonly Span[], mentions: MentionBreak): string {
  const quoted = besideSpans(line, code, (text) => quoteText(text, mentions));
  return withSameCode(line, code, quoted, mentions);
}

/**
 * Returns a changed line if its code spans were code before the change. Otherwise the change moved backticks together,
 * and text that was not made safe as prose could have an effect. Then the line is quoted without its backticks.
 * @param code the code spans of the line before the change. The change may have removed some of them
 */
export function withSameCode(line: string, code: readonly Span[], changed: string, mentions: MentionBreak): string {
  if (code.length === 0 || changed === line) return changed;
  const { spans, open } = codeSpansIn(changed, true);
  const before = code.map(({ start, end }) => line.slice(start, end));
  let next = 0;
  const areKnown = spans.every(({ start, end }) => {
    next = before.indexOf(changed.slice(start, end), next) + 1;
    return next > 0;
  });
  // An open span can be code that has lost one of its ends.
  const isSame = areKnown && (spans.length === code.length || !open);
  return isSame ? changed : quoteText(changed.replaceAll('`', ''), mentions);
}

function quoteText(text: string, mentions: MentionBreak): string {
  return breakMentions(literal(withoutEffect(withoutLinks(withoutTags(text)))), mentions);
}

/**
 * Matches the first sign of a tag or an image, and of a link to elsewhere whose words contain brackets or began on an
 * earlier line.
 */
const firstSigns = /<(?=[A-Za-z/!?])|!(?=\[)|\](?=\((?!https?:\/\/|mailto:))/gi;

/** Escapes the signs that would make a tag, an image or a link to elsewhere. Escaped signs stay as they are. */
function withoutEffect(text: string): string {
  return text.replace(firstSigns, (sign, at: number, whole: string) => (isEscaped(whole, at) ? sign : `\\${sign}`));
}

/**
 * Makes a quoted line safe again after parts of it were removed. A backslash that escaped a removed sign would make
 * the next escape ineffective.
 */
export function safeAgain(line: string, mentions: MentionBreak): string {
  return besideSpans(line, codeSpansIn(line, true).spans, (text) => breakMentions(withoutEffect(text), mentions));
}

/** Matches words with underscores at their start, their end or both. */
const underscored = /(?<![\p{L}\p{N}_\\])(_*)([\p{L}\p{N}](?:[\p{L}\p{N}_]*[\p{L}\p{N}])?)(_*)(?![\p{L}\p{N}_])/gu;
/** Matches characters that plain words do not have: an underscore, a digit, or a capital letter inside the word. */
const nameLike = /[_\p{N}]|\p{Ll}\p{Lu}|\p{Lu}{2}/u;
/** Matches stars inside a word, next to a slash, or before an ending: `a*b`, `src/*`, `*.ts`. */
const stars = /(?<!\\)(?:(?<=[\w/])\*+(?=[\w/])|(?<=[/\]])\*+|\*+(?=\/)|(?<![\w*\\])\*+(?=\\?[._]\w))/g;

const address = /(https?:\/\/[^\s<>]{1,2000})/i;

/** Escapes names and patterns if Markdown would read a part of them as emphasis. Addresses stay unchanged. */
function literal(text: string): string {
  if (!/[*_]/.test(text)) return text;
  const pieces = text.split(address);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : literalWords(piece))).join('');
}

function literalWords(text: string): string {
  return text
    .replace(underscored, (all, before: string, name: string, after: string, at: number) => {
      const isBold = before === '__' && after === '__' && !isName(name);
      const isSlanted = before === after && before.length < 2 && !nameLike.test(name);
      // An underscore behind a star belongs to a pattern such as `*_test.go`, unless both signs are closed: `*_a b_*`.
      const isPattern = before !== '' && text[at - 1] === '*' && !text.includes('_*', at);
      const isPhrase = (before === '' || after === '') && !nameLike.test(name) && !isPattern;
      return isBold || isSlanted || isPhrase ? all : escaped(before, '_') + name + escaped(after, '_');
    })
    .replace(stars, (run) => escaped(run, '*'));
}

function escaped(run: string, sign: string): string {
  return run.replaceAll(sign, `\\${sign}`);
}

const images = /!\[([^[\]]{0,300})\](?:\([^()\s]{0,2000}(?: "[^"]{0,200}")?\))?/g;
const toNowhere = /\[([^[\]]{0,300})\]\((?!https?:\/\/|mailto:)[^()\n]{0,2000}\)/gi;

/**
 * Replaces images by their alternative text. Replaces links that are neither http(s) nor mailto by their text. Brackets
 * directly after a name are an index with a call, not a link, as in `handlers[0](event)`. Escaped signs stay.
 */
function withoutLinks(text: string): string {
  if (!text.includes('[')) return text;
  return text
    .replace(images, (all, alt: string, at: number, whole: string) => (isEscaped(whole, at) ? all : altOf(alt)))
    .replace(toNowhere, (all, words: string, at: number, whole: string) =>
      /[\w)\]]/.test(whole[at - 1] ?? '') || isEscaped(whole, at) ? all : words,
    );
}

/**
 * Makes the markers of a line ineffective, in code and in prose. The merge of edits finds entries by their markers. It
 * would also read a marker inside code or behind a backslash.
 */
function withoutMarkers(line: string): string {
  return line.replaceAll(ownComment, ownComment.replace('<!', '<! '));
}

function withoutComments(text: string): string {
  return text.replaceAll('<!--', '<! --');
}

function collapseBlank(lines: string[]): string[] {
  const kept = lines.filter((line, index) => line.trim() !== '' || (lines[index - 1] ?? '').trim() !== '');
  while (kept.at(-1)?.trim() === '') kept.pop();
  return kept;
}
