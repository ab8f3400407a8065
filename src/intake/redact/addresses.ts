/**
 * Finds network addresses. Four numbers with dots can be an address, but just as often they are a version. The words
 * around the numbers decide between the two. node:net needs 0.04 to 0.5 µs to check whether a candidate is an address.
 * ipaddr.js takes 2 to 13 µs, which is too long for 9,000 candidates in one comment.
 */

import { isIPv4, isIPv6 } from 'node:net';
import { alphanumeric, charClass, isIn, runEnd, runStart, type Span, startsWord } from './scan.ts';

const dottedChars = charClass(/[\d.]/);
const ipv6Chars = charClass(/[0-9A-Fa-f:.]/);
const letters = charClass(/[A-Za-z]/);
const zoneChars = charClass(/[\w.-]/);

const versionWords = new Set(
  'v ver version versions release releases released rev revision build tag tagged section chapter clause oid'.split(
    ' ',
  ),
);
/**
 * Matches the signs that precede a version: an operator of a requirement (`==1.2.3.4`), or the hyphen in the name of a
 * file or package (`tool-1.2.3.4`).
 */
const versionMarks = /(?:[=~<>!]=|[~^#]|[A-Za-z]-)$/;

/**
 * Finds IPv4 addresses. Versions that look like an IPv4 address are skipped. A port or prefix length after the address
 * stays in the text.
 */
export function findIpv4(text: string): Span[] {
  const spans: Span[] = [];
  for (let dot = text.indexOf('.'); dot >= 0; ) {
    const start = runStart(dottedChars, text, dot, spans.at(-1)?.end);
    let end = runEnd(dottedChars, text, dot);
    const next = end;
    if (text[end - 1] === '.' && !isIn(alphanumeric, text, end)) end -= 1;
    if (end - start <= 15 && isIpv4Address(text, start, end)) spans.push({ start, end, word: '[ip]' });
    dot = text.indexOf('.', next);
  }
  return spans;
}

function isIpv4Address(text: string, start: number, end: number): boolean {
  if (end - start < 7 || !isIPv4(text.slice(start, end))) return false;
  if (!startsWord(text, start) || isIn(alphanumeric, text, end)) return false;
  return !isVersionBefore(text, start) && !isVersionAfter(text, end);
}

function isVersionBefore(text: string, start: number): boolean {
  if (versionMarks.test(text.slice(Math.max(0, start - 2), start))) return true;
  let at = start;
  while (at > start - 4 && ' \t:=#"\'`(*'.includes(text[at - 1] ?? '\n')) at -= 1;
  return versionWords.has(text.slice(runStart(letters, text, at, Math.max(0, at - 12)), at).toLowerCase());
}

/** Whether a pre-release (`-rc1`), build data (`+5`) or a version word follows the number. */
function isVersionAfter(text: string, end: number): boolean {
  if ((text[end] === '-' || text[end] === '+') && isIn(alphanumeric, text, end + 1)) return true;
  const word = text[end] === ' ' ? /^[A-Za-z]{1,12}/.exec(text.slice(end + 1, end + 13)) : null;
  return word !== null && versionWords.has(word[0].toLowerCase());
}

/**
 * Each alternative of this pattern begins with literal characters, which the engine finds fast. The engine tests the
 * rest of an alternative only where it has found these characters.
 */
const written =
  /ip-(?<![\w-]ip-)\d{1,3}(?:-\d{1,3}){3}(?![\w-])|:\/\/(?:0x[0-9a-f]{8}|\d{8,10}|(?:0[0-7]{0,3}\.){3}0[0-7]{0,3})(?=[/:?#\s)>"']|$)|\.(?:in-addr\.arpa|nip\.io|sslip\.io|ipv6-literal\.net)(?![\w-])/g;
const hostChars = charClass(/[\da-fA-F.-]/);
const inHost = /^(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f]{1,4}(?:-{1,2}[\da-f]{1,4}){2,7})$/i;

/** Finds addresses in other notations: `ip-203-0-113-77`, `77.113.0.203.in-addr.arpa`, `http://3405803853/`. */
export function findHostAddresses(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index } of text.matchAll(written)) {
    const isName = found.startsWith('.');
    const start = isName ? runStart(hostChars, text, index, Math.max(0, index - 45)) : index + 3;
    const end = isName ? index : index + found.length;
    if (!isName || inHost.test(text.slice(start, end))) spans.push({ start, end, word: '[ip]' });
  }
  return spans;
}

/**
 * Finds IPv6 addresses, including the zone. Times (`12:30:05`), paths of code (`std::io`) and a lone `::` are not
 * addresses.
 */
export function findIpv6(text: string): Span[] {
  const spans: Span[] = [];
  for (let colon = text.indexOf(':'); colon >= 0; ) {
    const start = runStart(ipv6Chars, text, colon, spans.at(-1)?.end);
    const run = runEnd(ipv6Chars, text, colon);
    const end = trimEnd(text, start, run);
    if (end - start <= 45 && isIpv6Address(text, start, end)) {
      const zoneEnd = text[end] === '%' ? runEnd(zoneChars, text, end + 1) : end;
      spans.push({ start, end: zoneEnd, word: '[ip]' });
    }
    colon = text.indexOf(':', Math.max(run, spans.at(-1)?.end ?? 0));
  }
  return spans;
}

function trimEnd(text: string, start: number, end: number): number {
  if (text[end - 1] === '.') return end - 1;
  return text[end - 1] === ':' && text[end - 2] !== ':' && end > start ? end - 1 : end;
}

function isIpv6Address(text: string, start: number, end: number): boolean {
  if (!startsWord(text, start) || isIn(alphanumeric, text, end)) return false;
  const colons = countColons(text, start, end);
  if (colons < 2) return false;
  const address = text.slice(start, end);
  // `de::add` is both a path in program code and a valid address. So a match with only two colons must begin like a
  // common address, such as `2001::` or `::1`.
  return (colons > 2 || /^(?:[0-9a-f]{4}::|::\d)/i.test(address)) && isIPv6(address);
}

/**
 * Returns the number of colons, or 0 if the text cannot be an address. An address contains at least one digit. It also
 * contains two colons with at most four characters between them.
 */
function countColons(text: string, start: number, end: number): number {
  let [colons, digitsSeen, last, near] = [0, 0, start - 6, false];
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) digitsSeen += 1;
    if (code !== 58) continue;
    colons += 1;
    near ||= at - last <= 5;
    last = at;
  }
  return near && digitsSeen > 0 ? colons : 0;
}
