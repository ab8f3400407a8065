/**
 * Disables everything in a text that would have an effect on the host: words that close issues, and names that notify
 * people. Words that close issues become `refs`. Names look the same as before.
 */
import { mapProse } from './markdown-parts.ts';

/**
 * Matches a keyword that closes an issue, if an issue is mentioned directly after the keyword. The mention can have all
 * forms that hosts support: a number, a number in another repository, or an address.
 */
const closing =
  /(?<![\p{L}\p{N}_])(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=(?::\s{0,8}|\s{1,8})(?:(?:[\w.-]{1,100}\/[\w.-]{1,100})?[#!]\d|GH-\d|https?:\/\/[^\s/]{1,255}\/[^\s<>]{1,400}\/\d))/giu;
/**
 * Matches the `@` of a handle that the host would notify. `@scope/package` and `action@v5` are not handles. A handle
 * that is the text of a link is left unchanged, since it notifies no one.
 */
const mention = /(?<![\p{L}\p{N}_@/.])@(?=[\p{L}\p{N}_])(?![\w.-]{1,100}\/[\w.-])/gu;
const linked = /^@[\w-]{1,100}(?:\\?\[bot\\?\])?\]\(/;
const joiner = '\u200D';

/** Returns Markdown that closes no issue and notifies no one on the host. */
export function harmlessMarkdown(markdown: string): string {
  return mapProse(markdown, (prose) => {
    const text = withoutClosing(prose);
    return text.replace(mention, (sign, at: number) => {
      const isLink = text[at - 1] === '[' && linked.test(text.slice(at, at + 120));
      return isLink ? sign : '@<!-- -->';
    });
  });
}

/** Returns a line that closes no issue and notifies no one, for use in a commit message or a title. */
export function harmlessLine(text: string): string {
  const line = text.toWellFormed().replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return withoutClosing(line).replace(mention, `@${joiner}`).trim();
}

function withoutClosing(text: string): string {
  return text.replace(closing, (word) => (word[0] === word[0]?.toUpperCase() ? 'Refs' : 'refs'));
}
