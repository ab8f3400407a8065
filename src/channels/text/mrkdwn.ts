/**
 * Writes blocks in the markup of workspace chats. Bold text is `*bold*`, a link is `<address|words>`, and a bullet is a
 * plain character. The markup has no escapes for `*`, `_`, `~` and backticks. If such a character in a name would act
 * as markup, as in `__init__`, the whole name is written as code. In other texts, such a character is replaced with a
 * similar-looking character.
 */
import { type Block, type Inline, type ListItem, wordsOf } from './document.ts';
import { breakMentions } from './mentions.ts';
import { hardBlank, hardLine, mayBreak, shorten, splitText } from './split.ts';

/** A heading, a list item or another block. A chunk is divided only if it is longer than a section may be. */
export interface Chunk {
  /** The text. Control characters of `split.ts` mark the places where it must not be broken. */
  text: string;
  /** Separator between the previous chunk and this chunk. */
  glue: '\n' | '\n\n';
  /** Whether the chunk begins a part of the notes. */
  opens: boolean;
}

/**
 * Maximum lengths of texts that must stay in one section. A section has at most 3,000 characters, and escaping can make
 * a text five times as long.
 */
const maxLabelLength = 300;
const maxAddressLength = 1_400;
const maxCodeLength = 500;
const longestFence = 2_000;
const maxStressLength = 500;
const maxNameLength = 200;
/**
 * Matches text without blanks. The three groups are the punctuation at the start, the name between, and the punctuation
 * at the end.
 */
const signsAround = /^([([{"'“‘]*)(.*?)([)\]}.,;:!?"'”’…]*)$/u;
const quoteMark = `>${hardBlank}`;
const quoteMarks = new RegExp(`^(?:${quoteMark})?`, 'gm');
const lookAlikes: Record<string, string> = { '*': '∗', _: 'ˍ', '~': '∼', '`': 'ˋ' };

/** Returns blocks as chunks, in order. */
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

/** Escapes plain text so that nothing in it acts as markup. */
export function escapeMrkdwn(text: string): string {
  const signs = breakMentions(text).replace(
    /[&<>]/g,
    (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] as string,
  );
  return signs.replace(/[*_~`]/g, (mark, at: number) => {
    const before = signs[at - 1] ?? ' ';
    const after = signs[at + 1] ?? ' ';
    const isInWord = mark === '_' && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    const isAlone = mark !== '`' && before === ' ' && after === ' ';
    return isInWord || isAlone ? mark : (lookAlikes[mark] as string);
  });
}

/** Returns a link with its text. If the address is too long for a chat, returns only the text. */
export function mrkdwnLink(href: string, words: string): string {
  const address = href.replace(/[<>|\s]/g, encodeURIComponent).replace(/&/g, '&amp;');
  const label = escapeMrkdwn(shorten(words, maxLabelLength));
  if (address.length > maxAddressLength) return label;
  return whole(label === '' ? `<${address}>` : `<${address}|${label}>`);
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return whole(`*${escapeMrkdwn(shorten(wordsOf(block.content), maxLabelLength))}*`);
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

/**
 * Writes a block as a quotation, with `>` before each line. Chats support only one level of quotation. Code in a
 * quotation gets no `>`.
 */
function quoted(block: Block): string {
  const text = blockText(block);
  return block.kind === 'code' ? text : text.replace(quoteMarks, quoteMark);
}

function markOf(start: number | null, at: number): string {
  return start === null ? '•' : `${start + at}.`;
}

/**
 * Writes an item of a list. Chats show no nested lists, so nested items are indented with blanks. Code, tables and
 * other blocks of the item follow below the bullet.
 */
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
 * Writes a text within a line, word by word. If no blank separates a word from another piece of the line, such as a
 * link, the word is never written as code.
 * @param begins whether the text begins the line
 * @param ends whether the text ends the line
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
  if (!/[∗ˍ∼]/.test(escaped) || /[`@]/.test(word) || word.length > maxNameLength) return escaped;
  // Marks between two blanks, such as a lone `*`, do not act as markup. So they are not escaped.
  if (/^[*_~]+$/.test(word)) return word;
  const [, before = '', name = '', after = ''] = signsAround.exec(word) ?? [];
  return `${escapeMrkdwn(before)}\`${signsOf(name)}\`${escapeMrkdwn(after)}`;
}

function inlineText(piece: Inline): string {
  switch (piece.kind) {
    case 'text':
      return escapeMrkdwn(piece.text);
    case 'code':
      return whole(`\`${signsOf(shorten(piece.text, maxCodeLength))}\``);
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

/**
 * Puts marks around a passage, for example for bold text. Marks have an effect only directly next to a word. Long
 * passages get no marks, since such a passage may have to be broken.
 */
function stressed(content: readonly Inline[], mark: string): string {
  const text = content.map(inlineText).join('');
  return text.length > maxStressLength || /^\s|\s$|\n/.test(text) ? text : whole(`${mark}${text}${mark}`);
}

/** Splits code into several fences of limited length. */
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

/** Escapes characters that have an effect within code. Replaces backticks, which would end the code. */
function signsOf(code: string): string {
  return code
    .replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[mark] as string)
    .replaceAll('`', 'ˋ');
}

/** Prevents line breaks inside a text. The line may still be broken before and after the text. */
function whole(text: string): string {
  return mayBreak + text.replaceAll(mayBreak, '').replaceAll(' ', hardBlank).replaceAll('\n', hardLine) + mayBreak;
}
