/**
 * Reads Markdown into markdown-it's tokens, in time and memory that grow with the text. HTML is told apart from text, so that comments
 * can be dropped where they are comments; nothing is rendered.
 */
import MarkdownIt, { type Token } from 'markdown-it';

export type { Token } from 'markdown-it';

const options = { html: true, linkify: false, typographer: false };
/**
 * Brackets in brackets up to which the end of a link or an image is looked for in a line. The library looks from each bracket as deep
 * as it may, by default 100: 1 MiB of `![` took four seconds so, and takes one now (measured).
 */
const mostBrackets = 20;
const lines = new MarkdownIt({ ...options, maxNesting: mostBrackets });
const markdown = reader();
const withoutTables = reader().disable('table');

/**
 * Cells that rows of tables may lack, of all tables of a text together. The library adds them, up to as many for each table: 1.5 KB of
 * text make 65,000 cells so, and 24 KB 500 MB of tokens (measured). A text that lacks more is read as one without tables.
 */
const mostMissing = 65_536;

/** The tokens of a Markdown text. */
export function markdownTokens(text: string): Token[] {
  return (missingCells(text) > mostMissing ? withoutTables : markdown).parse(text, {});
}

/** The inline tokens of one line, as if it stood in a paragraph. */
export function inlineTokens(line: string): Token[] {
  const tokens: Token[] = [];
  lines.inline.parse(line, lines, {}, tokens);
  return tokens;
}

/** Reads blocks as deep as the library does, and their lines by `lines`. */
function reader() {
  const made = new MarkdownIt(options);
  made.core.ruler.at('inline', ({ tokens, env }) => {
    for (const { type, content, children } of tokens)
      if (type === 'inline' && children) lines.inline.parse(content, lines, env, children);
  });
  return made;
}

/** Cells that rows may lack below anything like the second line of a table, up to the next blank line; never too few. */
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
