/**
 * What a note says to the readers of a channel: its title, its blocks, and where they read on. Text for customers loses all
 * addresses of a private repository here, once for all channels.
 */
import type { Note } from '../channel.ts';
import { type Block, type Inline, mapBlocks } from './document.ts';
import { bareText } from './inlines.ts';
import { parseMarkdown } from './parse.ts';
import { shorten } from './split.ts';

const address = /https?:\/\/[^\s<>"'`)\]]+/gi;
const longestTitle = 300;

/** Name of the repository and version, in one line of bare text. */
export function titleOf({ repository, version }: Pick<Note, 'repository' | 'version'>): string {
  const name = repository.fullName.split('/').at(-1) ?? '';
  return shorten(bareText(`${name} ${version}`), longestTitle);
}

/** The note's blocks, as its readers may see them. */
export function blocksOf(note: Pick<Note, 'bodyMd' | 'persona' | 'repository'>): Block[] {
  const blocks = parseMarkdown(note.bodyMd);
  return isInside(note) ? withoutLinksInto(blocks, note.repository.url) : blocks;
}

/** Where readers find the whole of a note that was cut; null where they may not look. */
export function readOnUrl(note: Pick<Note, 'pageUrl' | 'compareUrl' | 'persona' | 'repository'>): string | null {
  if (note.pageUrl !== null) return note.pageUrl;
  return isInside(note) ? null : (note.compareUrl ?? note.repository.url);
}

/** Customers are told nothing of where a private repository is. */
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

/** Hosts take names in any case. */
function isBelow(url: URL, home: URL): boolean {
  if (url.host !== home.host) return false;
  const path = `${home.pathname.replace(/\/+$/, '')}/`.toLowerCase();
  return (
    `${url.pathname}/`.toLowerCase().startsWith(path) ||
    `${url.pathname}/`.toLowerCase().startsWith(`${path.slice(0, -1)}.git/`)
  );
}
