/**
 * Finds secrets by their form: tokens with a known prefix, JSON Web Tokens, and forty hexadecimal digits after the word
 * "token". Forty digits without that word are a commit sha and stay.
 */

import {
  alphanumeric,
  type CharClass,
  charClass,
  isIn,
  type RunPattern,
  runEnd,
  runStart,
  type Span,
  searchRuns,
} from './scan.ts';
import { withWords, wordsIn } from './words.ts';

const tokenChars = charClass(/[\w-]/);
const base64Chars = charClass(/[\w+/=-]/);
const slashedChars = charClass(/[\w/-]/);
const jwtChars = charClass(/[\w.-]/);

/** Patterns that identify a token. Each pattern consists of a prefix and the minimum number of characters after it. */
const strongHeads = [
  'gh[oprsu]_[A-Za-z0-9]{16}',
  'github_pat_\\w{16}',
  'rn_(?:live|test)_[A-Za-z0-9]{8}',
  '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
  '[sr]k_(?:live|test)_[A-Za-z0-9]{8}',
  'xox[abeoprs](?:\\.xox[bp])?-[A-Za-z0-9-]{10}',
  'xapp-\\d-[A-Z0-9]{6}',
  'AIza[\\w-]{30}',
  'ya29\\.[\\w-]{16}',
  'GOCSPX-[\\w-]{16}',
  'gl(?:agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-[\\w-]{16}',
  'dckr_pat_[\\w-]{16}',
  'do[oprt]_v1_[a-f0-9]{32}',
  'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24}',
  'SG\\.[\\w-]{16,32}\\.[\\w-]{16}',
  'AGE-SECRET-KEY-1[A-Z0-9]{16}',
  'hooks\\.slack\\.com/(?:services|workflows)/[A-Z]',
  'eyJrIjoi[\\w-]{40}',
  'discord(?:app)?\\.com/api/webhooks/\\d',
];

/**
 * Prefixes that ordinary names can have too. The text after such a prefix must contain a digit and an upper-case
 * letter, or consist of many hexadecimal digits.
 */
const weakHeads = [
  'sk-[\\w-]{20}',
  'whsec_[\\w+/=-]{16}',
  'npm_[A-Za-z0-9]{30}',
  'pypi-[\\w-]{16}',
  'hf_[A-Za-z0-9]{30}',
  'hv[bs]\\.[\\w-]{24}',
  'cio[A-Za-z0-9]{32}(?!\\w)',
];

const heads = new RegExp(
  // The pattern is tried at each character of every text. So a fast lookahead tests the first character.
  `(?=[ADGScdeghnprswxy])(?:(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))(?:(${strongHeads.join('|')})|(?:${weakHeads.join('|')}))` +
    // These prefixes identify a token even directly after a letter.
    '|gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\\w{36}|rn_(?:live|test)_[A-Za-z0-9]{36})',
  'g',
);

/** The required part of a token contains only characters of this class. The shortest one has 13 characters. */
const prefixed: RunPattern = { kind: charClass(/[\w.+/=-]/), min: 13, pattern: heads };
/** Matches a token with a prefix that is too short for `withWords`. It is a weak prefix too. */
const shortHead: RunPattern = {
  kind: charClass(/[\w.]/),
  min: 26,
  pattern: /(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))s\.[A-Za-z0-9]{24}(?![\w(])/g,
};

/** Finds tokens with a known prefix. */
export const findPrefixedTokens = withWords([...strongHeads, ...weakHeads].flatMap(wordsIn), (text) =>
  findTokens(text, prefixed),
);

/** Finds tokens with a prefix of two characters. */
export function findShortPrefixedTokens(text: string): Span[] {
  return findTokens(text, shortHead);
}

function findTokens(text: string, runs: RunPattern): Span[] {
  const spans: Span[] = [];
  searchRuns(text, runs, ([head, strong], at) => {
    const end = runEnd(tailOf(head), text, at + head.length);
    if (strong !== undefined || looksMixed(text.slice(at, Math.min(end, at + 256)))) {
      spans.push({ start: at, end, word: '[secret]' });
    }
    return end;
  });
  return spans;
}

function tailOf(head: string): CharClass {
  if (head.startsWith('whsec_')) return base64Chars;
  return head.includes('/') ? slashedChars : tokenChars;
}

function looksMixed(token: string): boolean {
  return /\d/.test(token) && (/[A-Z]/.test(token) || /[a-f0-9]{20}/.test(token));
}

/**
 * Finds JSON Web Tokens in runs of token characters. A JSON Web Token has a part that begins with `eyJ`, then a dot,
 * then another part. Each run is read part by part, since a regular expression would start again at each hyphen.
 */
export function findJsonWebTokens(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf('eyJ'); at >= 0; ) {
    const end = runEnd(jwtChars, text, at);
    const start = findJwtStart(text, at, end);
    if (start >= 0) spans.push({ start, end: text[end - 1] === '.' ? end - 1 : end, word: '[secret]' });
    at = text.indexOf('eyJ', end);
  }
  return spans;
}

function findJwtStart(text: string, from: number, end: number): number {
  let part = from;
  while (part < end) {
    const partEnd = runEnd(tokenChars, text, part);
    const mark = text.slice(part, partEnd).indexOf('eyJ');
    const headerLength = mark < 0 ? 0 : partEnd - part - mark;
    if (headerLength >= 10 && text[partEnd] === '.' && runEnd(tokenChars, text, partEnd + 1) >= partEnd + 5) {
      return part + mark;
    }
    part = partEnd + 1;
  }
  return -1;
}

const hexChars = charClass(/[0-9a-fA-F]/);
const tokenContext = /(?:token|authorization)["'`]?(?:[ \t]+(?:is|was))?[ \t:=>"'`(]{0,6}$/i;

/**
 * Finds runs of exactly forty hexadecimal digits (Gitea's tokens) directly after the word "token" or a header's name.
 */
export function findHexTokens(text: string): Span[] {
  const spans: Span[] = [];
  // Only every fortieth character is checked: each run of forty digits contains one of the checked characters. Prose is
  // skipped quickly.
  for (let at = 39; at < text.length; at += 40) {
    if (!isIn(hexChars, text, at)) continue;
    const start = runStart(hexChars, text, at, Math.max(0, at - 40));
    const end = runEnd(hexChars, text, at);
    if (end - start === 40 && isTokenContext(text, start, end)) spans.push({ start, end, word: '[secret]' });
    at += 40 * Math.floor((end - at) / 40);
  }
  return spans;
}

function isTokenContext(text: string, start: number, end: number): boolean {
  if (isIn(alphanumeric, text, start - 1) || isIn(alphanumeric, text, end)) return false;
  return tokenContext.test(text.slice(Math.max(0, start - 32), start));
}
