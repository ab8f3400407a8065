/**
 * Writes blocks as inert HTML: no scripts, no remote content, and no attributes except addresses of links. The caller
 * adds the page or mail around the HTML.
 */
import { escapeHtml } from '../../foundation/escape-html.ts';
import type { Block, Inline, List } from './document.ts';

export interface HtmlOptions {
  /** Number of levels by which headings are moved down. */
  headingShift?: number;
}

const tags = { strong: 'strong', emphasis: 'em', struck: 's' } as const;
/** Writes blocks as HTML, one block per line. */
export function blocksToHtml(blocks: readonly Block[], options: HtmlOptions = {}): string {
  return blocks.map((block) => blockToHtml(block, options)).join('\n');
}

function blockToHtml(block: Block, options: HtmlOptions): string {
  switch (block.kind) {
    case 'heading': {
      const depth = Math.min(6, block.depth + (options.headingShift ?? 0));
      return `<h${depth}>${inlinesToHtml(block.content)}</h${depth}>`;
    }
    case 'paragraph':
      return `<p>${inlinesToHtml(block.content)}</p>`;
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
    case 'quote':
      return `<blockquote>\n${blocksToHtml(block.blocks, options)}\n</blockquote>`;
    case 'list':
      return listToHtml(block, options);
    case 'table':
      return tableToHtml(block.rows);
    case 'rule':
      return '<hr>';
  }
}

function listToHtml({ start, items }: List, options: HtmlOptions): string {
  const tag = start === null ? 'ul' : 'ol';
  const from = start === null || start === 1 ? '' : ` start="${start}"`;
  const lines = items.map(({ blocks: [first, ...rest] }) => {
    const text = first?.kind === 'paragraph' ? inlinesToHtml(first.content) : first ? blockToHtml(first, options) : '';
    return `<li>${[text, ...rest.map((block) => blockToHtml(block, options))].join('\n')}</li>`;
  });
  return `<${tag}${from}>\n${lines.join('\n')}\n</${tag}>`;
}

function tableToHtml([head = [], ...rows]: Inline[][][]): string {
  const row = (cells: Inline[][], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${inlinesToHtml(cell)}</${tag}>`).join('')}</tr>`;
  return `<table>\n${[row(head, 'th'), ...rows.map((cells) => row(cells, 'td'))].join('\n')}\n</table>`;
}

function inlinesToHtml(content: readonly Inline[]): string {
  return content.map(inlineToHtml).join('');
}

function inlineToHtml(piece: Inline): string {
  switch (piece.kind) {
    case 'text':
      return escapeHtml(piece.text);
    case 'code':
      return `<code>${escapeHtml(piece.text)}</code>`;
    case 'break':
      return '<br>';
    case 'link':
      return `<a href="${escapeHtml(piece.href)}" rel="nofollow noopener noreferrer">${inlinesToHtml(piece.content)}</a>`;
    default:
      return `<${tags[piece.kind]}>${inlinesToHtml(piece.content)}</${tags[piece.kind]}>`;
  }
}
