/**
 * Phone numbers with a country's code. A scanner with bounded repeats proposes few, short candidates; the phone
 * library, slow on long and hostile texts (309 ms for 64 KiB), only says whether one can be dialled.
 */

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Span } from './scan.ts';

/** Questions to the library per text, 50 µs each; what is proposed beyond them is removed unasked. */
const mostQuestions = 32;
/** The international numbering plan's limit. */
const mostDigits = 15;
/** The longest text the library is shown. */
const longestCandidate = 40;

/** What stands between the digits of a number: spaces, dots, slashes, brackets and the kinds of hyphen. */
export const phoneGap = ' \\t.()/\\u00a0\\u2007\\u2009\\u2010-\\u2015\\u202f-';
/** Where a number may begin: behind no Latin letter or digit, or behind a `\n` written as two characters. */
export const phoneStart = '(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrt]))';
/** A date in front is none of a number's digits. */
export const noDate =
  '(?!(?:19|20)\\d\\d[-/.]\\d\\d?[-/.]\\d\\d?(?!\\d)|\\d\\d?[-/.]\\d\\d?[-/.](?:19|20)\\d\\d(?!\\d))';

// Digits alone behind `00` are rather a short commit sha, so that there a separator must follow within the number.
const candidatePattern = new RegExp(
  `(?=[+＋0])${phoneStart}(?:[+＋][ (-]{0,2}|00(?=[ (-]{0,2}\\d{1,4}[${phoneGap}])[ (-]{0,2})${noDate}` +
    `[1-9](?:[${phoneGap}]{0,3}\\d){6,24}(?![A-Fa-f]?\\d)`,
  'g',
);

/** Numbers that begin with `+` or `00` and a country's code. */
export function findInternationalPhones(text: string): Span[] {
  const spans: Span[] = [];
  let questions = mostQuestions;
  candidatePattern.lastIndex = 0;
  for (let match = candidatePattern.exec(text); match; match = candidatePattern.exec(text)) {
    let candidate = shorten(match[0]);
    while (candidate !== '' && questions > 0) {
      questions -= 1;
      if (isDialable(candidate)) break;
      candidate = shorten(withoutLastGroup(candidate));
    }
    const end = match.index + candidate.length;
    if (candidate !== '') spans.push({ start: match.index, end, word: '[phone]' });
    candidatePattern.lastIndex = Math.max(end, match.index + 8);
  }
  return spans;
}

/** The candidate up to the last group of digits that a number has room for; empty when less than a number is left. */
function shorten(candidate: string): string {
  let [end, count, digits] = [0, 0, 0];
  for (let at = 0; at < Math.min(candidate.length, longestCandidate); at += 1) {
    if (!isDigit(candidate, at)) continue;
    digits += 1;
    if (digits > mostDigits) break;
    if (!isDigit(candidate, at + 1)) [end, count] = [at + 1, digits];
  }
  return count < 7 ? '' : candidate.slice(0, end);
}

function withoutLastGroup(candidate: string): string {
  return candidate.replace(/\D{0,8}\d{1,40}$/, '');
}

/** How many digits a text has. */
export function countDigits(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) if (isDigit(text, i)) count += 1;
  return count;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Possible is enough: numbers reserved for examples, and those newer than the tables, are not valid. */
function isDialable(candidate: string): boolean {
  const number = candidate.replace(/^00/, '+').replace('＋', '+');
  return parsePhoneNumberFromString(number)?.isPossible() ?? false;
}
