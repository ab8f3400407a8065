/**
 * Parses Markdown into markdown-it tokens, in time and memory proportional to the text. It renders nothing. HTML
 * becomes separate tokens, so that callers can drop HTML comments.
 */
import MarkdownIt, { type Token } from 'markdown-it';

export type { Token } from 'markdown-it';

const options = { html: true, linkify: false, typographer: false };
/**
 * Maximum depth of nested brackets in a line. From each bracket, the library searches up to this depth for the end of a
 * link or image. Measured: parsing 1 MiB of `![` took four seconds with the library's default of 100, and takes one
 * second with this value.
 */
const maxBrackets = 20;
const lines = new MarkdownIt({ ...options, maxNesting: maxBrackets });
const markdown = reader();
const withoutTables = reader().disable('table');

/**
 * Maximum number of missing cells in a text, counted over all tables. If a row has fewer cells than its table has
 * columns, markdown-it adds the missing cells as empty cells. markdown-it has the same maximum, but counts each table
 * separately. Measured: 1.5 KB of text became 65,000 cells, and 24 KB became 500 MB of tokens. If a text has more
 * missing cells, its tables are read as plain text.
 */
const maxMissing = 65_536;

/** Returns the tokens of a Markdown text. */
export function markdownTokens(text: string): Token[] {
  return (missingCells(text) > maxMissing ? withoutTables : markdown).parse(text, {});
}

/** Returns the inline tokens of one line, which is parsed as part of a paragraph. */
export function inlineTokens(line: string): Token[] {
  const tokens: Token[] = [];
  lines.inline.parse(line, lines, {}, tokens);
  return tokens;
}

/**
 * Creates a parser. The maximum nesting of blocks is the library's default. A separate parser, `lines`, parses the text
 * of each line. In `lines`, the maximum nesting of brackets is lower.
 */
function reader() {
  const made = new MarkdownIt(options);
  made.core.ruler.at('inline', ({ tokens, env }) => {
    for (const { type, content, children } of tokens)
      if (type === 'inline' && children) lines.inline.parse(content, lines, env, children);
  });
  return made;
}

/**
 * Estimates how many cells the tables of a text lack. Each line that looks like the second line of a table
 * (`|---|---|`) counts as a table that ends at the next blank line. So the result can be too large, but never too
 * small.
 */
function missingCells(text: string): number {
  if (!text.includes('|')) return 0;
  let missing = 0;
  let columns = 0;
  for (const line of text.split(/\r\n?|\n/)) {
    const cells = line.split('|').length;
    if (/^[\s>]*$/.test(line)) columns = 0;
    else if (cells > 1 && /^[\s>|:-]*$/.test(line)) columns = Math.max(columns, cells);
    else missing += Math.max(0, columns - cells);
  }
  return missing;
}
