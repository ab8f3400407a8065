/**
 * Reads the visible prose of a Markdown body: running text without comments, code and quotations. The text is read in
 * one pass, and the time is linear for any text, because hostile bodies of 65,536 characters occur. The callers
 * interpret the prose.
 */
import { backtickRuns, closingRuns, type Span } from './code-spans.ts';

/** Replaces inline code, so that the words on both sides of the code do not become neighbors. */
const codeMark = '\uFFFC';
const [backtickCode, lessThanCode, lineFeedCode] = [0x60, 0x3c, 0x0a];
const fenceOpening = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const quotation = /^ {0,3}>/;

/** Returns the text with `\n` as line ends. */
export function unixLines(body: string): string {
  return body.includes('\r') ? body.replace(/\r\n?/g, '\n') : body;
}

/**
 * Returns the body without HTML comments, fenced blocks, inline code and quoted lines. Spec part 2, rule 1 applies to
 * statements, not to examples. Comments are removed, because templates hide example keywords in comments. A blank
 * replaces each comment.
 */
export function visibleProse(body: string): string {
  const text = unixLines(body);
  const scan = new Scan(text);
  while (!scan.atEnd) {
    if (scan.atLineStart && (scan.skipFence() || scan.skipQuotation())) continue;
    if (scan.skipComment() || scan.skipCode()) continue;
    scan.keep();
  }
  return scan.result();
}

/**
 * Returns the lines of the body that readers see as text: without HTML comments, fenced blocks and quotations. Inline
 * code stays, and its line ends become blanks. A line directly below a quoted line belongs to the quotation.
 */
export function visibleLines(body: string): string[] {
  const scan = new Scan(unixLines(body));
  while (!scan.atEnd) {
    if (scan.atLineStart && (scan.skipFence() || scan.skipWholeQuotation())) continue;
    if (scan.skipComment() || scan.keepCodeOnLine()) continue;
    scan.keep();
  }
  return scan.result().split('\n');
}

/**
 * Returns the body without HTML comments. Code stays, and so do comments inside fenced blocks, because readers see such
 * comments.
 */
export function withoutComments(body: string): string {
  if (!body.includes('<!--')) return unixLines(body);
  const scan = new Scan(unixLines(body));
  while (!scan.atEnd) {
    if (scan.atLineStart && scan.keepFence()) continue;
    if (!scan.keepCode() && !scan.skipComment()) scan.keep();
  }
  return scan.result();
}

class Scan {
  private readonly text: string;
  private readonly lastClose: number;
  private readonly closings: Map<number, number>;
  private position = 0;
  private keptFrom = 0;
  private readonly kept: string[] = [];

  constructor(text: string) {
    this.text = text;
    this.lastClose = text.lastIndexOf('-->');
    this.closings = codeSpans(text);
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  get atLineStart(): boolean {
    return this.position === 0 || this.text[this.position - 1] === '\n';
  }

  result(): string {
    this.flush();
    return this.kept.join('');
  }

  /** Keeps the text up to the next backtick, `<` or start of a line. Code, a comment or a quotation may begin there. */
  keep(): void {
    const { text } = this;
    let next = this.position + 1;
    if (text[this.position] === '`') while (text[next] === '`') next += 1;
    // Comparing codes takes a tenth of the time of comparing characters. This loop reads every character of a body.
    for (; next < text.length; next += 1) {
      const code = text.charCodeAt(next);
      if (code === backtickCode || code === lessThanCode || code === lineFeedCode) break;
    }
    this.position = text[next] === '\n' ? next + 1 : next;
  }

  skipFence(): boolean {
    const end = this.fenceEnd();
    if (end !== undefined) this.drop(end, '\n');
    return end !== undefined;
  }

  keepFence(): boolean {
    const end = this.fenceEnd();
    if (end !== undefined) this.position = end;
    return end !== undefined;
  }

  skipQuotation(): boolean {
    if (this.lineMark() !== '>') return false;
    const end = this.lineEnd(this.position);
    if (!quotation.test(this.text.slice(this.position, Math.min(end, this.position + 4)))) return false;
    this.drop(end, '\n');
    return true;
  }

  /** Skips a quoted line and the lines below it up to a blank line. */
  skipWholeQuotation(): boolean {
    if (!this.skipQuotation()) return false;
    while (!this.atEnd && this.text.slice(this.position, this.lineEnd(this.position)).trim() !== '')
      this.drop(this.lineEnd(this.position), '\n');
    return true;
  }

  /**
   * Skips a comment. At the start of a line an unclosed comment hides the rest of the text, as it does on the host.
   * Elsewhere an unclosed comment is plain text.
   */
  skipComment(): boolean {
    if (!this.text.startsWith('<!--', this.position)) return false;
    if (this.position > this.lastClose) {
      if (!this.atLineStart) return false;
      this.drop(this.text.length, '');
      return true;
    }
    this.drop(this.text.indexOf('-->', this.position) + 3, ' ');
    return true;
  }

  skipCode(): boolean {
    const end = this.closings.get(this.position);
    if (end === undefined) return false;
    this.drop(end, codeMark);
    return true;
  }

  keepCode(): boolean {
    const end = this.closings.get(this.position);
    if (end !== undefined) this.position = end;
    return end !== undefined;
  }

  keepCodeOnLine(): boolean {
    const end = this.closings.get(this.position);
    if (end !== undefined) this.drop(end, this.text.slice(this.position, end).replaceAll('\n', ' '));
    return end !== undefined;
  }

  /** Returns the offset after the fenced block that begins here. An unclosed block runs to the end of the text. */
  private fenceEnd(): number | undefined {
    const mark = this.lineMark();
    if (mark !== '`' && mark !== '~') return undefined;
    const end = this.lineEnd(this.position);
    const opening = fenceOpening.exec(this.text.slice(this.position, end));
    if (!opening?.[1]) return undefined;
    const fence = opening[1];
    let line = end;
    while (line < this.text.length) {
      const next = this.lineEnd(line);
      if (closesFence(this.text.slice(line, next), fence)) return next;
      line = next;
    }
    return this.text.length;
  }

  /** Returns the character of the line that follows up to three blanks. Most lines are neither fence nor quotation. */
  private lineMark(): string | undefined {
    let at = this.position;
    while (at < this.position + 3 && this.text[at] === ' ') at += 1;
    return this.text[at];
  }

  private lineEnd(from: number): number {
    const at = this.text.indexOf('\n', from);
    return at === -1 ? this.text.length : at + 1;
  }

  private drop(end: number, instead: string): void {
    this.flush();
    this.kept.push(instead);
    this.position = end;
    this.keptFrom = end;
  }

  private flush(): void {
    this.kept.push(this.text.slice(this.keptFrom, this.position));
    this.keptFrom = this.position;
  }
}

function closesFence(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return (
    trimmed.length >= fence.length && trimmed === (fence[0] as string).repeat(trimmed.length) && /^ {0,3}\S/.test(line)
  );
}

/**
 * Maps the start of each inline code span to the offset after it. A span closes at the next run of the same number of
 * backticks in its paragraph.
 */
function codeSpans(text: string): Map<number, number> {
  const spans = new Map<number, number>();
  if (!text.includes('`')) return spans;
  for (const paragraph of paragraphs(text)) {
    const runs = backtickRuns(paragraph.text);
    for (const [index, closing] of closingRuns(runs).entries()) {
      if (closing === undefined) continue;
      spans.set(paragraph.at + (runs[index] as Span).start, paragraph.at + (runs[closing] as Span).end);
    }
  }
  return spans;
}

function paragraphs(text: string): { at: number; text: string }[] {
  const found: { at: number; text: string }[] = [];
  let start = 0;
  for (const { index } of text.matchAll(/\n(?=[ \t]*\n| {0,3}>| {0,3}```| {0,3}~~~|#{1,6} )/g)) {
    found.push({ at: start, text: text.slice(start, index) });
    start = index + 1;
  }
  found.push({ at: start, text: text.slice(start) });
  return found;
}
