/**
 * A note's Markdown as it goes to the source-code host: harmless there, whole in itself, and for customers without markers and
 * without addresses of a private repository. Shortening it and putting it into files is left to others.
 */
import { visibleText } from '../../visible-text.ts';
import type { Note } from '../channel.ts';
import { harmlessMarkdown } from './harmless.ts';
import { mapProse, markdownParts, openFence } from './markdown-parts.ts';

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

/** Comments that tie entries to pull requests, and the news beside a person's words, taken out with their lines. */
function withoutMarkers(markdown: string): string {
  const kept = markdownParts(markdown).map(({ kind, text }) =>
    kind === 'comment' && /^<!-- rn:/.test(text) ? '\u0000' : text,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sign stands where a marker was, and no text has it
  return kept.join('').replace(/^[ \t]*\u0000[ \t]*\n|[ \t]*\u0000/gm, '');
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
