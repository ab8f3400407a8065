/**
 * Reads one line of Markdown from a body as its words, on the tokens of a Markdown library: emphasis, links and layout go, and
 * code, names and patterns stay as they are written.
 */
import { inlineTokens, type Token } from '../../foundation/markdown.ts';
import { singleBlanks } from '../change/code-spans.ts';

/** What is left of a link to elsewhere: its words, or its Markdown. */
type LinkForm = 'words' | 'address';

const longestLine = 4_000;
/** What a line needs reading for; most have none of it, and code spans stay in any case. */
const marks = /\*\*|__|[<[]/;
const elsewhere = /^(?:https?:\/\/|mailto:)/i;

/** The words of a line in which nothing but code spans is Markdown: what else it holds is meant as it is written. */
export function inlineWords(line: string, links: LinkForm): string {
  const cut = line.slice(0, longestLine);
  const words = marks.test(cut) ? new Words(cut, links).text() : cut;
  return singleBlanks(words).trim();
}

class Words {
  private readonly line: string;
  private readonly tokens: readonly Token[];
  private readonly links: LinkForm;
  private readonly written: string[] = [];
  /** Where emphasis and links began that have not ended. */
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
        // Escapes, entities and the signs of other emphasis stay as they are written.
        this.written.push(token.markup);
    }
  }

  /** The signs of bold text go only at the borders of words. */
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

  /** The last character before a piece. */
  private before(at: number): string {
    for (let index = at - 1; index >= 0; index -= 1) {
      const text = this.written[index];
      if (text) return text.at(-1) ?? '';
    }
    return '';
  }
}

/** Scripts that set no blanks between words: a sign beside one of their letters stands at the border of a word. */
const unspaced = String.raw`\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF`;
const startsWord = new RegExp(String.raw`^$|[\s([{<>"'“‘«*_~:|–—${unspaced}-]`);
const endsWord = new RegExp(String.raw`^(?:$|[\s)\]}<>"'”’»,;:!?…*_~|–—${unspaced}-]|\.(?![\w*]))`);

/** Whether signs mark bold text: they stand at the borders of words, and hold no part of a path or a pattern, nor a name. */
function isEmphasis(sign: string, inner: string, before: string, after: string): boolean {
  if (sign === '__' && isName(inner)) return false;
  return startsWord.test(before) && endsWord.test(after) && !/^\/|\/$/.test(inner);
}

/** Whether what stands between double underscores makes a name with them, such as `__init__`; `__Note__` is a bold word. */
export function isName(inner: string): boolean {
  return /^[\p{L}\p{N}_]+$/u.test(inner) && !/^\p{Lu}\p{Ll}+$/u.test(inner);
}

/** How what follows begins. */
function startOf(token: Token | undefined): string {
  if (token?.type === 'text') return token.content.slice(0, 2);
  return (token?.type === 'image' || token?.type === 'html_inline' ? '' : token?.markup) ?? '';
}

/** A code span as it was written, but for blanks at its ends. */
function codeSpan({ markup, content }: Token): string {
  const isTight = !/^`|`$/.test(content) && !/^ .*[^ ].* $/.test(content);
  return isTight ? markup + content + markup : `${markup} ${content} ${markup}`;
}

const tags =
  /<\/?(?:a|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|font|h[1-6]|hr|i|input|ins|kbd|li|ol|p|picture|pre|s|samp|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul|video)(?:\s[^<>\n]{0,2000})?\/?>/gi;

/** What HTML lays out goes, its words stay; any other tag is shown as it was written. */
export function withoutTags(text: string): string {
  if (!text.includes('<')) return text;
  const worded = text
    .replace(/<img\s[^<>\n]{0,2000}>/gi, (image) => altOf(/\balt="([^"<>]{0,300})"/i.exec(image)?.[1] ?? ''))
    .replace(/(?<=\S)<br\s?\/?>(?=\S)/gi, ' ');
  return worded.replace(tags, (tag, at: number) => (isType(tag, worded[at - 1] ?? '', worded) ? tag : ''));
}

/** Behind a name, a single letter that nothing closes is the argument of a type: `Box<s>`. */
function isType(tag: string, before: string, line: string): boolean {
  return /^<[abipsu]>$/i.test(tag) && /\w/.test(before) && !line.includes(`</${tag.slice(1)}`);
}

/** Words for an image, unless a program gave them. */
export function altOf(alt: string): string {
  return /^(?:image|img|screenshot\b.*|screen shot\b.*|.*\.(?:png|jpe?g|gif|webp|svg))$/i.test(alt.trim()) ? '' : alt;
}
