/**
 * Reads the lines of a draft: which lines are shown, which are code, and which are inside a hidden comment. For each
 * line, the reader also finds the list item or quotation around it. So a comment can be added beside a line without
 * ending a list, and without appearing in code.
 */

/** A line of a draft. */
export interface DraftLine {
  text: string;
  /** `code`: in a closed fence, or indented as code. `hidden`: inside a comment of several lines, or in an open fence. */
  kind: 'shown' | 'code' | 'hidden' | 'blank';
  /** Whether a new block begins at the line, such as a paragraph, an item, a heading or a fence. */
  begins: boolean;
  /** Blanks and quotation marks with which a line of the same item or quotation begins. */
  lead: string;
}

const item = /^(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)/;
const fence = /^(`{3,}(?=[^`]*$)|~{3,})/;
const heading = /^#{1,6}(?:[ \t]|$)/;
/** Matches the line below a paragraph that makes it a heading. */
const underline = /^(?:=+|-+)[ \t]*$/;
/** Matches HTML that ends a paragraph. Other tags can be words of the paragraph. */
const html =
  /^<(?:[!?]|\/?(?:address|article|aside|blockquote|body|center|dd|details|dialog|div|dl|dt|fieldset|figure|figcaption|footer|form|h[1-6]|header|hr|html|iframe|li|main|menu|nav|ol|p|pre|script|section|style|summary|table|tbody|td|textarea|tfoot|th|thead|tr|ul)(?=[\s/>]|$))/i;
const maxNesting = 100;
const quotation = new RegExp(`^(?: {0,3}>[ \\t]?){1,${maxNesting}}`);

/** Reads a text that has `\n` as line ends. The time grows linearly with the length of the text. */
export function readDraftLines(text: string): DraftLine[] {
  const reader = new Reader();
  for (const line of text.split('\n')) reader.read(line);
  return reader.end();
}

/**
 * Returns, for each line, the index of the line after which a comment beside it is inserted. This is the last line of the
 * paragraph, table or code block around the line.
 */
export function lastLinesBeside(lines: readonly DraftLine[]): number[] {
  const last = lines.map((_line, at) => at);
  for (let at = lines.length - 2; at >= 0; at -= 1) {
    const after = lines[at + 1] as DraftLine;
    if (after.kind === lines[at]?.kind && !after.begins) last[at] = last[at + 1] as number;
  }
  return last;
}

/**
 * Returns the index of the first line of the paragraph, item, table or code block that ends with line `at`. Lines before
 * `min` are not read.
 */
export function firstLineBeside(lines: readonly DraftLine[], at: number, min = 0): number {
  let first = at;
  while (first > min && !lines[first]?.begins && lines[first - 1]?.kind === lines[at]?.kind) first -= 1;
  return first;
}

class Reader {
  private readonly lines: DraftLine[] = [];
  /** The fence that is open: its first line, its mark, and the column at which the content of its list item begins. */
  private open: { at: number; mark: string; offset: number } | undefined;
  private comment: 'block' | 'inline' | undefined;
  private isParagraph = false;
  private quotes = 0;
  /** Columns at which the content of the open list items begins, outermost item first. */
  private offsets: number[] = [];
  /** The same columns outside of the quotation that is read. */
  private outside: number[] = [];

  read(text: string): void {
    const quoted = text.includes('>') ? (quotation.exec(text)?.[0] ?? '') : '';
    const rest = text.slice(quoted.length);
    if (rest.trim() === '') return this.blank(text, quoted);
    const indent = columnsOf(rest);
    if (this.open && indent < this.open.offset) this.dropFence();
    if (this.open) return this.code(text, rest.trim(), quoted, this.open.mark);
    if (this.comment) return this.hidden(text);
    const isQuoteEdge = this.quote(quoted);
    this.shown(text, rest.trimStart(), quoted, indent, isQuoteEdge);
  }

  end(): DraftLine[] {
    this.dropFence();
    return this.lines;
  }

  private add(text: string, kind: DraftLine['kind'], begins: boolean, quoted: string): void {
    this.lines.push({ text, kind, begins, lead: quoted + ' '.repeat(this.offsets.at(-1) ?? 0) });
  }

  /** Ends a fence that has no closing line. A comment beside its lines would be shown as code. */
  private dropFence(): void {
    if (!this.open) return;
    for (let at = this.open.at; at < this.lines.length; at += 1) (this.lines[at] as DraftLine).kind = 'hidden';
    this.open = undefined;
  }

  private blank(text: string, quoted: string): void {
    if (this.comment === 'inline') this.comment = undefined;
    this.isParagraph = false;
    this.add(text, this.open ? 'code' : this.comment ? 'hidden' : 'blank', false, quoted);
  }

  private code(text: string, words: string, quoted: string, mark: string): void {
    if (words.startsWith(mark) && /^[`~]+$/.test(words)) this.open = undefined;
    this.add(text, 'code', false, quoted);
  }

  private hidden(text: string): void {
    if (text.includes('-->')) this.comment = undefined;
    this.add(text, 'hidden', false, '');
  }

  /** Reads the quotation marks of a line. Returns whether a quotation begins or ends. */
  private quote(quoted: string): boolean {
    const depth = depthOf(quoted);
    if (depth === this.quotes || (depth < this.quotes && this.isParagraph)) return false;
    this.enterQuote(depth, columnsOf(quoted));
    return true;
  }

  /** Begins or ends a quotation. A quotation ends the list items whose content begins after its mark. */
  private enterQuote(depth: number, indent: number): void {
    if (this.quotes === 0) this.outside = this.offsets.filter((column) => column <= indent);
    this.offsets = depth === 0 ? this.outside : [];
    this.quotes = depth;
    this.isParagraph = false;
  }

  private shown(text: string, content: string, quoted: string, indent: number, isQuoteEdge: boolean): void {
    const isLazy = depthOf(quoted) < this.quotes;
    const start = this.startOf(content, indent, isLazy);
    const begins = !this.isParagraph || isQuoteEdge || start === 'item' || start === 'block';
    if (begins && isLazy) this.enterQuote(depthOf(quoted), indent);
    if (begins) while ((this.offsets.at(-1) ?? 0) > indent) this.offsets.pop();
    if (!this.isParagraph && indent - (this.offsets.at(-1) ?? 0) >= 4)
      return this.add(text, 'code', this.lines.at(-1)?.kind !== 'code', quoted);
    const words = start === 'item' ? this.openItems(content, indent) : content;
    const mark = begins ? fence.exec(words)?.[1] : undefined;
    if (mark !== undefined) this.open = { at: this.lines.length, mark, offset: this.offsets.at(-1) ?? 0 };
    const isHidden = mark === undefined && this.opensComment(words, begins);
    const isText = words !== '' && !words.startsWith('<') && !heading.test(words) && !isThematicBreak(words);
    this.isParagraph = mark === undefined && !isHidden && start !== 'underline' && (!begins || isText);
    this.add(text, mark !== undefined ? 'code' : isHidden ? 'hidden' : 'shown', begins, quoted);
  }

  /**
   * Returns what a line begins: a list item or another block. An underline makes the paragraph before it a heading. No
   * block begins at a line of a paragraph that is indented like code.
   * @param isLazy whether the line continues a paragraph of a quotation without the mark of the quotation
   */
  private startOf(content: string, indent: number, isLazy: boolean): 'item' | 'block' | 'underline' | undefined {
    const innermost = (isLazy ? this.outside : this.offsets).at(-1) ?? 0;
    if (this.isParagraph && indent - innermost >= 4) return undefined;
    const isInside = !isLazy && indent >= innermost;
    if (this.isParagraph && isInside && underline.test(content)) return 'underline';
    if (isThematicBreak(content)) return 'block';
    // An item can only begin near the content of an open item that it has the indentation of.
    const around = this.offsets.findLast((column) => column <= indent) ?? 0;
    if ((!this.isParagraph || indent - around < 4) && this.startsItem(content, isInside)) return 'item';
    return [/^>/, heading, html, fence].some((block) => block.test(content)) ? 'block' : undefined;
  }

  /**
   * Whether a list item begins. A number other than 1 and an empty item do not end a paragraph.
   * @param isInside whether the line has the indentation of the innermost open item, so it could continue the paragraph
   */
  private startsItem(content: string, isInside: boolean): boolean {
    const mark = item.exec(content);
    if (!mark || !this.isParagraph || !isInside) return mark !== null;
    return (mark[1] ?? '1') === '1' && content.slice(mark[0].length).trim() !== '';
  }

  /** Opens the list items that begin on a line, such as the two of `- - text`. Returns the innermost item's text. */
  private openItems(content: string, indent: number): string {
    let words = content;
    let column = indent;
    for (let mark = itemIn(words); mark && this.offsets.length < maxNesting; mark = itemIn(words)) {
      const after = words.slice(mark.length);
      const blanks = columnsOf(after);
      column += mark.length + (blanks > 4 || after.trim() === '' ? 1 : blanks);
      this.offsets.push(column);
      words = after.trimStart();
    }
    return words;
  }

  /**
   * Whether the words of a line begin a comment that does not end on the line. A comment inside a paragraph ends with the
   * paragraph at the latest, and its first line is still shown.
   */
  private opensComment(words: string, begins: boolean): boolean {
    const start = words.lastIndexOf('<!--');
    if (start === -1 || words.includes('-->', start + 4)) return false;
    this.comment = begins && words.startsWith('<!--') ? 'block' : 'inline';
    return this.comment === 'block';
  }
}

/** Returns the mark of the list item that begins with a text. */
function itemIn(words: string): string | undefined {
  return isThematicBreak(words) ? undefined : item.exec(words)?.[0];
}

/** Whether a text is a line across the page: three or more equal marks, such as `***` or `- - -`. */
function isThematicBreak(words: string): boolean {
  const mark = words[0];
  if (mark !== '*' && mark !== '-' && mark !== '_') return false;
  let count = 0;
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === mark) count += 1;
    else if (words[at] !== ' ' && words[at] !== '\t') return false;
  }
  return count >= 3;
}

/** Returns the number of quotation marks. */
function depthOf(quoted: string): number {
  return quoted === '' ? 0 : quoted.split('>').length - 1;
}

/** Returns the width of the blanks at the start of a text. A tab counts up to the next multiple of four. */
function columnsOf(text: string): number {
  let columns = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ' ') columns += 1;
    else if (text[at] === '\t') columns += 4 - (columns % 4);
    else break;
  }
  return columns;
}
