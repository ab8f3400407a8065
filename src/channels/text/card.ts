/**
 * Formats a note as an Adaptive Card for an office chat. A card's text supports bold, italic, lists and links, and no
 * other Markdown. So headings become bold lines, code becomes monospace text, and everything else is escaped.
 */
import type { Note } from '../channel.ts';
import { cutToFit, type Rest, restText } from './cut.ts';
import { type Block, type Inline, type ListItem, wordsOf } from './document.ts';
import { breakMentions } from './mentions.ts';
import { blocksOf, readOnUrl, titleOf } from './note-text.ts';
import { shorten } from './split.ts';

interface TextBlock {
  type: 'TextBlock';
  text: string;
  wrap: true;
  size?: 'Large' | 'Medium';
  weight?: 'Bolder';
  fontType?: 'Monospace';
  spacing?: 'Small' | 'Large';
}

/** The message that contains a card, in the form that a workflow accepts. */
export interface CardMessage {
  type: 'message';
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive'; contentUrl: null; content: AdaptiveCard }];
}

interface AdaptiveCard {
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json';
  type: 'AdaptiveCard';
  version: '1.4';
  msteams: { width: 'Full' };
  body: TextBlock[];
}

/** Maximum bytes of a message; the chat refuses more than about 28 kB. */
const largestMessage = 27_500;
const maxHeadingLength = 300;

/** Returns the message for a note. */
export function toCardMessage(note: Note): CardMessage {
  return cutToFit(
    blocksOf(note),
    (kept, rest) => cardMessage(titleOf(note), [...toTextBlocks(kept), ...(rest ? [restBlock(note, rest)] : [])]),
    (message) => Buffer.byteLength(JSON.stringify(message)) <= largestMessage,
  );
}

/** Returns a message of plain text with a title. */
export function plainCardMessage(title: string, text: string): CardMessage {
  return cardMessage(title, [textBlock(escapeCardText(text))]);
}

function cardMessage(title: string, body: readonly TextBlock[]): CardMessage {
  const head = textBlock(escapeCardText(title), { size: 'Large', weight: 'Bolder' });
  const content: AdaptiveCard = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    body: [head, ...body],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function restBlock(note: Note, rest: Rest): TextBlock {
  const url = readOnUrl(note);
  const text = restText(rest);
  return textBlock(url === null ? `${text}.` : `${text}: ${cardLink(url, escapeCardText(url))}`, { spacing: 'Large' });
}

function toTextBlocks(blocks: readonly Block[]): TextBlock[] {
  return blocks.flatMap(toTexts);
}

function toTexts(block: Block): TextBlock[] {
  switch (block.kind) {
    case 'heading': {
      const words = escapeCardText(shorten(wordsOf(block.content), maxHeadingLength));
      const size = block.depth < 3 ? { size: 'Medium' as const, spacing: 'Large' as const } : {};
      return [textBlock(words, { weight: 'Bolder', ...size })];
    }
    case 'paragraph':
      return [textBlock(lineText(block.content))];
    case 'code':
      return block.text.trim() === '' ? [] : [codeBlock(block.text)];
    case 'quote':
      return toTextBlocks(block.blocks);
    case 'list':
      return listBlocks(block.items, block.start);
    case 'table':
      return [textBlock(block.rows.map((row) => row.map(lineText).join(' | ')).join('\n\n'))];
    case 'rule':
      return [];
  }
}

/**
 * Returns the text blocks of a list. Items that are a single line share one text block. Further content of an item
 * follows in text blocks of its own.
 */
function listBlocks(items: readonly ListItem[], start: number | null): TextBlock[] {
  const texts: TextBlock[] = [];
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) texts.push(textBlock(lines.join('\n'), { spacing: 'Small' }));
    lines = [];
  };
  items.forEach((item, index) => {
    const [first, ...rest] = item.blocks;
    const mark = start === null ? '-' : `${start + index}.`;
    const isLine = first?.kind === 'paragraph' || first?.kind === 'heading';
    lines.push(`${mark} ${isLine ? lineText(first.content).replace(/\n+/g, ' ').trim() : ''}`.trimEnd());
    const more = isLine ? rest : item.blocks;
    if (more.length === 0) return;
    flush();
    texts.push(...toTextBlocks(more).map((text): TextBlock => ({ ...text, spacing: 'Small' })));
  });
  flush();
  return texts;
}

/**
 * Returns the text block for code. Blanks at the start of a line are replaced with no-break spaces. Plain blanks would
 * be lost, or would turn the line into other markup.
 */
function codeBlock(text: string): TextBlock {
  const lines = text.replace(/\s/g, (blank) => (blank === '\n' ? blank : ' ')).split('\n');
  const shown = lines.map((line) => line.replace(/^ +/, (blanks) => '\u00A0'.repeat(blanks.length)));
  return textBlock(shown.map(escapeCardText).join('\n\n'), { fontType: 'Monospace', spacing: 'Small' });
}

function textBlock(text: string, style: Partial<Omit<TextBlock, 'type' | 'text' | 'wrap'>> = {}): TextBlock {
  return { type: 'TextBlock', text, wrap: true, ...style };
}

/**
 * Returns the text of a whole line. Several pieces can form the start of the line, for example code and the text after
 * the code. So special characters at the start are escaped after the pieces are joined. Blanks at the start are
 * removed, since they would turn the line into code.
 */
function lineText(content: readonly Inline[]): string {
  return escapeLineStarts(piecesText(content).replace(/^[ \t]+/gm, ''));
}

function piecesText(content: readonly Inline[]): string {
  return content.map(inlineText).join('');
}

function inlineText(piece: Inline): string {
  switch (piece.kind) {
    case 'text':
    case 'code':
      return escapeCardText(piece.text);
    case 'break':
      return '\n\n';
    case 'link':
      return cardLink(piece.href, escapeCardText(wordsOf(piece.content)));
    case 'strong':
      return stressed(piece.content, '**');
    case 'emphasis':
      return stressed(piece.content, '_');
    case 'struck':
      return piecesText(piece.content);
  }
}

function stressed(content: readonly Inline[], mark: string): string {
  const text = piecesText(content);
  return text === '' || /^\s|\s$|\n/.test(text) ? text : mark + text + mark;
}

function cardLink(href: string, words: string): string {
  const address = href.replace(
    /[()\s<>\\]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return `[${words}](${address})`;
}

/** Escapes plain text so that nothing in it acts as Markdown, as a card function or as a mention. */
function escapeCardText(text: string): string {
  const escaped = breakMentions(text)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|[\\`*[\]<>]|&(?=#?\w{1,32};)|~(?=~)/gmu, '\\$&')
    .replace(/\{(?=\{)/g, '{\u200D');
  return escapeLineStarts(escaped);
}

/**
 * Escapes the characters at the start of a line with which Markdown would read the line as a heading, a list item or a
 * rule. Markdown ignores blanks before these characters, so the patterns skip blanks. The patterns do not skip line
 * ends, because each pattern would then scan the same blanks several times.
 */
function escapeLineStarts(text: string): string {
  return text
    .replace(/^([^\S\n\r\u2028\u2029]*)(#(?=#{0,5}(?:\s|$))|[-+=](?=[\s=-]|$))/gm, '$1\\$2')
    .replace(/^([^\S\n\r\u2028\u2029]*\d{1,9})([.)])(?=\s|$)/gm, '$1\\$2');
}
