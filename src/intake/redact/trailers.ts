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
  for (const line of text.matchAll(trailerLine)) {
    const rest = line[1] as string;
    const from = line.index + line[0].length - rest.length;
    for (const [start, end] of addressesOf(rest)) spans.push({ start: from + start, end: from + end, word: '[email]' });
  }
  return spans;
}

function addressesOf(line: string): [number, number][] {
  const found: [number, number][] = [];
  for (const match of line.matchAll(bracketed)) {
    const inside = match[1] as string;
    if (/[^\s]@|＠|%40|[ [({]at[ \])}]/i.test(inside) && !/^https?:\/\//i.test(inside)) {
      found.push([match.index + 1, match.index + 1 + inside.length]);
    }
  }
  if (found.length > 0) return found;
  for (const match of line.matchAll(bareAddress)) found.push([match.index, match.index + match[0].length]);
  return found;
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
