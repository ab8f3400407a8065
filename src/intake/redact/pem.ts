/**
 * Finds private keys in PEM format. The keys may be quoted, indented, or in one line with `\n`. Certificates and public
 * keys are not redacted.
 */

import { charClass, runEnd, type Span } from './scan.ts';

const base64Chars = charClass(/[A-Za-z0-9+/=]/);
const begin =
  /(?:PuTTY-User-Key-File-\d: [\w-]{1,40}\s(?:[A-Z][A-Za-z-]{2,20}: [^\r\n]{0,128}\s{1,2}){1,8}?Private-Lines: \d{1,4}\s)|-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;
/** Each match of `begin` contains one of these words. */
export const keyWords = ['PRIVATE KEY', 'Private-Lines'];
const end = /-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;

/** Maximum length of one PEM block, in characters. Keys of 16,384 bits stay below 14,000 characters. */
const maxKeyLength = 16_384;

/** Matches base64 text or a header, up to the end of the line. Such lines belong to a key that has no end mark. */
const keyLine =
  /[ \t>*|+]{0,16}(?:[A-Za-z0-9+/=\\"',]{1,16384}|[A-Z][A-Za-z-]{2,20}: [^\r\n]{1,128})?[ \t]{0,4}(?:\r?\n|$)/y;

/**
 * Finds blocks of private keys. A block without an end mark extends over all following lines that look like a part of a
 * key.
 */
export function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let close = { start: -1, end: -1 };
  begin.lastIndex = 0;
  for (let match = begin.exec(text); match; match = begin.exec(text)) {
    const from = begin.lastIndex;
    // A search for an end mark starts only if the last end mark that was found is before `from`. So a thousand begin
    // marks can share one search for an end mark.
    if (close.start < from) close = findEnd(text, from);
    const whole = close.start - from <= maxKeyLength && close.start < text.length;
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
  // A piece of a key that is followed by prose on the same line belongs to the key too.
  const pieceEnd = runEnd(base64Chars, text, at);
  let last = pieceEnd - at >= 24 ? pieceEnd : at;
  while (last > from && ' \t\r\n'.includes(text[last - 1] as string)) last -= 1;
  return last;
}
