/**
 * Makes Markdown quoted from a body safe to stand in a draft: it keeps its words, lists and code, and loses what acts.
 */
import { visibleText } from '../visible-text.ts';
import { breakMentions, cleanLine, type MentionBreak } from './escape.ts';

const longestQuote = 4_000;
const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/**
 * Quoted Markdown as lines: raw HTML shown as text, images reduced to their words, links to http(s) and mailto only,
 * mentions broken, open fences closed.
 */
export function quoteLines(markdown: string, mentions: MentionBreak): string[] {
  const lines: string[] = [];
  let open = '';
  for (const line of shorten(markdown).split('\n')) {
    const mark = fence.exec(line)?.[1] ?? '';
    if (mark !== '' && open === '') open = mark;
    else if (mark !== '' && mark.startsWith(open) && line.trim() === mark) open = '';
    else if (open === '') {
      lines.push(quoteLine(line, mentions));
      continue;
    }
    lines.push(withoutMarkers(visibleText(line)));
  }
  if (open !== '') lines.push(open);
  return collapseBlank(lines);
}

/**
 * The first sentence of quoted Markdown in one line, code blocks and list marks left out; a line that leads on to others by a
 * colon is one as well. Without any, the first line.
 */
export function firstSentence(markdown: string): string {
  const lines = proseLines(markdown);
  const sentences = lines.flatMap((line) => /^.*?[.!?](?=\s|$)/.exec(line)?.[0] ?? /^(.+):$/.exec(line)?.[1] ?? []);
  return sentences[0] ?? lines[0] ?? '';
}

function proseLines(markdown: string): string[] {
  const kept: string[] = [];
  let fenced = false;
  for (const line of shorten(markdown).split('\n')) {
    if (fence.test(line)) fenced = !fenced;
    else if (!fenced) kept.push(line.replace(/^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?/, ''));
  }
  return kept.map((line) => cleanLine(withoutLinks(line).replace(/\*\*|__/g, ''))).filter((line) => line !== '');
}

function shorten(markdown: string): string {
  if (markdown.length <= longestQuote) return markdown;
  const cut = markdown.slice(0, longestQuote).toWellFormed();
  return `${cut.slice(0, Math.max(cut.lastIndexOf('\n'), 0) || cut.length)}\n…`;
}

/** Code spans stay as they are, unless they could pose as a marker. */
function quoteLine(line: string, mentions: MentionBreak): string {
  return visibleText(line.replaceAll('\t', '    ').trimEnd())
    .split(/(`+[^`]*`+)/)
    .map((piece, index) => (index % 2 === 1 ? withoutMarkers(piece) : quoteText(piece, mentions)))
    .join('');
}

function quoteText(text: string, mentions: MentionBreak): string {
  const bare = withoutLinks(text)
    .replace(/<(?=[A-Za-z/!?])/g, '\\<')
    .replace(/^(\s*)\[(?=[^\]]{1,999}\]:)/, '$1\\[');
  return breakMentions(bare, mentions);
}

/** Images become their words; links that are neither http(s) nor mailto lose their target. */
function withoutLinks(text: string): string {
  return text
    .replace(/!\[([^[\]]{0,300})\](?:\([^()\s]{0,2000}(?: "[^"]{0,200}")?\))?/g, '$1')
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
