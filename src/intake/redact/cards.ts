/**
 * Finds payment card numbers: 13 to 19 digits, in one run or in groups, that begin like the numbers of a card issuer
 * and pass Luhn's check. Every sequence of whole groups is tried, so that an expiry date after the number does not hide
 * the number.
 */

import { digits, isIn, runEnd, type Span, wordChars } from './scan.ts';

const separators = ' -.\u00a0\u2007\u2009\u2010\u2011\u2012\u2013\u202f';
const thirteen = /\d(?:[ .\u00a0\u2007\u2009\u2010-\u2013\u202f-]?\d){12}/g;
const issuer = /^(?:4|5[0-8]|2[2-7]|3[04-9]|6[0-9])/;
/**
 * A card number does not begin directly after one of these characters. They precede other numbers: anchors, amounts of
 * money, paths, decimals and signed numbers.
 */
const barred = '#$€£.@/+_-';

/** Maximum digits of a card number. */
const maxDigits = 19;

/** Finds card numbers in one run, or in groups with single spaces, hyphens or dots between them. */
export function findCards(text: string): Span[] {
  const spans: Span[] = [];
  thirteen.lastIndex = 0;
  for (let match = thirteen.exec(text); match; match = thirteen.exec(text)) {
    const edges = digitGroups(text, match.index);
    addCards(text, edges, spans);
    thirteen.lastIndex = edges.at(-1) as number;
  }
  return spans;
}

/** Returns the start and end of each group of digits from `at` on. Single separators lie between the groups. */
function digitGroups(text: string, at: number): number[] {
  const edges: number[] = [];
  for (let start = at; isIn(digits, text, start); ) {
    const end = runEnd(digits, text, start);
    edges.push(start, end);
    if (!separators.includes(text[end] ?? '\n')) break;
    start = end + 1;
  }
  return edges;
}

/** Tries each group as the beginning of a card number. */
function addCards(text: string, edges: readonly number[], spans: Span[]): void {
  for (let first = 0; first < edges.length; first += 2) {
    const last = lastGroup(text, edges, first);
    if (last < 0) continue;
    spans.push({ start: edges[first] as number, end: edges[last + 1] as number, word: '[card]' });
    first = last;
  }
}

/**
 * Digits of the current number. All calls share one buffer, since a hostile comment has ten thousand places where a
 * number may begin.
 */
const number = new Uint8Array(maxDigits);

/**
 * Looks for a card number that begins with the group at index `first` in `edges`. Returns the index in `edges` of the
 * card number's last group; -1 if no card number begins there. At most seven groups are tried.
 */
function lastGroup(text: string, edges: readonly number[], first: number): number {
  const headSize = (edges[first + 1] as number) - (edges[first] as number);
  if (headSize < 4 || headSize > maxDigits || !startsCard(text, edges[first] as number, first > 0)) return -1;
  let found = -1;
  for (let i = first, length = 0; i < Math.min(edges.length, first + 14); i += 2) {
    const [start, end] = [edges[i] as number, edges[i + 1] as number];
    // If a number has several groups, the first group has four digits. Each further group has at most seven digits. A
    // longer group is a decimal fraction.
    if (length + end - start > maxDigits || (i > first && (headSize !== 4 || end - start > 7))) break;
    for (let at = start; at < end; at += 1) number[length++] = text.charCodeAt(at) - 48;
    if (length >= 13 && end - start >= 2 && endsCard(text, end) && isLuhn(length)) found = i;
    if (end - start < 3) break;
  }
  return found;
}

function startsCard(text: string, start: number, inside: boolean): boolean {
  if (!issuer.test(text.slice(start, start + 2))) return false;
  const before = text[start - 1] ?? ' ';
  if (inside) return before === ' ' || before === '\u00a0';
  return !barred.includes(before) && !isIn(wordChars, text, start - 1);
}

function endsCard(text: string, end: number): boolean {
  return !isIn(wordChars, text, end) && !(text[end] === '-' && isIn(wordChars, text, end + 1));
}

/** Whether the first `length` digits of `number` pass Luhn's check. The check reads the digits from right to left. */
function isLuhn(length: number): boolean {
  let sum = 0;
  for (let i = 1; i <= length; i += 1) {
    const digit = number[length - i] as number;
    const doubled = i % 2 === 0 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
