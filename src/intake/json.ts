/**
 * Reads a payload's JSON without losing digits: integers beyond 2^53, which a number cannot hold, come as text. Hosts' ids
 * may grow as far; what they mean is left to the schemas.
 */

/** Whether there may be such a number: most payloads have none, and this costs 1 ns a character. */
const mayHold = /[:[,]\s*-?\d{16,}\s*[,}\]]/;
const longInteger = /(?<![\d.eE+-])\d{16,}(?![\d.eE])/g;

/**
 * The value of a JSON text.
 * @throws SyntaxError when it is none
 */
export function parseJson(text: string): unknown {
  return JSON.parse(mayHold.test(text) ? withQuotedIntegers(text) : text);
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

/** The offset behind the closing quote of the string that opens at `open`. */
function endOfString(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let slashes = 0;
    while (text[close - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return close + 1;
  }
  return text.length;
}
