/**
 * Cleans Markdown before it is laid out: removes control characters and comments, and puts tags of collapsible blocks
 * on lines of their own. Each step is one pass from left to right. Code blocks keep their text.
 */
import { visibleText } from '../../src/foundation/visible-text.ts';

/** Returns the cleaned lines to lay out. */
export function prepareLines(markdown: string): string[] {
  return splitDetails(dropComments(withoutControls(markdown)));
}

/** Puts each tag of a collapsible block on a line of its own. Code stays unchanged. */
function splitDetails(text: string): string[] {
  let fence: string | null = null;
  return text.split('\n').flatMap((line) => {
    const mark = /^ {0,12}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = nextFence(fence, mark);
    if (fence !== null || !line.includes('<')) return [line];
    const parts = line.split(/(<details(?:\s[^<>]{0,80})?>|<\/details>|<summary>[^<]{0,400}<\/summary>)/i);
    return parts.length === 1 ? [line] : parts.filter((part) => part.trim() !== '');
  });
}

/**
 * Removes HTML comments, which drafts use as markers for editing. Inside code, comments are text and stay. The text is
 * scanned once, from left to right.
 */
function dropComments(text: string): string {
  let result = '';
  let fence: string | null = null;
  let isComment = false;
  for (const line of text.split('\n')) {
    const mark = isComment ? undefined : /^ {0,12}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = nextFence(fence, mark);
    if (fence !== null || mark !== undefined) {
      result += `${line}\n`;
      continue;
    }
    const kept = withoutComments(line, isComment);
    isComment = kept.isComment;
    // A line that contained only a comment must not become a blank line, because that would end a list.
    if (kept.text.trim() !== '' || line.trim() === '') result += `${kept.text}\n`;
  }
  return result;
}

function withoutComments(line: string, startsInside: boolean): { text: string; isComment: boolean } {
  let text = '';
  let isComment = startsInside;
  let at = 0;
  while (at < line.length) {
    const mark = isComment ? '-->' : '<!--';
    const next = line.indexOf(mark, at);
    if (!isComment) text += line.slice(at, next === -1 ? line.length : next);
    if (next === -1) break;
    isComment = !isComment;
    at = next + mark.length;
  }
  return { text, isComment };
}

function nextFence(open: string | null, mark: string): string | null {
  if (open === null) return mark;
  return mark.startsWith(open) ? null : open;
}

/**
 * Removes all characters with which untrusted text could control the terminal: escapes, other control characters, and
 * characters that reverse the text direction.
 */
function withoutControls(text: string): string {
  const spaced = text.replace(/\r\n?/g, '\n').replaceAll('\t', '    ');
  return visibleText(spaced).replace(/(?!\n)\p{Cc}|[\u2028\u2029]/gu, '');
}
