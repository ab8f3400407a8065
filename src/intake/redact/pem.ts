/**
 * Private keys in PEM armour, quoted, indented or written in one line with `\n`. Certificates and public keys stand.
 */

import { charClass, runEnd, type Span } from './scan.ts';

const base64Chars = charClass(/[A-Za-z0-9+/=]/);
const begin =
  /(?:PuTTY-User-Key-File-\d: [\w-]{1,40}\s(?:[A-Z][A-Za-z-]{2,20}: [^\r\n]{0,128}\s{1,2}){1,8}?Private-Lines: \d{1,4}\s)|-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
const end = /-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;

/** The longest armour taken as one key, in characters: 16,384-bit keys stay below 14,000. */
const longestKey = 16_384;

/** A line, or what follows on the same line, that belongs to a key without an end: base64 or a header. */
const keyLine =
  /[ \t>*|+]{0,16}(?:[A-Za-z0-9+/=\\"',]{1,16384}|[A-Z][A-Za-z-]{2,20}: [^\r\n]{1,128})?[ \t]{0,4}(?:\r?\n|$)/y;

/** Private key blocks; one cut off before its end goes as far as its lines look like a key. */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let close = { start: -1, end: -1 };
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const from = begin.lastIndex;
    // The next end is looked for only once it is passed: a thousand beginnings share one search.
    if (close.start < from) close = findEnd(text, from);
    const whole = close.start - from <= longestKey && close.start < text.length;
    begin.lastIndex = whole ? close.end : endOfKeyLines(text, from);
    spans.push({ start: match.index, end: begin.lastIndex, word: '[secret]' });
  }
  return spans;
}

function findEnd(text: string, from: number): { start: number; end: number } {
  end.lastIndex = from;
  const match = end.exec(text);
  return match ? { start: match.index, end: end.lastIndex } : { start: text.length, end: text.length };
}

function endOfKeyLines(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    keyLine.lastIndex = at;
    if (!keyLine.test(text)) break;
    at = keyLine.lastIndex;
  }
  // A piece of key with prose behind it on its line.
  const pieceEnd = runEnd(base64Chars, text, at);
  let last = pieceEnd - at >= 24 ? pieceEnd : at;
  while (last > from && ' \t\r\n'.includes(text[last - 1] as string)) last -= 1;
  return last;
}
