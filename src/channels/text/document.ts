/**
 * Defines the content of a draft without Markdown syntax: blocks and inline pieces with plain text, as `parse.ts` reads
 * them. Nothing here is escaped. Each target format, such as HTML or a card, escapes the text for its own markup.
 */

/** A piece of a line. Adjacent texts form one piece. `href` is an http(s) or mailto address. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis' | 'struck'; content: Inline[] }
  | { kind: 'link'; href: string; content: Inline[] };

/** An item of a list. `isChange` is true when a marker ties the item to a pull request or issue. */
export interface ListItem {
  blocks: Block[];
  isChange: boolean;
}

export interface List {
  kind: 'list';
  /** Number of the first item; null for bullets. */
  start: number | null;
  items: ListItem[];
}

export type Block =
  | { kind: 'heading'; depth: number; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | List
  /** The first row holds the column headings. */
  | { kind: 'table'; rows: Inline[][][] }
  | { kind: 'rule' };

/** Returns the text of inline pieces as one line. */
export function wordsOf(content: readonly Inline[]): string {
  return content
    .map((piece) => {
      if (piece.kind === 'break') return ' ';
      return 'content' in piece ? wordsOf(piece.content) : piece.text;
    })
    .join('');
}

/** Changes blocks: `line` is applied to every list of inline pieces, `code` to every block of code. */
export function mapBlocks(
  blocks: readonly Block[],
  line: (content: Inline[]) => Inline[],
  code: (text: string) => string,
): Block[] {
  const within = (inner: readonly Block[]): Block[] => mapBlocks(inner, line, code);
  return blocks.map((block): Block => {
    switch (block.kind) {
      case 'heading':
      case 'paragraph':
        return { ...block, content: line(block.content) };
      case 'code':
        return { ...block, text: code(block.text) };
      case 'quote':
        return { ...block, blocks: within(block.blocks) };
      case 'list':
        return { ...block, items: block.items.map((item) => ({ ...item, blocks: within(item.blocks) })) };
      case 'table':
        return { ...block, rows: block.rows.map((row) => row.map(line)) };
      default:
        return block;
    }
  });
}
