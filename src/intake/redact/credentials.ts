/**
 * Finds credentials by their position: in the user part of a URL, and after `Authorization:` or `Bearer`.
 */

import { charClass, runEnd, type Span } from './scan.ts';

const userInfoChars = charClass(/[^\s/?#"'`<>\\()]/, true);
const headerValueChars = charClass(/[A-Za-z0-9._~+/=:-]/);

/** Matches names that documentation uses in place of a value: `YOUR_API_KEY`, `my-token`. */
const blank = /^(?:(?:your|my|access|api|auth)[-_]?){0,2}(?:tokens?|keys?)(?:[-_]?here)?$/i;

/** Matches the beginning of a variable, or of a placeholder that the reader fills in. Such a text is not secret. */
const variable = /^(?:\$|%[A-Z]|\{|\*|\[)/;

/**
 * Finds `user:password` before the host of a URL. A user name without a password stays, unless it looks like a token.
 */
export function findUrlCredentials(text: string): Span[] {
  const spans: Span[] = [];
  for (let mark = text.indexOf('://'); mark >= 0; ) {
    const start = mark + 3;
    const end = runEnd(userInfoChars, text, start);
    const authority = text.slice(start, end);
    const sign = authority.lastIndexOf('@');
    if (sign > 0 && isCredential(authority.slice(0, sign))) {
      spans.push({ start, end: start + sign, word: '[secret]' });
    }
    mark = text.indexOf('://', end);
  }
  return spans;
}

function isCredential(userInfo: string): boolean {
  const colon = userInfo.indexOf(':');
  if (colon < 0) return userInfo.length >= 20 && /\d/.test(userInfo) && !variable.test(userInfo);
  const password = userInfo.slice(colon + 1);
  return password !== '' && !variable.test(password) && userInfo !== '[secret]';
}

const header = new RegExp(
  '(?:authorization["\'`]?[ \\t]{0,2}[:=][ \\t]{0,2}["\'`]?(?:(bearer|basic|token|negotiate|apikey)[ \\t]{1,2})?' +
    '|(?<![A-Za-z0-9_-])(bearer|basic)[ \\t]{1,2})["\'`]?',
  'gi',
);

/** Finds values of authorization headers, and values after `Bearer` or `Basic` without a header's name. */
export function findAuthorizations(text: string): Span[] {
  const spans: Span[] = [];
  header.lastIndex = 0;
  for (let match = header.exec(text); match; match = header.exec(text)) {
    const start = header.lastIndex;
    const end = trimmedEnd(text, start, runEnd(headerValueChars, text, start));
    const value = text.slice(start, Math.min(end, start + 256));
    if (!(match[1] ? isExpectedValue(value) : isLoneValue(value, match[2]?.toLowerCase() === 'basic'))) continue;
    spans.push({ start, end, word: '[secret]' });
    header.lastIndex = end;
  }
  return spans;
}

function trimmedEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && '.:'.includes(text[last - 1] as string)) last -= 1;
  return last;
}

/** Whether the text after a header's name and scheme is a value. Every text is a value, except a placeholder. */
function isExpectedValue(value: string): boolean {
  return value.length >= 6 && !blank.test(value) && !isPlaceholderName(value);
}

/**
 * Checks a text that follows a lone `Bearer`, a lone `Basic`, or a header's name without a scheme. Returns whether the
 * text is a value. In such a place an ordinary word is as likely as a value. So the text must look like a secret.
 */
function isLoneValue(value: string, basic: boolean): boolean {
  if (basic) return isBasicCredential(value);
  if (value.length < 8 || isPlaceholderName(value)) return false;
  if (/^[A-Z]?[a-z]*(?:[-/.][A-Z]?[a-z]*)*$/.test(value)) return false;
  return /\d/.test(value) || value.endsWith('=') || value.length >= 12;
}

function isPlaceholderName(value: string): boolean {
  return value.length < 24 && /^[A-Z]+(?:_[A-Z]+)*$/.test(value);
}

function isBasicCredential(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{6,256}={0,2}$/.test(value)) return false;
  return /^[ -~]{0,128}:[ -~]{0,128}$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
