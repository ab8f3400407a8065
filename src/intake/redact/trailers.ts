/**
 * Reads trailers: lines in a commit message that name people, such as `Signed-off-by:`. Takes the handles of co-authors
 * from their noreply addresses. Finds all addresses on these lines, even malformed ones, so that they are removed.
 */

import type { Span } from './scan.ts';

const trailerLine = /^[ \t>*-]{0,8}(?:[A-Za-z]{1,20}-){1,4}by[ \t]{0,2}:([^\n]{0,512})/gim;
const bracketed = /<([^<>\n]{1,254})>/g;
const bareAddress = /(?<![^\s<(])[^\s<>@()]{1,128}@[^\s<>@()]{1,128}/g;

/**
 * Finds the addresses on lines such as `Signed-off-by:`. On such a line, each text in angle brackets that looks like an
 * address is found. If the line has no such text, each word with an `@` is found.
 */
export function findTrailerAddresses(text: string): Span[] {
  const spans: Span[] = [];
  trailerLine.lastIndex = 0;
  for (let line = trailerLine.exec(text); line; line = trailerLine.exec(text)) {
    const rest = line[1] as string;
    addAddresses(rest, trailerLine.lastIndex - rest.length, spans);
  }
  return spans;
}

/**
 * Adds the addresses of a line that begins at `from`: the addresses in angle brackets, or the bare addresses if the
 * line has no address in angle brackets.
 */
function addAddresses(line: string, from: number, spans: Span[]): void {
  const count = spans.length;
  if (line.includes('<')) addMatches(bracketed, line, from + 1, spans);
  if (spans.length === count && line.includes('@')) addMatches(bareAddress, line, from, spans);
}

function addMatches(pattern: RegExp, line: string, from: number, spans: Span[]): void {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(line); match; match = pattern.exec(line)) {
    const address = match[1] ?? match[0];
    if (pattern === bracketed && !isBracketedAddress(address)) continue;
    const start = from + match.index;
    spans.push({ start, end: start + address.length, word: '[email]' });
  }
}

function isBracketedAddress(inside: string): boolean {
  return /[^\s]@|＠|%40|[ [({]at[ \])}]/i.test(inside) && !/^https?:\/\//i.test(inside);
}

/** Maximum number of handles taken from one message. */
const maxCoAuthors = 32;

const coAuthorLine = /^[ \t>*-]{0,8}co-authored-by[ \t]{0,2}:([^\n]{0,512})/gim;
const noreply = /(?<![\w.+-])(?:\d{1,20}\+)?([A-Za-z0-9][\w.-]{0,99}(?:\[bot\])?)@(?:users\.)?noreply\.[A-Za-z0-9]/i;

/**
 * Returns the handles of the co-authors of a message, without duplicates. The case of letters is ignored. `message` is
 * the text before its redaction. The names of bots keep their `[bot]`. Only the noreply addresses of hosts contain a
 * handle. Other addresses are ignored.
 */
export function coAuthors(message: string): string[] {
  const handles = new Map<string, string>();
  for (const line of message.matchAll(coAuthorLine)) {
    const handle = noreply.exec(line[1] as string)?.[1];
    if (handle === undefined) continue;
    if (!handles.has(handle.toLowerCase())) handles.set(handle.toLowerCase(), handle);
    if (handles.size === maxCoAuthors) break;
  }
  return [...handles.values()];
}
