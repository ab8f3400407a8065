/**
 * Writes blocks in the markup of workspace chats: `*bold*`, `<address|words>`, bullets as signs. That markup has no escapes for
 * its own marks. A name with marks that would act, such as `__init__`, is written as code, which shows it as it is; elsewhere
 * such marks become letters that look like them.
 */
import { type Block, type Inline, type ListItem, wordsOf } from './document.ts';
import { breakMentions } from './mentions.ts';
import { hardBlank, hardLine, mayBreak, shorten, splitText } from './split.ts';

/** Text that stands together: a heading, an item of a list, a paragraph. */
export interface Chunk {
  /** With the signs of `split.ts` where it must not be broken. */
  text: string;
  /** What goes before it when it follows another. */
  glue: '\n' | '\n\n';
  /** Begins a part of the notes. */
  opens: boolean;
}

/** Lengths of what is never broken; escapes make it up to five times as long, and a section holds 3,000. */
const longestLabel = 300;
const longestAddress = 1_400;
const longestCode = 500;
const longestFence = 2_000;
const longestStress = 500;
const longestName = 200;
/** A word with the signs before and behind it that belong to the sentence. */
const signsAround = /^([([{"'“‘]*)(.*?)([)\]}.,;:!?"'”’…]*)$/u;
const quoteMark = `>${hardBlank}`;
const quoteMarks = new RegExp(`^(?:${quoteMark})?`, 'gm');
const lookAlikes: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' };

/** Blocks as chunks, in order. */
export function toChunks(blocks: readonly Block[]): Chunk[] {
  return blocks.flatMap((block, index): Chunk[] => {
    const glue = blocks[index - 1]?.kind === 'heading' ? '\n' : '\n\n';
    if (block.kind !== 'list') {
      const opens = block.kind === 'heading' && block.depth < 3;
      return [{ text: blockText(block), glue, opens }];
    }
    return block.items.map((item, at) => ({
      text: itemText(item, markOf(block.start, at), 0),
      glue: at === 0 ? glue : '\n',
      opens: false,
    }));
  });
}

/** Bare text in which nothing acts. */
export function escapeMrkdwn(text: string): string {
  const signs = breakMentions(text).replace(
    /[&<>]/g,
    (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] as string,
  );
  return signs.replace(/[*_~`]/g, (mark, at: number) => {
    const before = signs[at - 1] ?? ' ';
    const after = signs[at + 1] ?? ' ';
    const isInWord = mark === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    const standsAlone = mark !== '`' && before === ' ' && after === ' ';
    return isInWord || standsAlone ? mark : (lookAlikes[mark] as string);
  });
}

/** A link with its words; the words alone where the address is too long for a chat. */
export function mrkdwnLink(href: string, words: string): string {
  const address = href.replace(/[<>|\s]/g, encodeURIComponent).replace(/&/g, '&amp;');
  const label = escapeMrkdwn(shorten(words, longestLabel));
  if (address.length > longestAddress) return label;
  return whole(label === '' ? `<${address}>` : `<${address}|${label}>`);
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return whole(`*${escapeMrkdwn(shorten(wordsOf(block.content), longestLabel))}*`);
    case 'paragraph':
      return lineText(block.content);
    case 'code':
      return fences(block.text);
    case 'quote':
      return block.blocks.map(quoted).join(`\n${quoteMark}\n`);
    case 'list':
      return block.items.map((item, at) => itemText(item, markOf(block.start, at), 0)).join('\n');
    case 'table':
      return block.rows.map((row) => row.map(lineText).join(' | ')).join('\n');
    case 'rule':
      return '———';
  }
}

/** Chats know one level of quotation. */
function quoted(block: Block): string {
  const text = blockText(block);
  return block.kind === 'code' ? text : text.replace(quoteMarks, quoteMark);
}

function markOf(start: number | null, at: number): string {
  return start === null ? '•' : `${start + at}.`;
}

/** Chats show no nested lists: deeper items are set in by blanks. What is no line of text stands below the sign. */
function itemText({ blocks }: ListItem, mark: string, depth: number): string {
  const isLine = blocks[0]?.kind === 'paragraph' || blocks[0]?.kind === 'heading';
  const [first, ...rest] = (isLine ? blocks : [undefined, ...blocks]).map((block) => {
    if (block?.kind !== 'list') return block ? blockText(block) : '';
    const markAt = (at: number): string => (block.start === null ? '◦' : markOf(block.start, at));
    return block.items.map((item, at) => itemText(item, markAt(at), depth + 1)).join('\n');
  });
  return [`${hardBlank.repeat(4 * depth)}${mark}${hardBlank}${first}`, ...rest].join('\n');
}

function lineText(content: readonly Inline[]): string {
  const last = content.length - 1;
  return content
    .map((piece, at) => (piece.kind === 'text' ? proseText(piece.text, at === 0, at === last) : inlineText(piece)))
    .join('');
}

/**
 * The text of a line, word by word. A word that touches another piece, such as code, is not written as code itself.
 * @param begins the text begins the line
 * @param ends the text ends the line
 */
function proseText(text: string, begins: boolean, ends: boolean): string {
  if (!/[*_~]/.test(text)) return escapeMrkdwn(text);
  const words = text.split(' ');
  const last = words.length - 1;
  return words
    .map((word, at) => ((at > 0 || begins) && (at < last || ends) ? wordText(word) : escapeMrkdwn(word)))
    .join(' ');
}

function wordText(word: string): string {
  const escaped = escapeMrkdwn(word);
  if (!/[∗ˍ∼]/.test(escaped) || /[`@]/.test(word) || word.length > longestName) return escaped;
  // Marks between blanks never act.
  if (/^[*_~]+$/.test(word)) return word;
  const [, before = '', name = '', after = ''] = signsAround.exec(word) ?? [];
  return `${escapeMrkdwn(before)}\`${signsOf(name)}\`${escapeMrkdwn(after)}`;
}

function inlineText(piece: Inline): string {
  switch (piece.kind) {
    case 'text':
      return escapeMrkdwn(piece.text);
    case 'code':
      return whole(`\`${signsOf(shorten(piece.text, longestCode))}\``);
    case 'break':
      return '\n';
    case 'link':
      return mrkdwnLink(piece.href, wordsOf(piece.content));
    case 'strong':
      return stressed(piece.content, '*');
    case 'emphasis':
      return stressed(piece.content, '_');
    case 'struck':
      return stressed(piece.content, '~');
  }
}

/** Marks act only where they stand right at a word; long passages go without them, since they may have to be broken. */
function stressed(content: readonly Inline[], mark: string): string {
  const text = content.map(inlineText).join('');
  return text.length > longestStress || /^\s|\s$|\n/.test(text) ? text : whole(`${mark}${text}${mark}`);
}

/** Code in fences of bearable length, each closed. */
function fences(text: string): string {
  const parts: string[] = [];
  for (const line of text.split('\n').flatMap((each) => linesOfCode(each))) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + line.length < longestFence) parts[parts.length - 1] = `${last}\n${line}`;
    else parts.push(line);
  }
  return parts.map((part) => whole(`\`\`\`\n${part}\n\`\`\``)).join('\n');
}

function linesOfCode(line: string): string[] {
  const escaped = signsOf(line);
  return escaped.length < longestFence ? [escaped] : splitText(escaped, longestFence);
}

/** Signs that act within code, and its own end. */
function signsOf(code: string): string {
  return code
    .replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] as string)
    .replaceAll('`', 'ˋ');
}

/** Text that is never broken, though the line may be broken before and after it. */
function whole(text: string): string {
  return mayBreak + text.replaceAll(mayBreak, '').replaceAll(' ', hardBlank).replaceAll('\n', hardLine) + mayBreak;
}
