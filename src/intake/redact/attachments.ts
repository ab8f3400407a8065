/**
 * Finds links to files that were uploaded to the host with a comment. The host's name does not matter, since each
 * installation serves such files under its own name.
 */

import { type CharClass, charClass, runEnd, runStart, type Span } from './scan.ts';

const linkChars: CharClass = charClass(/[^\s"'`<>\\()[\]]/, true);
const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

const mark = new RegExp(
  `/user-attachments/(?:assets|files)/|(?:user-images|repository-images|cloud)\\.githubusercontent\\.com/|/attachments/${uuid}|` +
    `/assets/\\d{1,12}/${uuid}|/files/\\d{5,12}/[\\w%.-]|/uploads/[0-9a-f]{32}/`,
  'gi',
);

/**
 * Finds uploaded images and files. The text of a Markdown link or image is removed too, because it is often the file's
 * name.
 */
export function findAttachments(text: string): Span[] {
  const spans: Span[] = [];
  let floor = 0;
  mark.lastIndex = 0;
  for (let match = mark.exec(text); match; match = mark.exec(text)) {
    const start = runStart(linkChars, text, match.index, floor);
    const end = runEnd(linkChars, text, mark.lastIndex);
    const span = wholeLink(text, start, end, floor);
    spans.push({ ...span, word: '[attachment]' });
    floor = span.end;
    mark.lastIndex = floor;
  }
  return spans;
}

/**
 * Returns the span of the whole link `[text](url)` or image `![text](url)` around the address, or the span of the
 * address alone. The text in brackets has at most 200 characters.
 */
function wholeLink(text: string, start: number, end: number, floor: number): { start: number; end: number } {
  if (text[start - 1] !== '(' || text[start - 2] !== ']') return { start, end };
  const open = Math.max(floor, start - 202);
  const bracket = text.slice(open, start - 2).lastIndexOf('[');
  const close = /^(?:[ \t]"[^"\n]{0,200}")?\)/.exec(text.slice(end, end + 204));
  if (bracket < 0 || !close) return { start, end };
  const from = open + bracket;
  return { start: text[from - 1] === '!' && from > floor ? from - 1 : from, end: end + close[0].length };
}

const embedded = /data:[a-z]{1,16}\/[\w.+-]{1,64}(?:;[\w=-]{1,40}){0,2};base64,/gi;
const base64Chars = charClass(/[A-Za-z0-9+/=%]/);

/** Finds files embedded in the text itself, as `data:` addresses. Such files are removed from every kind of text. */
export function findEmbeddedFiles(text: string): Span[] {
  const spans: Span[] = [];
  embedded.lastIndex = 0;
  for (let match = embedded.exec(text); match; match = embedded.exec(text)) {
    const end = runEnd(base64Chars, text, embedded.lastIndex);
    if (end - embedded.lastIndex >= 16) spans.push({ start: match.index, end, word: '[attachment]' });
    embedded.lastIndex = end;
  }
  return spans;
}
