/**
 * Finds phone numbers in national notation. No library can recognize such numbers without knowing the country. So each
 * form here requires the usual separators between the digits, or a term such as "phone" before the number.
 */

import { countDigits, noDate, phoneGap, phoneStart } from './phones.ts';
import type { Span } from './scan.ts';

const gap = `[${phoneGap}]`;
const one = '[ .\\u00a0\\u2010-\\u2015\\u202f/-]';
const wide = `(?:${one}|[ ][/\\u2010-\\u2015-][ ])`;
/**
 * A number must not begin within a longer code, path or decimal. It must not begin after a currency sign or after the
 * `#` of an anchor either.
 */
const open = `${phoneStart}(?<![+#$€£@/]|\\w[.-]|\\d,)`;
const close = '(?:[ ]?(?:x|ext\\.?)[ ]?\\d{1,6})?(?!\\w|[-./][A-Za-z0-9])';

/**
 * Patterns for the digits after an area code in brackets: two to four groups of two to five digits, with or without
 * separators. Groups without a separator form an unbroken run of digits. `run1` matches a run of 2 to 5 digits (one
 * group), `run2` matches a run of 6 to 10 digits (two groups), and so on. A pattern for single groups would be slow,
 * because an unbroken run can be divided into groups in hundreds of ways.
 */
const [run1, run2, run3, run4] = ['2,5', '6,10', '11,15', '16,20'].map((size) => `\\d{${size}}(?!\\d)`);
const next1 = `${one}${run1}`;
const next2 = `${one}${run2}`;
const groups =
  `(?:${run1}(?:${next1}(?:${next2}|(?:${next1}){0,2})|${next2}(?:${next1})?|${one}${run3})|` +
  `${run2}(?:${next2}|(?:${next1}){0,2})|${run3}(?:${next1})?|${run4}|\\d{4,5}(?!\\d))`;

/**
 * Forms that need no introduction such as "phone" before the number. Repeats in these forms are bounded, and no
 * separator matches a digit. So the combined pattern reads each character only once.
 */
const forms = [
  `(?:1${one})?[2-9]\\d\\d${one}[2-9]\\d\\d${one}\\d{4}`,
  `(?:[18]${one}?)?\\([0-9]\\d{1,4}\\)${one}{0,2}${groups}`,
  `(?<![0-9a-f]{2}[ ])0[1-9](?:${one}\\d\\d){4}(?![ ]\\d\\d\\b)`,
  `(?!\\d{5}-\\d{4}\\b)0[1-9](?:\\d{1,4}${wide}|${wide}\\d)\\d{2,9}(?:${one}\\d{2,9}){0,4}`,
  `1[3-9]\\d${one}\\d{4}${one}\\d{4}`,
  `8${one}\\d{3}${one}\\d{3}${one}\\d\\d${one}\\d\\d`,
  `[6-9]\\d\\d(?:${one}\\d\\d){3}`,
  `\\d\\d${one}9\\d{4}-\\d{4}`,
  `555-01\\d\\d`,
];
const separated = new RegExp(`(?=[(\\d])${open}${noDate}(?:${forms.join('|')})${close}`, 'g');

const words = 'wa\\.me/|phone|telephone|telefon|tel|mobile|mob|cell|whatsapp|fax|handy|hotline|sms';
/** Verbs that are also common in code. A number after such a verb needs at least nine digits. */
const verbs = '(?:call|dial|reach|text|ring)(?=\\D{1,24}(?:\\d\\D{0,2}){9})';
const announced = new RegExp(
  `(?<!\\w)(?:${words}|${verbs})(?:[ ](?:number|no|nr))?(?:(?<=/)|[ \\t:.=#"'\`*(]{1,6})(?:(?:me|us|is|at|on|under):?[ ]){0,2}` +
    `${noDate}([+(]{0,2}\\d(?:${gap}{0,2}\\d){6,14})(?!\\w)`,
  'gi',
);

/** Finds numbers in a national form, recognized by their separators. */
export function findSeparatedPhones(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(separated)) {
    const count = countDigits(match[0]);
    if (count < 9 && !match[0].startsWith('555')) continue;
    spans.push({ start: match.index, end: match.index + match[0].length, word: '[phone]' });
  }
  return spans;
}

/**
 * Finds phone numbers after an announcing word such as `phone` or `tel`. The numbers can have any form. Numbers in
 * `tel:` links are found too.
 */
export function findAnnouncedPhones(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(announced)) {
    const end = match.index + match[0].length;
    spans.push({ start: end - (match[1] as string).length, end, word: '[phone]' });
  }
  return spans;
}
