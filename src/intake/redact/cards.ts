/**
 * Payment card numbers: 13 to 19 digits, in one run or in groups, with an issuer's beginning and a right Luhn digit.
 * Every window of whole groups is tried, so that an expiry date behind the number does not hide it.
 */

import { digits, isIn, runEnd, type Span, wordChars } from './scan.ts';

interface Group {
  start: number;
  end: number;
}

const separators = ' -.\u00a0\u2011';
const thirteen = /\d(?:[ .\u00a0\u2011-]?\d){12}/g;
const issuer = /^(?:4|5[0-8]|2[2-7]|3[04-9]|6[0-9])/;
/** What a number is no card behind: anchors, money, paths, decimals, signs. */
const barred = '#$€£.@/+_-';

/** Card numbers, with single spaces, hyphens or dots between groups or without. */
export function findCards(text: string): Span[] {
  const spans: Span[] = [];
  thirteen.lastIndex = 0;
  for (let match = thirteen.exec(text); match; match = thirteen.exec(text)) {
    const groups = digitGroups(text, match.index);
    addCards(text, groups, spans);
    thirteen.lastIndex = groups.at(-1)?.end ?? thirteen.lastIndex;
  }
  return spans;
}

/** The groups of digits from `at` on that are parted by a single separator. */
function digitGroups(text: string, at: number): Group[] {
  const groups: Group[] = [];
  let start = at;
  while (isIn(digits, text, start)) {
    const end = runEnd(digits, text, start);
    groups.push({ start, end });
    if (!separators.includes(text[end] ?? '\n')) break;
    start = end + 1;
  }
  return groups;
}

function addCards(text: string, groups: Group[], spans: Span[]): void {
  let first = 0;
  while (first < groups.length) {
    const last = lastGroup(text, groups, first);
    if (last >= 0) {
      spans.push({ start: (groups[first] as Group).start, end: (groups[last] as Group).end, word: '[card]' });
      first = last;
    }
    first += 1;
  }
}

/** The group with which a card ends that begins with group `first`, or -1; at most seven groups are looked at. */
function lastGroup(text: string, groups: Group[], first: number): number {
  const head = groups[first] as Group;
  if (!startsCard(text, head, first > 0)) return -1;
  let number = '';
  let found = -1;
  for (let i = first; i < Math.min(groups.length, first + 7); i += 1) {
    const group = groups[i] as Group;
    const size = group.end - group.start;
    // Groups begin with four digits and stay short; a decimal fraction is no second group.
    if (number.length + size > 19 || (i > first && (head.end - head.start !== 4 || size > 7))) break;
    number += text.slice(group.start, group.end);
    if (number.length >= 13 && size >= 2 && endsCard(text, group.end) && isCard(number)) found = i;
    if (size < 3) break;
  }
  return found;
}

function startsCard(text: string, { start, end }: Group, inside: boolean): boolean {
  if (end - start > 19 || end - start < 4) return false;
  const before = text[start - 1] ?? ' ';
  if (inside) return before === ' ' || before === '\u00a0';
  return !barred.includes(before) && !isIn(wordChars, text, start - 1);
}

function endsCard(text: string, end: number): boolean {
  return !isIn(wordChars, text, end) && !(text[end] === '-' && isIn(wordChars, text, end + 1));
}

function isCard(number: string): boolean {
  if (!issuer.test(number)) return false;
  let sum = 0;
  for (let i = 0; i < number.length; i += 1) {
    const digit = number.charCodeAt(number.length - 1 - i) - 48;
    const doubled = i % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
