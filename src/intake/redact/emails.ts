/**
 * Finds e-mail addresses: an `@` in plain or encoded form, with the name before it and the host name after it. A handle
 * has nothing before the `@`, so it is not an address and stays. Versions (`fastify@4.1.0-rc.one`), clone addresses and
 * image sizes stay too.
 */

import { alphanumeric, charClass, isIn, runStart, type Span } from './scan.ts';

// Matches an `@`, plain or encoded. An `@` before a space or another `@` is skipped, because a hostile text can contain
// 65,536 such signs.
const atSign = /[@＠](?![@＠\s])|%40|&#0{0,4}64;|&#x0{0,4}40;|&commat;/gi;
const localChars = charClass(/[\w.+%'-]/, true);
const labelChars = charClass(/[A-Za-z0-9-]/, true);
const asciiLetters = charClass(/[A-Za-z]/);
const nameStart = charClass(/[\w+]/, true);

const version = /^v?\d+(?:\.\d|\.x\b)/i;
const imageSize = /^\d+x\.\w+$/i;
const unit = /\.(?:service|socket|timer|slice)$/i;

/** Finds addresses of people and machines, including noreply addresses. */
export function findEmails(text: string): Span[] {
  const spans: Span[] = [];
  let floor = 0;
  atSign.lastIndex = 0;
  // `test` is used instead of `exec`. In a text with 30,000 `@` signs, `exec` would create 30,000 match objects. This
  // would take as long as all other work on the text.
  while (atSign.test(text)) {
    const before = floor;
    floor = atSign.lastIndex;
    const end = hostEnd(text, floor);
    if (end < 0) continue;
    const sign = signStart(text, floor);
    const start = localStart(text, sign, before);
    const previous = spans.at(-1);
    if (previous?.end === sign) previous.end = end;
    else if (start < sign && isAddress(text.slice(start, sign), text.slice(floor, end))) {
      spans.push({ start, end, word: '[email]' });
    } else continue;
    floor = end;
    atSign.lastIndex = end;
  }
  return spans;
}

/** Returns the offset at which an `@` sign begins. The sign ends just before `end`, and can be plain or encoded. */
function signStart(text: string, end: number): number {
  if (text[end - 1] === ';') return text.lastIndexOf('&', end);
  return text[end - 1] === '0' ? end - 3 : end - 1;
}

/** Returns the start of the local part. A quoted local part may contain spaces, and has at most 64 characters. */
function localStart(text: string, at: number, floor: number): number {
  if (text[at - 1] === '"' && at - 1 > floor) {
    const quote = text.slice(Math.max(floor, at - 66), at - 1).lastIndexOf('"');
    const start = Math.max(floor, at - 66) + quote;
    return quote < 0 || text.slice(start, at).includes('\n') ? at : start;
  }
  let start = runStart(localChars, text, at, floor);
  // A backslash that Markdown puts before a sign does not end the address.
  while (text[start - 1] === '\\' && !isIn(alphanumeric, text, start) && start - 2 > floor && start < at) {
    const before = runStart(localChars, text, start - 1, floor);
    if (before === start - 1) break;
    start = before;
  }
  while (start < at && !isIn(nameStart, text, start)) start += 1;
  return start;
}

/**
 * Returns the end of a host name whose top-level domain has two letters or more. Returns -1 when no such host name
 * begins at `at`.
 */
function hostEnd(text: string, at: number): number {
  let end = -1;
  let label = at;
  while (isIn(labelChars, text, label)) {
    let labelEnd = label;
    while (isIn(labelChars, text, labelEnd)) labelEnd += 1;
    if (label > at && isTopLevel(text, label)) end = labelEnd;
    if (text[labelEnd] !== '.') break;
    label = labelEnd + 1;
  }
  while (end > at && text[end - 1] === '-') end -= 1;
  return end;
}

function isTopLevel(text: string, at: number): boolean {
  if (text.charCodeAt(at) < 128 && !isIn(asciiLetters, text, at)) return false;
  if (isIn(asciiLetters, text, at) && isIn(asciiLetters, text, at + 1)) return true;
  return /^\p{L}[\p{L}\p{M}]/u.test(text.slice(at, at + 2));
}

function isAddress(local: string, host: string): boolean {
  if (local === 'git') return false;
  const name = host.slice(0, 256);
  return !version.test(name) && !imageSize.test(name) && !unit.test(name);
}
