/**
 * Finds phone numbers with a country code. A pattern with bounded repeats proposes a few short candidates. The phone
 * library is slow on long and hostile texts (309 ms for 64 KiB), so it only decides whether a candidate can be dialed.
 */

import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { type Span, searchAt } from './scan.ts';

/** Maximum number of library calls per text. A call takes 50 µs. Further candidates are redacted without a check. */
const maxQuestions = 32;
/** Maximum digits of a number in the international numbering plan. */
const maxDigits = 15;
/** Maximum length of a text that is passed to the library. */
const longestCandidate = 40;

/** Characters between the digits of a number: spaces, dots, slashes, brackets and the kinds of hyphen. */
export const phoneGap = ' \\t.()/\\u00a0\\u2007\\u2009\\u2010-\\u2015\\u202f-';
/**
 * Matches a place where a number may begin. A number cannot begin directly after a Latin letter, a digit or `_`. It can
 * begin after a `\n` that is written as two characters.
 */
export const phoneStart = '(?:(?<![A-Za-z0-9_])|(?<=\\\\[nrt]))';
/** Prevents a match at a date, such as `2024-05-31` or `31.05.2024`. */
export const noDate =
  '(?!(?:19|20)\\d\\d[-/.]\\d\\d?[-/.]\\d\\d?(?!\\d)|\\d\\d?[-/.]\\d\\d?[-/.](?:19|20)\\d\\d(?!\\d))';

// A text of `00` and further digits without separators is more likely a short commit sha than a phone number. So a
// number that begins with `00` needs a separator.
const candidatePattern = new RegExp(
  `${phoneStart}(?:[+＋][ (-]{0,2}|00(?=[ (-]{0,2}\\d{1,4}[${phoneGap}])[ (-]{0,2})${noDate}` +
    `[1-9](?:[${phoneGap}]{0,3}\\d){6,24}(?![A-Fa-f]?\\d)`,
  'y',
);
/** Each candidate begins with one of these texts. */
const beginnings = ['+', '＋', '00'];

/** Finds numbers that begin with `+` or `00` and a country code. */
export function findInternationalPhones(text: string): Span[] {
  const spans: Span[] = [];
  let questions = maxQuestions;
  searchAt(text, beginnings, (at) => {
    candidatePattern.lastIndex = at;
    const [match] = candidatePattern.exec(text) ?? [];
    if (match === undefined) return at;
    let candidate = shorten(match);
    while (candidate !== '' && questions > 0) {
      questions -= 1;
      if (isDialable(candidate)) break;
      candidate = shorten(withoutLastGroup(candidate));
    }
    const end = at + candidate.length;
    if (candidate !== '') spans.push({ start: at, end, word: '[phone]' });
    return Math.max(end, at + 8);
  });
  return spans;
}

/**
 * Cuts a candidate after the last group of digits that fits into a number. Returns an empty text when too few digits
 * remain.
 */
function shorten(candidate: string): string {
  let [end, count, digits] = [0, 0, 0];
  for (let at = 0; at < Math.min(candidate.length, longestCandidate); at += 1) {
    if (!isDigit(candidate, at)) continue;
    digits += 1;
    if (digits > maxDigits) break;
    if (!isDigit(candidate, at + 1)) [end, count] = [at + 1, digits];
  }
  return count < 7 ? '' : candidate.slice(0, end);
}

function withoutLastGroup(candidate: string): string {
  return candidate.replace(/\D{0,8}\d{1,40}$/, '');
}

/** Counts the digits in a text. */
export function countDigits(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i += 1) if (isDigit(text, i)) count += 1;
  return count;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/**
 * Whether a candidate is a possible number. The number need not be valid. Two kinds of numbers are invalid for the
 * library, but must be found: numbers for examples, and numbers that are newer than the library's tables.
 */
function isDialable(candidate: string): boolean {
  const number = candidate.replace(/^00/, '+').replace('＋', '+');
  return parsePhoneNumberFromString(number)?.isPossible() ?? false;
}
