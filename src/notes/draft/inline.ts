/**
 * Reads the words from one line of Markdown, using the tokens of a Markdown library. Emphasis, links and layout are
 * removed. Code, names and patterns stay as they are written.
 */
import { inlineTokens, type Token } from '../../foundation/markdown.ts';
import { isEscaped, singleBlanks } from '../change/code-spans.ts';

/** How an external link is kept: only its words (`words`), or its words with its address (`address`). */
type LinkForm = 'words' | 'address';

const maxLineLength = 4_000;
/** Matches a line that must be parsed. Most lines need no parsing. Code spans are kept in both cases. */
const marks = /\*\*|__|[<[]/;
const elsewhere = /^(?:https?:\/\/|mailto:)/i;

/** Returns the words of a line. In the result only code spans are Markdown. All other signs are meant literally. */
export function inlineWords(line: string, links: LinkForm): string {
  const cut = line.slice(0, maxLineLength);
  const words = marks.test(cut) ? new Words(cut, links).text() : cut;
  return singleBlanks(words).trim();
}

class Words {
  private readonly line: string;
  private readonly tokens: readonly Token[];
  private readonly links: LinkForm;
  private readonly written: string[] = [];
  /** Emphasis and links that have begun and not yet ended. */
  private readonly open: { at: number; token: Token }[] = [];

  constructor(line: string, links: LinkForm) {
    this.line = line;
    this.tokens = inlineTokens(line);
    this.links = links;
  }

  text(): string {
    for (const [index, token] of this.tokens.entries()) this.read(token, index);
    return this.written.join('');
  }

  private read(token: Token, index: number): void {
    switch (token.type) {
      case 'strong_open':
      case 'link_open':
        this.open.push({ at: this.written.push('') - 1, token });
        break;
      case 'strong_close':
        this.endStrong(token.markup, index);
        break;
      case 'link_close':
        this.endLink();
        break;
      case 'code_inline':
        this.written.push(codeSpan(token));
        break;
      case 'html_inline':
        this.written.push(this.html(token.content));
        break;
      case 'image':
        this.written.push(altOf(token.content));
        break;
      case 'text':
        this.written.push(token.content);
        break;
      case 'softbreak':
      case 'hardbreak':
        this.written.push(' ');
        break;
      default:
        // Any other token stays as it was written. Examples: an escape, an entity, and the signs around text in
        // italics.
        this.written.push(token.markup);
    }
  }

  /** Ends bold text. The signs around bold text are removed only if they are at the borders of words. */
  private endStrong(sign: string, index: number): void {
    const at = this.open.pop()?.at ?? 0;
    const inner = this.written.slice(at + 1).join('');
    const isBold = isEmphasis(sign, inner, this.before(at), startOf(this.tokens[index + 1]));
    if (!isBold) this.written[at] = sign;
    this.written.push(isBold ? '' : sign);
  }

  private endLink(): void {
    const { at = 0, token } = this.open.pop() ?? {};
    const href = String(token?.attrGet('href') ?? '');
    const isIndex = !elsewhere.test(href) && /[\w)\]]/.test(this.before(at));
    if (token?.markup === 'autolink' || !(isIndex || (this.links === 'address' && elsewhere.test(href)))) return;
    this.written[at] = '[';
    this.written.push(`](${href})`);
  }

  private html(tag: string): string {
    if (tag.startsWith('<!--')) return '';
    if (/^<br\s?\/?>$/i.test(tag)) return ' ';
    return isType(tag, this.before(this.written.length), this.line) ? tag : withoutTags(tag);
  }

  /** Returns the last character of the texts in `written` that precede index `at`. */
  private before(at: number): string {
    for (let index = at - 1; index >= 0; index -= 1) {
      const text = this.written[index];
      if (text) return text.at(-1) ?? '';
    }
    return '';
  }
}

/**
 * Characters of writing systems that put no blanks between words, such as Chinese. A markup sign such as `*` next to
 * such a character counts as a sign at the border of a word.
 */
const unspaced = String.raw`\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF`;
const startsWord = new RegExp(String.raw`^$|[\s([{<>"'“‘«*_~:|–—${unspaced}-]`);
const endsWord = new RegExp(String.raw`^(?:$|[\s)\]}<>"'”’»,;:!?…*_~|–—${unspaced}-]|\.(?![\w*]))`);

/**
 * Whether a pair of signs, such as `**`, marks bold text. Such signs are at the borders of words, and do not enclose a
 * name or a part of a path or pattern.
 */
function isEmphasis(sign: string, inner: string, before: string, after: string): boolean {
  if (sign === '__' && isName(inner)) return false;
  return startsWord.test(before) && endsWord.test(after) && !/^\/|\/$/.test(inner);
}

/** Whether a text between double underscores is a name, as in `__init__`, and not a bold word, as in `__Note__`. */
export function isName(inner: string): boolean {
  return /^[\p{L}\p{N}_]+$/u.test(inner) && !/^\p{Lu}\p{Ll}+$/u.test(inner);
}

/** Returns the first characters of the next token. */
function startOf(token: Token | undefined): string {
  if (token?.type === 'text') return token.content.slice(0, 2);
  return (token?.type === 'image' || token?.type === 'html_inline' ? '' : token?.markup) ?? '';
}

/** Returns a code span as it was written, except for blanks at its ends. */
function codeSpan({ markup, content }: Token): string {
  const isTight = !/^`|`$/.test(content) && !/^ .*[^ ].* $/.test(content);
  return isTight ? markup + content + markup : `${markup} ${content} ${markup}`;
}

const tags =
  /<\/?(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|input|ins|kbd|li|ol|p|picture|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)(?:\s[^<>\n]{0,2000})?\/?>/gi;

const lineBreak = /(?<=\S)<br\s?\/?>(?=\S)/gi;
const pictures = /<img\s[^<>\n]{0,2000}>/gi;

/**
 * Removes HTML tags that only affect layout and keeps the words between them. Any other tag is shown as it was written,
 * and so is a tag behind a backslash.
 */
export function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  return text
    .replace(pictures, (image, at: number, whole: string) => (isEscaped(whole, at) ? image : altOf(altText(image))))
    .replace(lineBreak, ' ')
    .replace(tags, (tag, at: number, whole: string) => {
      const isShown = isEscaped(whole, at) || isType(tag, whole[at - 1] ?? '', whole);
      return isShown ? tag : '';
    });
}

/**
 * Whether a tag is the argument of a type, such as `Box<s>`. Such a tag is a single letter directly after a name. The
 * line contains no matching closing tag.
 */
function isType(tag: string, before: string, line: string): boolean {
  return /^<[abipsu]>$/i.test(tag) && /\w/.test(before) && !line.includes(`</${tag.slice(1)}`);
}

function altText(image: string): string {
  return /\balt="([^"<>]{0,300})"/i.exec(image)?.[1] ?? '';
}

/** Returns the alternative text of an image, or an empty text if a program generated the alternative text. */
export function altOf(alt: string): string {
  return /^(?:image|img|screenshot\b.*|screen shot\b.*|.*\.(?:png|jpe?g|gif|webp|svg))$/i.test(alt.trim()) ? '' : alt;
}
