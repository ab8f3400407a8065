/**
 * Breaks long texts into parts of bounded length without breaking what must stay whole: links, code, escapes. Control characters
 * that no text has any more stand for what is whole while it is being written.
 */

/** A blank and a line end inside something whole, and a place where breaking costs no blank. */
export const hardBlank = '\u0001';
export const hardLine = '\u0002';
export const mayBreak = '\u0003';

/** The text with its signs turned to what they stand for. */
export function settled(text: string): string {
  return text.replaceAll(hardBlank, ' ').replaceAll(hardLine, '\n').replaceAll(mayBreak, '');
}

/** The text, or its beginning with a sign that it goes on: at most `longest` UTF-16 units, no character cut in two. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, longest - 1);
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`;
}

/** Parts of at most `longest` UTF-16 units, which is never less than characters; broken at lines, then blanks, then anywhere. */
export function splitText(text: string, longest: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > longest) {
    const at = breakBefore(rest, longest);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest].filter((part) => settled(part).trim() !== '');
}

function breakBefore(text: string, longest: number): number {
  const head = text.slice(0, longest);
  const half = longest / 2;
  for (const sign of ['\n', ' ', mayBreak]) {
    const at = head.lastIndexOf(sign);
    if (at > half) return at;
  }
  const any = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '), head.lastIndexOf(mayBreak));
  return any > 0 ? any : withinWord(head);
}

/** A place in a word without blanks: not within a pair of surrogates nor within an escape. */
function withinWord(head: string): number {
  const end = /&[a-z]{0,4}$/.exec(head)?.index ?? head.length;
  const at = /[\uD800-\uDBFF]$/.test(head.slice(0, end)) ? end - 1 : end;
  return Math.max(at, 1);
}
