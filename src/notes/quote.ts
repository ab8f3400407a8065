/**
 * Makes Markdown quoted from a body safe to stand in a draft: it keeps its words, lists and code, and loses what acts.
 */
import { visibleText } from '../visible-text.ts';
import { breakMentions, cleanLine, codeSpansIn, type MentionBreak } from './escape.ts';

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
  for (const line of shorten(markdown).split('\n')) {
    const mark = fence.exec(line)?.[1] ?? '';
    if (mark !== '' || line.trim() === '') inCode = false;
    if (mark !== '' && open === '') open = mark;
    else if (mark !== '' && mark.startsWith(open) && line.trim() === mark) open = '';
    else if (open === '') {
      const text = visibleText(line.replaceAll('\t', '    ').trimEnd());
      const { spans, open: goesOn } = codeSpansIn(text);
      lines.push(quoteLine(text, inCode ? [] : spans, mentions));
      inCode ||= goesOn;
      continue;
    }
    lines.push(withoutMarkers(visibleText(line)));
  }
  if (open !== '') lines.push(open);
  return collapseBlank(lines);
}

/** A point behind a short form ends no sentence. */
const sentence = /^.*?(?:(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|nr|z\.B|d\.h))[.!?](?=\s|$)|[。！？])/i;

/**
 * The first sentence of quoted Markdown in one line, code blocks and list marks left out; a line that leads on to others by a
 * colon is one as well. Without any, the first line.
 */
export function firstSentence(markdown: string): string {
  const lines = proseLines(markdown);
  const sentences = lines.flatMap((line) => sentence.exec(line)?.[0] ?? /^(.+):$/.exec(line)?.[1] ?? []);
  return sentences[0] ?? lines[0] ?? '';
}

const listMark = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ xX]\]\s+)?/;

function proseLines(markdown: string): string[] {
  const kept: string[] = [];
  let fenced = false;
  for (const line of shorten(markdown).split('\n')) {
    if (fence.test(line)) fenced = !fenced;
    else if (!fenced && !/^\s*\|/.test(line)) kept.push(line.replace(listMark, ''));
  }
  return kept
    .map((line) => cleanLine(withoutLinks(withoutTags(line)).replace(/\*\*|__/g, '')))
    .filter((line) => line !== '');
}

/** A line of Markdown as its words: no list mark, no bold, links and images reduced to their text. */
export function inlineText(line: string): string {
  if (fence.test(line)) return '';
  const bare = withoutLinks(withoutTags(line.replace(listMark, '').replace(/<!--.{0,2000}?-->/g, '')));
  return bare
    .replace(/\[([^[\]]{1,300})\]\([^()\s]{1,2000}\)/g, '$1')
    .replace(/\*\*|__/g, '')
    .replace(/\s+/g, ' ')
    .trim();
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
  return breakMentions(bare, mentions);
}

const tags =
  /<\/?(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|input|ins|kbd|li|ol|p|picture|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)(?:\s[^<>\n]{0,2000})?\/?>/gi;

/** What HTML lays out goes, its words stay; any other tag is shown as it was written. */
function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  return text
    .replace(/<img\s[^<>\n]{0,2000}>/gi, (image) => altOf(/\balt="([^"<>]{0,300})"/i.exec(image)?.[1] ?? ''))
    .replace(tags, '');
}

/** Words for an image, unless a program gave them. */
function altOf(alt: string): string {
  return /^(?:image|img|screenshot\b.*|screen shot\b.*|.*\.(?:png|jpe?g|gif|webp|svg))$/i.test(alt.trim()) ? '' : alt;
}

/** Images become their words; links that are neither http(s) nor mailto lose their target. */
function withoutLinks(text: string): string {
  return text
    .replace(/!\[([^[\]]{0,300})\](?:\([^()\s]{0,2000}(?: "[^"]{0,200}")?\))?/g, (_image, alt) => altOf(alt))
    .replace(/\[([^[\]]{1,300})\]\((?!https?:\/\/|mailto:)[^()\n]{0,2000}\)/gi, '$1');
}

function withoutMarkers(text: string): string {
  return text.replace(/<!--/g, '<! --');
}

function collapseBlank(lines: string[]): string[] {
  const kept = lines.filter((line, index) => line.trim() !== '' || (lines[index - 1] ?? '').trim() !== '');
  while (kept.at(-1)?.trim() === '') kept.pop();
  return kept;
}
