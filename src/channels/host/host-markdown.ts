/**
 * A note's Markdown as it goes to the source-code host: harmless there, whole in itself, and for customers without markers and
 * without addresses of a private repository. Shortening it and putting it into files is left to others.
 */
import { visibleText } from '../../foundation/visible-text.ts';
import type { Note } from '../channel.ts';
import { harmlessMarkdown } from './harmless.ts';
import { mapProse, markdownParts, openFence } from './markdown-parts.ts';

/** Stands where a marker was; no text has it. */
const sign = '\0';
const mostRounds = 5;

/** The note's text for the host, with `\n` at line ends and one at its end. */
export function toHostMarkdown({
  bodyMd,
  persona,
  repository,
}: Pick<Note, 'bodyMd' | 'persona' | 'repository'>): string {
  const clean = visibleText(bodyMd.replace(/\r\n?/g, '\n'));
  const own = persona === 'customer' ? withoutMarkers(clean) : clean;
  const told = persona === 'customer' && repository.private ? withoutLinksInto(own, repository.url) : own;
  return closed(harmlessMarkdown(withoutOpenComments(told)));
}

/**
 * Comments that tie entries to pull requests, and the news beside a person's words, taken out with their lines. Where one is
 * gone, another can turn out to be one that stood in code before.
 */
function withoutMarkers(markdown: string): string {
  let text = markdown;
  for (let round = 0; round < mostRounds; round++) {
    const before = text;
    text = withoutSigns(
      markdownParts(before)
        .map(({ kind, text: part }) => (kind === 'comment' && part.startsWith('<!-- rn:') ? sign : part))
        .join(''),
    );
    if (text === before) return text;
  }
  return text.replaceAll('<!-- rn:', '&lt;!-- rn:');
}

/** What stood apart by a marker must not come to mean something together. */
function withoutSigns(marked: string): string {
  const text = marked.replace(/^[ \t]*\0[\0 \t]*\n/gm, '');
  const parts: string[] = [];
  let from = 0;
  // The search begins at the sign. From the blanks before it, a search would look at each run of blanks again from each blank.
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

/** Links keep their words; bare addresses go. */
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

/** The beginning of a comment that never ends would hide what stands after the text. */
function withoutOpenComments(markdown: string): string {
  return mapProse(markdown, (prose) => prose.replaceAll('<!--', '&lt;!--'));
}

/** Without blank lines around it, and without a fence left open. */
function closed(markdown: string): string {
  const text = markdown.trim();
  const fence = openFence(text);
  return fence === undefined ? `${text}\n` : `${text}\n${fence}\n`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
