/**
 * Breaks long texts into parts of limited length. Links, code and escapes must stay whole. Control characters mark the
 * places that must not be broken, until `settled` removes these characters. The texts themselves contain no control
 * characters.
 */

/**
 * Placeholders. `hardBlank` is a blank at which the text must not be broken. `hardLine` is a line end at which the text
 * must not be broken. `mayBreak` is a place where a text without blanks may be broken.
 */
export const hardBlank = '\u0001';
export const hardLine = '\u0002';
export const mayBreak = '\u0003';

/** Replaces each placeholder by the blank or line end that it represents, and removes the `mayBreak` characters. */
export function settled(text: string): string {
  return text.replaceAll(hardBlank, ' ').replaceAll(hardLine, '\n').replaceAll(mayBreak, '');
}

/**
 * Returns a text of at most `max` UTF-16 units. A longer text is cut, and an ellipsis is added. No character is cut in
 * two.
 */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`;
}

/**
 * Splits a text into parts of at most `max` UTF-16 units, and therefore of at most `max` characters. The text is broken
 * at line ends, else at blanks, else anywhere.
 */
export function splitText(text: string, max: number): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const at = breakBefore(rest, max);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest].filter((part) => settled(part).trim() !== '');
}

function breakBefore(text: string, max: number): number {
  const head = text.slice(0, max);
  const half = max / 2;
  for (const sign of ['\n', ' ', mayBreak]) {
    const at = head.lastIndexOf(sign);
    if (at > half) return at;
  }
  const any = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '), head.lastIndexOf(mayBreak));
  return any > 0 ? any : withinWord(head);
}

/** Returns the offset at which to split a text without blanks. A split never divides a surrogate pair or an escape. */
function withinWord(head: string): number {
  const end = /&[a-z]{0,4}$/.exec(head)?.index ?? head.length;
  const at = /[\uD800-\uDBFF]$/.test(head.slice(0, end)) ? end - 1 : end;
  return Math.max(at, 1);
}
