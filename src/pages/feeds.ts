/**
 * The newest notes of a repository as Atom and as JSON Feed. Entries are known by the addresses of their pages, which stay.
 */
import { Feed } from 'feed';
import { escapeHtml } from '../foundation/escape-html.ts';
import { visibleText } from '../foundation/visible-text.ts';
import type { HostedNote } from '../store/tables/hosted-notes.ts';

/** What a feed says of itself; addresses are absolute. */
export interface FeedHead {
  title: string;
  language: string;
  home: string;
  feeds: { atom: string; json: string };
}

/** A note in a feed; `html` empty = only its excerpt is shown. */
export type FeedNote = Pick<HostedNote, 'version' | 'path' | 'excerpt' | 'html' | 'publishedAt' | 'updatedAt'> & {
  url: string;
};

export function atomFeed(head: FeedHead, notes: readonly FeedNote[]): string {
  // Titles and excerpts of entries are read as HTML.
  return toFeed(head, notes, escapeHtml).atom1();
}

export function jsonFeed(head: FeedHead, notes: readonly FeedNote[]): string {
  return toFeed(head, notes, (text) => text).json1();
}

function toFeed(
  { title, language, home, feeds }: FeedHead,
  notes: readonly FeedNote[],
  toText: (text: string) => string,
): Feed {
  const feed = new Feed({
    id: home,
    title: printable(title),
    link: home,
    language,
    feedLinks: feeds,
    generator: 'Tidings',
    // Without notes it never changed: the same bytes each time.
    updated: new Date(Math.max(0, ...notes.map(({ updatedAt }) => updatedAt))),
  });
  for (const { version, path, excerpt = '', html, url, publishedAt, updatedAt } of notes)
    feed.addItem({
      id: url,
      link: url,
      title: toText(printable(path === undefined ? version : `${version}, for engineers`)),
      date: new Date(updatedAt),
      published: new Date(publishedAt),
      ...(excerpt !== '' && { description: toText(printable(excerpt)) }),
      content: printable(html || `<p>${escapeHtml(excerpt)}</p>`),
    });
  return feed;
}

/** Without what XML cannot hold, and what does not show or turns the direction of writing. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  return visibleText(text).replace(/[\u000B\u000C\uFFFE\uFFFF]/g, '');
}
