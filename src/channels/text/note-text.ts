/**
 * Makes the parts of a note that readers of a channel see: its title, its blocks, and the address of the complete note.
 * If a note is for customers, this module removes all addresses that lead into a private repository. So the channels do
 * not need to remove these addresses.
 */
import type { Note } from '../channel.ts';
import { type Block, type Inline, mapBlocks } from './document.ts';
import { bareText } from './inlines.ts';
import { parseMarkdown } from './parse.ts';
import { shorten } from './split.ts';

const address = /https?:\/\/[^\s<>"'`)\]]+/gi;
const maxTitleLength = 300;

/** Returns the name of the repository and the version, as one line of plain text. */
export function titleOf({ repository, version }: Pick<Note, 'repository' | 'version'>): string {
  const name = repository.fullName.split('/').at(-1) ?? '';
  return shorten(bareText(`${name} ${version}`), maxTitleLength);
}

/** Returns the note's blocks, as the note's readers may see them. */
export function blocksOf(note: Pick<Note, 'bodyMd' | 'persona' | 'repository'>): Block[] {
  const blocks = parseMarkdown(note.bodyMd);
  return isInside(note) ? withoutLinksInto(blocks, note.repository.url) : blocks;
}

/**
 * Returns the address of the complete note, for a link below a shortened note. Returns null if the readers have no
 * access to the complete note.
 */
export function readOnUrl(note: Pick<Note, 'pageUrl' | 'compareUrl' | 'persona' | 'repository'>): string | null {
  if (note.pageUrl !== null) return note.pageUrl;
  return isInside(note) ? null : (note.compareUrl ?? note.repository.url);
}

/**
 * Whether the repository is private and the readers are customers. Customers must not learn the address of a private
 * repository.
 */
function isInside({ persona, repository }: Pick<Note, 'persona' | 'repository'>): boolean {
  return persona === 'customer' && repository.private;
}

function withoutLinksInto(blocks: readonly Block[], repositoryUrl: string): Block[] {
  const home = URL.canParse(repositoryUrl) ? new URL(repositoryUrl) : undefined;
  if (!home) return [...blocks];
  const leadsIn = (url: string): boolean => URL.canParse(url) && isBelow(new URL(url), home);
  const bare = (text: string): string => text.replace(address, (url) => (leadsIn(url) ? '' : url));
  const strip = (content: readonly Inline[]): Inline[] =>
    content.flatMap((piece): Inline[] => {
      if (piece.kind === 'break') return [piece];
      if (!('content' in piece)) return [{ ...piece, text: bare(piece.text) }];
      const inner = strip(piece.content);
      return piece.kind === 'link' && leadsIn(piece.href) ? inner : [{ ...piece, content: inner }];
    });
  return mapBlocks(blocks, strip, bare);
}

/**
 * Whether an address is below a repository's address. The case of letters is ignored, because hosts ignore the case of
 * names.
 */
function isBelow(url: URL, home: URL): boolean {
  if (url.host !== home.host) return false;
  const path = `${home.pathname.replace(/\/+$/, '')}/`.toLowerCase();
  return (
    `${url.pathname}/`.toLowerCase().startsWith(path) ||
    `${url.pathname}/`.toLowerCase().startsWith(`${path.slice(0, -1)}.git/`)
  );
}
