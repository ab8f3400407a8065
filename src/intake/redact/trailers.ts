/**
 * The people named at the end of a commit message: the handle of a co-author is read from a noreply address, and
 * the addresses of all such lines are removed, also those that are no address by their form.
 */

import type { Span } from './scan.ts';

const trailerLine = /^[ \t>*-]{0,8}(?:[A-Za-z]{1,20}-){1,4}by[ \t]{0,2}:([^\n]{0,512})/gim;
const bracketed = /<([^<>\n]{1,254})>/g;
const bareAddress = /(?<![^\s<(])[^\s<>@()]{1,128}@[^\s<>@()]{1,128}/g;

/** What stands in angle brackets, and words with an `@` inside, on lines such as `Signed-off-by:`. */
export function findTrailerAddresses(text: string): Span[] {
  const spans: Span[] = [];
  trailerLine.lastIndex = 0;
  for (let line = trailerLine.exec(text); line; line = trailerLine.exec(text)) {
    const rest = line[1] as string;
    addAddresses(rest, trailerLine.lastIndex - rest.length, spans);
  }
  return spans;
}

/** Adds the addresses of the line that begins at `from`: those in brackets, else the bare ones. */
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

/** Most handles taken from one message. */
const mostCoAuthors = 32;

const coAuthorLine = /^[ \t>*-]{0,8}co-authored-by[ \t]{0,2}:([^\n]{0,512})/gim;
const noreply = /(?<![\w.+-])(?:\d{1,20}\+)?([A-Za-z0-9][\w.-]{0,99}(?:\[bot\])?)@(?:users\.)?noreply\.[A-Za-z0-9]/i;

/**
 * Handles of the co-authors of a message as it came, before redaction; each once whatever its case, bots as named.
 * Only the hosts' noreply addresses hold a handle; of other addresses nothing is kept.
 */
export function coAuthors(message: string): string[] {
  const handles = new Map<string, string>();
  for (const line of message.matchAll(coAuthorLine)) {
    const handle = noreply.exec(line[1] as string)?.[1];
    if (handle === undefined) continue;
    if (!handles.has(handle.toLowerCase())) handles.set(handle.toLowerCase(), handle);
    if (handles.size === mostCoAuthors) break;
  }
  return [...handles.values()];
}
