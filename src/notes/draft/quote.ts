/**
 * Makes Markdown quoted from a body safe to stand in a draft: it keeps its words, lists and code, and loses what acts.
 */
import { markdownTokens } from '../../foundation/markdown.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import { besideCode, codeSpansIn } from '../change/code-spans.ts';
import { breakMentions, cleanLine, type MentionBreak } from './escape.ts';
import { altOf, inlineWords, isName, withoutTags } from './inline.ts';

const longestQuote = 4_000;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Quoted Markdown as lines: raw HTML shown as text, images reduced to their words, links to http(s) and mailto only,
 * mentions broken, open fences closed.
 */
export function quoteLines(markdown: string, mentions: MentionBreak): string[] {
  const lines: string[] = [];
  let open = '';
  // Code that goes on over lines: which part of the next is text and which is code is then not told by that line.
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
      const { spans, open: goesOn } = codeSpansIn(prose, true);
      lines.push(quoteLine(prose, inCode ? [] : spans, mentions));
      inCode ||= goesOn;
      continue;
    }
    lines.push(isCode(number) ? withoutMarkers(visibleText(line)) : withoutComments(visibleText(line)));
  }
  if (open !== '') lines.push(open);
  return collapseBlank(lines);
}

/**
 * Says which lines stand in fenced code as Markdown reads it: list items can end a fence early. Only asked where code has
 * comments, which would be comments of the draft elsewhere.
 */
function codeLines(markdown: string): (line: number) => boolean {
  if (!markdown.includes('<!--')) return () => true;
  const fences = markdownTokens(markdown).flatMap(({ type, map }) => (type === 'fence' && map ? [map] : []));
  return (line) => fences.some(([start, end]) => line >= start && line < end);
}

/** A point behind a short form ends no sentence, nor does one that stands for itself: `git add .`. */
const sentence =
  /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|z\.B|d\.h))(?<![\s./])[.!?](?=\s|$)|[。！？])/i;

/**
 * The first sentence of quoted Markdown in one line, code blocks and list marks left out; a line that leads on to others by a
 * colon is one as well. Without any, the first line.
 */
export function firstSentence(markdown: string): string {
  let first = '';
  for (const line of proseLines(markdown)) {
    const told = besideCode(line, sentenceOf);
    if (told !== '') return told;
    first ||= line;
  }
  return first;
}

function sentenceOf(line: string): string {
  return sentence.exec(line)?.[0] ?? /^(.+):$/.exec(line)?.[1] ?? '';
}

const listMark = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?/;

/** The lines that are words, each read when it is asked for: the first one mostly tells enough. */
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

/** A line of Markdown as its words: no list mark, no bold, links and images reduced to their text. */
export function inlineText(line: string): string {
  return fence.test(line) ? '' : inlineWords(line.replace(listMark, ''), 'words');
}

function shorten(markdown: string): string {
  if (markdown.length <= longestQuote) return markdown;
  const cut = markdown.slice(0, longestQuote).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), 0) || cut.length)}\n…`;
}

/** Code spans stay as they are, unless they could pose as a marker. */
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

/** A word with underscores at its start, its end or both. */
const underscored = /(?<![\p{L}\p{N}_\\])(_*)([\p{L}\p{N}](?:[\p{L}\p{N}_]*[\p{L}\p{N}])?)(_*)(?![\p{L}\p{N}_])/gu;
/** What no plain word has: an underscore, a digit, a capital inside. */
const nameLike = /[_\p{N}]|\p{Ll}\p{Lu}|\p{Lu}{2}/u;
/** Stars inside a word, beside a slash, or before an ending: `a*b`, `src/*`, `*.ts`. */
const stars = /(?<!\\)(?:(?<=[\w/])\*+(?=[\w/])|(?<=[/\]])\*+|\*+(?=\/)|(?<![\w*\\])\*+(?=[._]\w))/g;

const address = /(https?:\/\/[^\s<>]{1,2000})/i;

/** Names and patterns as they are written, where Markdown would take a part of them for emphasis. Addresses stay. */
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
 * Images become their words; links that are neither http(s) nor mailto lose their target. Behind a word, brackets are an index
 * and a call: `handlers[0](event)`.
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

/** A marker in code would be found as one: edits are found by it. */
function withoutMarkers(code: string): string {
  return code.replaceAll('<!-- rn:', '<! -- rn:');
}

function withoutComments(text: string): string {
  return text.replaceAll('<!--', '<! --');
}

function collapseBlank(lines: string[]): string[] {
  const kept = lines.filter((line, index) => line.trim() !== '' || (lines[index - 1] ?? '').trim() !== '');
  while (kept.at(-1)?.trim() === '') kept.pop();
  return kept;
}
