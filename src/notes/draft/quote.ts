/**
 * Quotes Markdown from a body, so that the quoted text is safe in a draft. Words, lists and code stay. Markup that
 * would have an effect is removed.
 */
import { markdownTokens } from '../../foundation/markdown.ts';
import { ownComment } from '../../foundation/markers.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import { besideCode, codeSpansIn } from '../change/code-spans.ts';
import { breakMentions, cleanLine, type MentionBreak } from './escape.ts';
import { altOf, inlineWords, isName, withoutTags } from './inline.ts';

const maxQuoteLength = 4_000;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Quotes Markdown as lines. Raw HTML is shown as text, and images are replaced by their alternative text. Only http(s)
 * and mailto links are kept. Mentions are disabled, and open fences are closed.
 */
export function quoteLines(markdown: string, mentions: MentionBreak): string[] {
  const lines: string[] = [];
  let open = '';
  // A code span may continue on the next line. Without the lines before it, a line does not show which parts are code.
  let inCode = false;
  const text = shorten(markdown);
  const isCode = codeLines(text);
  for (const [number, line] of text.split('\n').entries()) {
    const mark = fence.exec(line)?.[1] ?? '';
    if (mark !== '' || line.trim() === '') inCode = false;
    if (mark !== '' && open === '') open = mark;
    else if (mark !== '' && mark.startsWith(open) && line.trim() === mark) open = '';
    else if (open === '') {
      const prose = visibleText(line.replaceAll('\t', '    ').trimEnd());
      const { spans, open: staysOpen } = codeSpansIn(prose, true);
      lines.push(quoteLine(prose, inCode ? [] : spans, mentions));
      inCode ||= staysOpen;
      continue;
    }
    lines.push(isCode(number) ? withoutMarkers(visibleText(line)) : withoutComments(visibleText(line)));
  }
  if (open !== '') lines.push(open);
  return collapseBlank(lines);
}

/**
 * Returns a function that reports whether Markdown reads a line as fenced code. The function helps to find comments
 * outside code, because such comments would become comments of the draft. A Markdown parser is needed, because a list
 * item can end a fence early. A text without comments is not parsed.
 */
function codeLines(markdown: string): (line: number) => boolean {
  if (!markdown.includes('<!--')) return () => true;
  const fences = markdownTokens(markdown).flatMap(({ type, map }) => (type === 'fence' && map ? [map] : []));
  return (line) => fences.some(([start, end]) => line >= start && line < end);
}

/**
 * Matches a sentence. A dot after an abbreviation or a blank, as in `git add .`, does not end the sentence.
 */
const sentence =
  /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|z\.B|d\.h))(?<![\s./])[.!?](?=\s|$)|[。！？])/i;

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

/** Quotes a line. Code spans stay unchanged, except that a marker inside a code span is made ineffective. */
function quoteLine(text: string, code: readonly { start: number; end: number }[], mentions: MentionBreak): string {
  let quoted = '';
  let from = 0;
  for (const { start, end } of code) {
    quoted += quoteText(text.slice(from, start), mentions) + withoutMarkers(text.slice(start, end));
    from = end;
  }
  return quoted + quoteText(text.slice(from), mentions);
}

function quoteText(text: string, mentions: MentionBreak): string {
  const bare = withoutLinks(withoutTags(text))
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/^(\s*)\[(?=[^\]]{1,999}\]:)/, '$1\\[');
  return breakMentions(literal(bare), mentions);
}

/** Matches words with underscores at their start, their end or both. */
const underscored = /(?<![\p{L}\p{N}_\\])(_*)([\p{L}\p{N}](?:[\p{L}\p{N}_]*[\p{L}\p{N}])?)(_*)(?![\p{L}\p{N}_])/gu;
/** Matches characters that plain words do not have: an underscore, a digit, or a capital letter inside the word. */
const nameLike = /[_\p{N}]|\p{Ll}\p{Lu}|\p{Lu}{2}/u;
/** Matches stars inside a word, next to a slash, or before an ending: `a*b`, `src/*`, `*.ts`. */
const stars = /(?<!\\)(?:(?<=[\w/])\*+(?=[\w/])|(?<=[/\]])\*+|\*+(?=\/)|(?<![\w*\\])\*+(?=[._]\w))/g;

const address = /(https?:\/\/[^\s<>]{1,2000})/i;

/** Escapes names and patterns if Markdown would read a part of them as emphasis. Addresses stay unchanged. */
function literal(text: string): string {
  if (!/[*_]/.test(text)) return text;
  const pieces = text.split(address);
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : literalWords(piece))).join('');
}

function literalWords(text: string): string {
  return text
    .replace(underscored, (all, before: string, name: string, after: string) => {
      const isBold = before === '__' && after === '__' && !isName(name);
      const isSlanted = before === after && before.length < 2 && !nameLike.test(name);
      const isPhrase = (before === '' || after === '') && !nameLike.test(name);
      return isBold || isSlanted || isPhrase ? all : escaped(before, '_') + name + escaped(after, '_');
    })
    .replace(stars, (run) => escaped(run, '*'));
}

function escaped(run: string, sign: string): string {
  return run.replaceAll(sign, `\\${sign}`);
}

const toNowhere = /\[([^[\]]{1,300})\]\((?!https?:\/\/|mailto:)[^()\n]{0,2000}\)/gi;

/**
 * Replaces images by their alternative text. Replaces links that are neither http(s) nor mailto by their text. Brackets
 * directly after a name are an index with a call, not a link, as in `handlers[0](event)`.
 */
function withoutLinks(text: string): string {
  if (!text.includes('[')) return text;
  const worded = text.replace(/!\[([^[\]]{0,300})\](?:\([^()\s]{0,2000}(?: "[^"]{0,200}")?\))?/g, (_image, alt) =>
    altOf(alt),
  );
  return worded.replace(toNowhere, (all, words: string, at: number) =>
    /[\w)\]]/.test(worded[at - 1] ?? '') ? `\\${all}` : words,
  );
}

/**
 * Makes the markers inside code ineffective. The merge of edits finds entries by their markers, and would also read a
 * marker inside code.
 */
function withoutMarkers(code: string): string {
  return code.replaceAll(ownComment, ownComment.replace('<!', '<! '));
}

function withoutComments(text: string): string {
  return text.replaceAll('<!--', '<! --');
}

function collapseBlank(lines: string[]): string[] {
  const kept = lines.filter((line, index) => line.trim() !== '' || (lines[index - 1] ?? '').trim() !== '');
  while (kept.at(-1)?.trim() === '') kept.pop();
  return kept;
}
