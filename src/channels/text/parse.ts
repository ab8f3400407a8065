/**
 * Parses Markdown into blocks. The code reads markdown-it's tokens once, in order. HTML comments, including markers,
 * are dropped. The summary of a collapsed part becomes a line. All other raw HTML is treated as plain text, so that its
 * markup never reaches a receiver.
 */

import { markdownTokens, type Token } from '../../foundation/markdown.ts';
import { hasMarker } from '../../foundation/markers.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import type { Block, Inline, List, ListItem } from './document.ts';
import { bareText, readInlines, trimmed } from './inlines.ts';

const folding = /<\/?details>/gi;
const summary = /<summary>([^<]*)<\/summary>/gi;

/** Reads a Markdown text into blocks. */
export function parseMarkdown(text: string): Block[] {
  return new Walk(markdownTokens(text)).blocks();
}

class Walk {
  private readonly tokens: readonly Token[];
  private at = 0;
  /** Whether one of the service's markers (`<!-- rn:…`) was read since the current list item began. */
  private marked = false;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  /** Reads blocks up to the closing token of the current element. */
  blocks(): Block[] {
    const found: Block[] = [];
    for (let token = this.next(); token && !token.type.endsWith('_close'); token = this.next()) {
      const block = this.block(token);
      if (Array.isArray(block)) for (const each of block) found.push(each);
      else if (block) found.push(block);
    }
    return found;
  }

  private next(): Token | undefined {
    return this.tokens[this.at++];
  }

  private block(token: Token): Block | Block[] | undefined {
    switch (token.type) {
      case 'heading_open':
        return { kind: 'heading', depth: Number(token.tag.slice(1)), content: this.content() };
      case 'paragraph_open':
        return paragraph(this.content());
      case 'bullet_list_open':
        return this.list(null);
      case 'ordered_list_open':
        return this.list(Number(token.attrGet('start') ?? 1));
      case 'blockquote_open':
        return { kind: 'quote', blocks: this.blocks() };
      case 'fence':
      case 'code_block':
        return { kind: 'code', text: visibleText(token.content.replace(/\n$/, '')) };
      case 'table_open':
        return { kind: 'table', rows: this.rows() };
      case 'hr':
        return { kind: 'rule' };
      case 'html_block':
        return this.html(token.content);
      default:
        return undefined;
    }
  }

  /** Reads the inline pieces between an opening token and its closing token. */
  private content(): Inline[] {
    const found: Inline[] = [];
    for (let token = this.next(); token && !token.type.endsWith('_close'); token = this.next()) {
      this.marked ||= (token.children ?? []).some(({ type, content }) => type === 'html_inline' && hasMarker(content));
      for (const piece of readInlines(token.children ?? [])) found.push(piece);
    }
    return trimmed(found);
  }

  private list(start: number | null): List {
    const items: ListItem[] = [];
    for (let token = this.next(); token && token.type === 'list_item_open'; token = this.next()) {
      const before = this.marked;
      this.marked = false;
      const blocks = this.blocks();
      items.push({ blocks, isChange: this.marked });
      this.marked ||= before;
    }
    return { kind: 'list', start, items };
  }

  private rows(): Inline[][][] {
    const rows: Inline[][][] = [];
    for (let token = this.next(); token && token.type !== 'table_close'; token = this.next()) {
      if (token.type === 'tr_open') rows.push([]);
      else if (token.type === 'th_open' || token.type === 'td_open') rows.at(-1)?.push(this.content());
    }
    return rows;
  }

  private html(content: string): Block[] {
    const text = this.withoutComments(content);
    const folded = [...text.matchAll(summary)].map(([, words = '']) =>
      bareText(words.replace(/\\(?=[!-/:-@[-`{-~])/g, '')),
    );
    const rest = bareText(text.replace(summary, '').replace(folding, ''));
    const lines: Inline[] = folded.map((words) => ({ kind: 'strong', content: [{ kind: 'text', text: words }] }));
    if (rest !== '') lines.push({ kind: 'text', text: rest });
    return lines.flatMap((line) => paragraph([line]) ?? []);
  }

  private withoutComments(html: string): string {
    this.marked ||= hasMarker(html);
    const parts: string[] = [];
    let from = 0;
    // A loop with `indexOf` is used, because a regular expression would scan to the end of the text for each comment
    // that never ends.
    for (;;) {
      const start = html.indexOf('<!--', from);
      const end = start === -1 ? -1 : html.indexOf('-->', start + 4);
      if (end === -1) return parts.join('') + html.slice(from);
      parts.push(html.slice(from, start));
      from = end + 3;
    }
  }
}

function paragraph(content: Inline[]): Block | undefined {
  return content.length === 0 ? undefined : { kind: 'paragraph', content };
}
