/**
 * Writes the newest notes of a repository as an Atom feed and as a JSON Feed. The id of an entry is the permanent
 * address of the note's page.
 */
import { Feed } from 'feed';
import { escapeHtml } from '../foundation/escape-html.ts';
import { visibleText } from '../foundation/visible-text.ts';
import type { HostedNote } from '../store/tables/hosted-notes.ts';

/** Properties of a feed. All addresses in it are absolute. */
export interface FeedHead {
  title: string;
  language: string;
  home: string;
  feeds: { atom: string; json: string };
  /** Address of the repository's logo. */
  image?: string;
}

/** A note in a feed. When `html` is empty, the feed shows only the excerpt. */
export type FeedNote = Pick<HostedNote, 'version' | 'path' | 'excerpt' | 'html' | 'publishedAt' | 'updatedAt'> & {
  url: string;
};

/** Makes the Atom feed. */
export function atomFeed(head: FeedHead, notes: readonly FeedNote[]): string {
  // Feed readers interpret the titles and excerpts of Atom as HTML, so these are escaped as HTML.
  return toFeed(head, notes, escapeHtml).atom1();
}

/** Makes the JSON Feed. */
export function jsonFeed(head: FeedHead, notes: readonly FeedNote[]): string {
  return toFeed(head, notes, (text) => text).json1();
}

function toFeed(
  { title, language, home, feeds, image }: FeedHead,
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
    ...(image !== undefined && { image }),
    // A feed without notes has the date 1970. With the current date, its bytes would change on every request.
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

/**
 * Removes characters that are forbidden in XML, invisible characters, and characters that change the direction of
 * writing.
 */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  return visibleText(text).replace(/[\u000B\u000C\uFFFE\uFFFF]/g, '');
}
