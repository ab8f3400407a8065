/**
 * Prepares a note's Markdown for the source-code host. The prepared text causes no action on the host, such as a
 * notification. Every fence is closed. In notes for customers, markers and links into a private repository are removed.
 * Other modules shorten the text and insert it into files.
 */
import { ownComment } from '../../foundation/markers.ts';
import { visibleText } from '../../foundation/visible-text.ts';
import type { Note } from '../channel.ts';
import { harmlessMarkdown } from './harmless.ts';
import { mapProse, markdownParts, openFence } from './markdown-parts.ts';

/** Starts of the comments that are meant for the editor of a draft only. */
const forEditors = [`${ownComment}gone `, `${ownComment}new`];
/** Placeholder for a removed marker. The character does not occur in texts. */
const sign = '\0';
const maxRounds = 5;

/** Returns the note's text for the host, with `\n` at line ends and one `\n` at its end. */
export function toHostMarkdown({
  bodyMd,
  persona,
  repository,
}: Pick<Note, 'bodyMd' | 'persona' | 'repository'>): string {
  const clean = visibleText(bodyMd.replace(/\r\n?/g, '\n'));
  const own = withoutOwnComments(clean, persona === 'customer' ? [ownComment] : forEditors);
  const shown = persona === 'customer' && repository.private ? withoutLinksInto(own, repository.url) : own;
  return closed(harmlessMarkdown(withoutOpenComments(shown)));
}

/**
 * Removes the service's own comments (`<!-- rn:…`) that have one of the given starts, together with their lines. Some of
 * these comments connect an entry with a pull request. Others inform the editor of the draft: about the generated text
 * of a passage that a person has edited, or about a change that is not in the notes any more. When a comment is removed,
 * a text that was part of a code block can become a comment. So the search repeats.
 */
function withoutOwnComments(markdown: string, starts: readonly string[]): string {
  const isRemoved = (text: string): boolean => starts.some((start) => text.startsWith(start));
  if (!starts.some((start) => markdown.includes(start))) return markdown;
  let text = markdown;
  for (let round = 0; round < maxRounds; round++) {
    const before = text;
    text = withoutSigns(
      markdownParts(before)
        .map(({ kind, text: part }) => (kind === 'comment' && isRemoved(part) ? sign : part))
        .join(''),
    );
    if (text === before) return text;
  }
  return starts.reduce((shown, start) => shown.replaceAll(start, start.replace('<', '&lt;')), text);
}

/**
 * Removes placeholders. Within a line, a blank replaces the placeholder, so that the texts on both sides are not
 * joined.
 */
function withoutSigns(marked: string): string {
  const text = marked.replace(/^[ \t]*\0[\0 \t]*\n/gm, '');
  const parts: string[] = [];
  let from = 0;
  // The pattern begins with a placeholder, and the loop below steps back over the blanks before the placeholder. If the
  // pattern began with blanks, a long run of blanks would be scanned once for each of its blanks.
  for (const { 0: signs, index } of text.matchAll(/\0[\0 \t]*/g)) {
    const end = index + signs.length;
    let start = index;
    while (start > from && isBlank(text[start - 1])) start -= 1;
    parts.push(text.slice(from, start));
    if (end < text.length && text[end] !== '\n')
      parts.push(start === 0 || text[start - 1] === '\n' ? text.slice(start, index) : ' ');
    from = end;
  }
  return parts.join('') + text.slice(from);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

/** Removes links into a repository. The text of a link stays. An address without a text is removed. */
function withoutLinksInto(markdown: string, repositoryUrl: string): string {
  const base = escapeRegExp(repositoryUrl.replace(/\/+$/, ''));
  const address = `${base}(?![\\w.-])[^\\s<>()\\]]*`;
  const link = new RegExp(
    `!?\\[((?:\\\\.|[^\\[\\]\\\\]){0,1000})\\]\\(\\s*<?${address}>?(?:\\s+"[^"\\n]{0,200}")?\\s*\\)`,
    'gi',
  );
  const definition = new RegExp(`^ {0,3}\\[[^\\]\\n]{1,200}\\]:\\s*<?${address}.*\\n?`, 'gim');
  const bare = new RegExp(`<?${address}>?`, 'gi');
  return mapProse(markdown, (prose) => prose.replace(link, '$1').replace(definition, '').replace(bare, ''));
}

/** Escapes the start of a comment that never ends, since the comment would hide everything after it. */
function withoutOpenComments(markdown: string): string {
  return mapProse(markdown, (prose) => prose.replaceAll('<!--', '&lt;!--'));
}

/** Removes blank lines at both ends of the text, and closes an open fence. */
function closed(markdown: string): string {
  const text = markdown.trim();
  const fence = openFence(text);
  return fence === undefined ? `${text}\n` : `${text}\n${fence}\n`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
