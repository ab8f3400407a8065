/**
 * Secrets that can be told by their own form: prefixed tokens, JSON Web Tokens, and forty hexadecimal digits
 * beside the word "token". Bare forty digits are a commit sha and stand.
 */

import { alphanumeric, type CharClass, charClass, hasRun, isIn, runEnd, runStart, type Span } from './scan.ts';

const tokenChars = charClass(/[\w-]/);
const base64Chars = charClass(/[\w+/=-]/);
const slashedChars = charClass(/[\w/-]/);
const jwtChars = charClass(/[\w.-]/);

/** Unmistakable beginnings, each with the least that must follow. */
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

/** Beginnings that ordinary names share: what follows must hold a digit and an upper-case letter, or be long hex. */
const weakHeads = [
  'sk-[\\w-]{20}',
  'whsec_[\\w+/=-]{16}',
  'npm_[A-Za-z0-9]{30}',
  'pypi-[\\w-]{16}',
  'hf_[A-Za-z0-9]{30}',
  'hv[bs]\\.[\\w-]{24}',
  's\\.[A-Za-z0-9]{24}(?![\\w(])',
  'cio[A-Za-z0-9]{32}(?!\\w)',
];

const heads = new RegExp(
  // What they begin with comes first: it is asked at each character of every text.
  `(?=[ADGScdeghnprswxy])(?:(?:(?<![A-Za-z0-9])|(?<=\\\\[nrt]))(?:(${strongHeads.join('|')})|(?:${weakHeads.join('|')}))` +
    // Unmistakable behind a letter too.
    '|gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\\w{36}|rn_(?:live|test)_[A-Za-z0-9]{36})',
  'g',
);

/** Whatever a token is made of, and how long the shortest one is. */
const anyChars = charClass(/[\w.+/=-]/);
const shortest = 13;

/** Tokens with a known prefix. */
export function findPrefixedTokens(text: string): Span[] {
  const spans: Span[] = [];
  if (!hasRun(anyChars, text, shortest)) return spans;
  heads.lastIndex = 0;
  for (let match = heads.exec(text); match; match = heads.exec(text)) {
    const end = runEnd(tailOf(match[0]), text, heads.lastIndex);
    if (match[1] !== undefined || looksMixed(text.slice(match.index, Math.min(end, match.index + 256)))) {
      spans.push({ start: match.index, end, word: '[secret]' });
    }
    heads.lastIndex = end;
  }
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
 * JSON Web Tokens: in a run of token characters, a part that begins `eyJ`, its dot and a part after it.
 * The run is walked part by part, since a pattern over it would start again at each of its hyphens.
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

/** Runs of exactly forty hexadecimal digits (Gitea's tokens) directly after the word "token" or a header's name. */
export function findHexTokens(text: string): Span[] {
  const spans: Span[] = [];
  // Looking only at every fortieth unit meets each such run, and passes over prose quickly.
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
