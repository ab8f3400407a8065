/**
 * What a draft says, without its Markdown: blocks and inline pieces with bare text, as `parse.ts` reads them. Nothing in here
 * is escaped; each target writes it in its own language and escapes for that.
 */

/** A piece of a line. Adjacent texts are one piece; `href` is http(s) or mailto. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis' | 'struck'; content: Inline[] }
  | { kind: 'link'; href: string; content: Inline[] };

/** An item of a list; `isChange` when a marker ties it to a pull request or issue. */
export interface ListItem {
  blocks: Block[];
  isChange: boolean;
}

export interface List {
  kind: 'list';
  /** First number; null for bullets. */
  start: number | null;
  items: ListItem[];
}

export type Block =
  | { kind: 'heading'; depth: number; content: Inline[] }
  | { kind: 'paragraph'; content: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | List
  /** The first row is the head. */
  | { kind: 'table'; rows: Inline[][][] }
  | { kind: 'rule' };

/** The words of inline pieces, in one line. */
export function wordsOf(content: readonly Inline[]): string {
  return content
    .map((piece) => {
      if (piece.kind === 'break') return ' ';
      return 'content' in piece ? wordsOf(piece.content) : piece.text;
    })
    .join('');
}

/** Blocks with every list of inline pieces put through `line`, and every block of code through `code`. */
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
