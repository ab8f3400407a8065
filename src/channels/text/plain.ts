/** Writes blocks as plain text, for the text part of a mail. The text of a link is followed by its address. */
import { type Block, type Inline, wordsOf } from './document.ts';

/** Writes blocks as plain text; lines are not wrapped. */
export function toPlain(blocks: readonly Block[]): string {
  return linesOf(blocks).join('\n');
}

function linesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block, index) => {
    const lines = linesOfBlock(block);
    return index === 0 ? lines : ['', ...lines];
  });
}

function linesOfBlock(block: Block): string[] {
  switch (block.kind) {
    case 'heading': {
      const text = wordsOf(block.content);
      return [text, (block.depth < 3 ? '=' : '-').repeat(Math.min([...text].length, 60))];
    }
    case 'paragraph':
      return plainInlines(block.content).split('\n');
    case 'code':
      return indented(block.text.split('\n'), '    ');
    case 'quote':
      return indented(linesOf(block.blocks), '> ');
    case 'list':
      return block.items.flatMap((item, index) => {
        const mark = block.start === null ? '- ' : `${block.start + index}. `;
        const [first = '', ...rest] = item.blocks.flatMap((inner, at) =>
          at > 0 && inner.kind !== 'list' ? ['', ...linesOfBlock(inner)] : linesOfBlock(inner),
        );
        return [mark + first, ...indented(rest, ' '.repeat(mark.length))];
      });
    case 'table':
      return block.rows.map((row) => row.map(plainInlines).join(' | '));
    case 'rule':
      return ['-'.repeat(20)];
  }
}

function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (by + line).trimEnd());
}

function plainInlines(content: readonly Inline[]): string {
  return content
    .map((piece) => {
      if (piece.kind === 'break') return '\n';
      if (!('content' in piece)) return piece.text;
      const text = plainInlines(piece.content);
      return piece.kind === 'link' && text !== piece.href ? `${text} <${piece.href}>` : text;
    })
    .join('');
}
