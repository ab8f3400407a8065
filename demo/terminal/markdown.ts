/**
 * Shows a draft's Markdown on a terminal, block by block. The text is wrapped to the given width, with or without ANSI
 * styles. This module supports only the Markdown that drafts use. `lines.ts` first cleans the text, and `spans.ts`
 * styles and wraps the text.
 */

import { prepareLines } from './lines.ts';
import { paint, parseSpans, type Span, wrapSpans } from './spans.ts';

export type TerminalStyle = { width: number; color: boolean };

/** Width and color for a stream. Color is off when the stream is not a terminal or NO_COLOR is set to any value. */
export function terminalStyle(
  stream: { isTTY?: boolean; columns?: number },
  environment: Record<string, string | undefined>,
): TerminalStyle {
  const noColor = environment.NO_COLOR !== undefined && environment.NO_COLOR !== '';
  // Lines have at most 100 columns, even in a wider window, because longer lines are hard to read.
  const width = Math.max(20, Math.min(stream.columns ?? 80, 100));
  return { width, color: stream.isTTY === true && !noColor };
}

/** Renders the whole document as lines for the terminal, ending with a newline. */
export function renderMarkdown(markdown: string, style: TerminalStyle): string {
  const lines = prepareLines(markdown);
  const page: Page = { style, out: [], indent: '', paragraph: null };
  let index = 0;
  while (index < lines.length) index = renderLine(page, lines, index);
  endParagraph(page);
  const text = page.out.join('\n').replace(/\n{3,}/g, '\n\n');
  return `${text.replace(/^\n+/, '').trimEnd()}\n`;
}

type Paragraph = { first: string; rest: string; text: string };
type Page = { style: TerminalStyle; out: string[]; indent: string; paragraph: Paragraph | null };

const item = /^( {0,12})([-*+]|\d{1,9}[.)])[ \t]+(.*)$/;

/** Renders the part of a block that starts at the line `index`. Returns the index of the line after that part. */
function renderLine(page: Page, lines: string[], index: number): number {
  const line = lines[index]!;
  const fence = /^( {0,12})(`{3,}|~{3,})/.exec(line);
  if (fence !== null) return renderFence(page, lines, index, fence[2]!);
  if (/^ {0,3}>/.test(line)) return renderQuote(page, lines, index);
  const heading = /^ {0,3}(#{1,6})[ \t]+(.*)$/.exec(line);
  const listItem = item.exec(line);
  if (line.trim() === '') endBlock(page);
  else if (heading !== null) renderHeading(page, heading[1]!.length, heading[2]!);
  else if (/^ {0,3}([-*_])([ \t]*\1){2,}[ \t]*$/.test(line)) renderRule(page);
  else if (listItem !== null) startItem(page, listItem[1]!.length, listItem[2]!, listItem[3]!);
  else if (isDetailsTag(line)) renderDetailsTag(page, line.trim());
  else addText(page, line);
  return index + 1;
}

function addText(page: Page, line: string): void {
  if (page.paragraph !== null) {
    page.paragraph.text += ` ${line.trim()}`;
    return;
  }
  // Indented text after a blank line belongs to the list item above it.
  const depth = Math.min(12, line.length - line.trimStart().length);
  const margin = page.indent + ' '.repeat(depth);
  page.paragraph = { first: margin, rest: margin, text: line.trim() };
}

function startItem(page: Page, depth: number, marker: string, text: string): void {
  endParagraph(page);
  const bullet = /\d/.test(marker) ? marker : depth === 0 ? '•' : '◦';
  const margin = `${page.indent}  ${' '.repeat(depth)}`;
  const first = `${margin}${paint(bullet, ['dim'], page.style.color)} `;
  const box = text.replace(/^\[ \] /, '☐ ').replace(/^\[[xX]\] /, '☑ ');
  page.paragraph = { first, rest: `${margin}${' '.repeat(bullet.length + 1)}`, text: box };
}

function endParagraph(page: Page): void {
  if (page.paragraph === null) return;
  const { first, rest, text } = page.paragraph;
  page.paragraph = null;
  writeSpans(page, parseSpans(text), first, rest);
}

function endBlock(page: Page): void {
  endParagraph(page);
  page.out.push('');
}

function writeSpans(page: Page, spans: Span[], first: string, rest: string): void {
  const width = Math.max(10, page.style.width - rest.length);
  const lines = wrapSpans(spans, width, page.style.color);
  page.out.push(...lines.map((line, index) => `${index === 0 ? first : rest}${line}`));
}

function renderHeading(page: Page, level: number, text: string): void {
  endBlock(page);
  const styles: Span['styles'] = level <= 2 ? ['bold', 'underline'] : ['bold'];
  const spans = parseSpans(text.replace(/[ \t]+#+[ \t]*$/, '')).map((span) => {
    return { ...span, styles: [...styles, ...span.styles] };
  });
  writeSpans(page, spans, page.indent, page.indent);
  page.out.push('');
}

function renderRule(page: Page): void {
  endBlock(page);
  page.out.push(
    page.indent + paint('─'.repeat(Math.max(3, page.style.width - page.indent.length)), ['dim'], page.style.color),
    '',
  );
}

/** Renders a code block. Code is shown as written, not wrapped. */
function renderFence(page: Page, lines: string[], start: number, fence: string): number {
  endParagraph(page);
  let index = start + 1;
  for (; index < lines.length && !lines[index]!.trim().startsWith(fence); index += 1) {
    page.out.push(`${page.indent}    ${paint(lines[index]!, ['code'], page.style.color)}`.trimEnd());
  }
  return index + 1;
}

/** Renders a quote as a separate document next to a bar. */
function renderQuote(page: Page, lines: string[], start: number): number {
  endParagraph(page);
  const quoted: string[] = [];
  let index = start;
  for (; index < lines.length && /^ {0,3}>/.test(lines[index]!); index += 1) {
    // A quote inside a quote gets only one bar, because two bars do not help in a draft.
    quoted.push(lines[index]!.replace(/^(?: {0,3}> ?)+/, ''));
  }
  const bar = `${page.indent}${paint('│', ['dim'], page.style.color)} `;
  const width = page.style.width - page.indent.length - 2;
  const inner = renderMarkdown(quoted.join('\n'), { ...page.style, width }).trimEnd();
  page.out.push(...inner.split('\n').map((line) => `${bar}${line}`.trimEnd()));
  return index;
}

function renderDetailsTag(page: Page, tag: string): void {
  endBlock(page);
  const summary = /^<summary>(.*)<\/summary>$/i.exec(tag);
  if (summary !== null) {
    const spans: Span[] = [{ text: '▾ ', styles: ['bold'] }, ...parseSpans(summary[1]!.trim())];
    const outer = page.indent.slice(2);
    writeSpans(
      page,
      spans.map((span) => ({ ...span, styles: ['bold', ...span.styles] })),
      outer,
      `${outer}  `,
    );
    page.out.push('');
  } else {
    page.indent = /^<\//.test(tag) ? page.indent.slice(2) : `${page.indent}  `;
  }
}

function isDetailsTag(line: string): boolean {
  return /^\s*(?:<details(?:\s[^<>]{0,80})?>|<\/details>|<summary>.*<\/summary>)\s*$/i.test(line);
}
