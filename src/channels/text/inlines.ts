/**
 * Reads the inline tokens of one line: texts, code, emphasis and links. Only http(s) and mailto addresses become links.
 * Images become their alternative text, and comments are dropped.
 */

import type { Token } from '../../foundation/markdown.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import type { Inline } from './document.ts';

const maxAddressLength = 2_000;
/** Maximum nesting of emphasis and links. */
const maxLevels = 100;
const stress = { strong_open: 'strong', em_open: 'emphasis', s_open: 'struck' } as const;

/** Reads the children of an inline token as inline pieces. */
export function readInlines(tokens: readonly Token[]): Inline[] {
  const whole = new Level(undefined);
  const levels = [whole];
  // Pieces nested deeper than `maxLevels` are read as plain text, since the writers of the target formats are
  // recursive.
  let deeper = 0;
  for (const token of tokens) {
    if (token.nesting > 0 && levels.length > maxLevels) deeper += 1;
    else if (token.nesting > 0) levels.push(new Level(token));
    else if (token.nesting < 0 && deeper > 0) deeper -= 1;
    else {
      const pieces = token.nesting < 0 ? closed(levels.pop()) : single(token);
      const level = levels.at(-1);
      for (const piece of pieces) level?.add(piece);
    }
  }
  return whole.content();
}

/**
 * Collects the pieces between an opening token and its closing token. Adjacent texts are joined only once, at the end.
 */
class Level {
  readonly opening: Token | undefined;
  private readonly pieces: Inline[] = [];
  private words: string[] = [];
  private endsInBlank = false;

  constructor(opening: Token | undefined) {
    this.opening = opening;
  }

  /**
   * Adds a piece. Adjacent texts become one text, so a comment between `@` and a name cannot hide a mention from the
   * code that disables mentions.
   */
  add(piece: Inline): void {
    if (piece.kind !== 'text') {
      this.flush();
      this.pieces.push(piece);
      return;
    }
    const text = this.endsInBlank ? piece.text.trimStart() : piece.text;
    this.words.push(text);
    if (text !== '') this.endsInBlank = text.endsWith(' ');
  }

  content(): Inline[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    if (this.words.length > 0) this.pieces.push({ kind: 'text', text: this.words.join('') });
    this.words = [];
    this.endsInBlank = false;
  }
}

/** Returns a text as one line, without invisible characters and without repeated blanks. */
export function bareText(text: string): string {
  return visibleText(text).replace(/\s+/g, ' ').trim();
}

/** Removes blanks at both ends of a line. */
export function trimmed(content: Inline[]): Inline[] {
  const first = content[0];
  if (first?.kind === 'text') content[0] = { ...first, text: first.text.trimStart() };
  const last = content.at(-1);
  if (last?.kind === 'text') content[content.length - 1] = { ...last, text: last.text.trimEnd() };
  return content.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}

/**
 * Returns an address if it may become a link: http(s) or mailto, of limited length, without characters that would end
 * the address early.
 */
function linkable(address: string): string | undefined {
  if (address.length > maxAddressLength || !/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  const clean = visibleText(address).replace(
    /[\s<>"'`|\\^{}]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
  return URL.canParse(clean) ? clean : undefined;
}

function closed(level: Level | undefined): Inline[] {
  const opening = level?.opening;
  const content = level?.content() ?? [];
  if (opening === undefined || content.length === 0) return content;
  if (opening.type === 'link_open') {
    const href = linkable(String(opening.attrGet('href') ?? ''));
    return href === undefined ? content : [{ kind: 'link', href, content }];
  }
  const kind = stress[opening.type as keyof typeof stress];
  return kind === undefined ? content : [{ kind, content }];
}

function single(token: Token): Inline[] {
  switch (token.type) {
    case 'code_inline':
      return token.content === '' ? [] : [{ kind: 'code', text: visibleText(token.content) }];
    case 'softbreak':
      return [{ kind: 'text', text: ' ' }];
    case 'hardbreak':
      return [{ kind: 'break' }];
    case 'html_inline':
      if (/^<br ?\/?>$/i.test(token.content)) return [{ kind: 'break' }];
      return token.content.startsWith('<!--') ? [] : [{ kind: 'text', text: visibleText(token.content) }];
    case 'image':
      return readInlines(token.children ?? []);
    default:
      return [{ kind: 'text', text: visibleText(token.content).replace(/\s+/g, ' ') }];
  }
}
