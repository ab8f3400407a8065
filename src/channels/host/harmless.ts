/**
 * Takes out of texts for the host what would act there: words that close issues, names that notify people. It reads the same
 * to people.
 */
import { mapProse } from './markdown-parts.ts';

/** A word that closes what it stands before, in the spellings that hosts honour: numbers, other repositories, addresses. */
const closing =
  /(?<![\p{L}\p{N}_])(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=(?::\s{0,8}|\s{1,8})(?:(?:[\w.-]{1,100}\/[\w.-]{1,100})?[#!]\d|GH-\d|https?:\/\/[^\s/]{1,255}\/[^\s<>]{1,400}\/\d))/giu;
/** A handle that would be notified; `@scope/package` and `action@v5` are none, nor is the words of a link. */
const mention = /(?<![\p{L}\p{N}_@/.])@(?=[\p{L}\p{N}_])(?![\w.-]{1,100}\/[\w.-])/gu;
const linked = /^@[\w-]{1,100}(?:\\?\[bot\\?\])?\]\(/;
const joiner = '\u200D';

/** Markdown for the host that closes no issue and notifies nobody. */
export function harmlessMarkdown(markdown: string): string {
  return mapProse(markdown, (prose) => {
    const text = withoutClosing(prose);
    return text.replace(mention, (sign, at: number) => {
      const isLink = text[at - 1] === '[' && linked.test(text.slice(at, at + 120));
      return isLink ? sign : '@<!-- -->';
    });
  });
}

/** A line for a commit message or a title that closes no issue and notifies nobody. */
export function harmlessLine(text: string): string {
  const line = text.toWellFormed().replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return withoutClosing(line).replace(mention, `@${joiner}`).trim();
}

function withoutClosing(text: string): string {
  return text.replace(closing, (word) => (word[0] === word[0]?.toUpperCase() ? 'Refs' : 'refs'));
}
