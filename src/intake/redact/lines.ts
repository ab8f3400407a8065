/**
 * Finds credentials by the line that contains them. The credentials are cookies, passwords given to commands, hashes of
 * passwords, and values in some headers and files. The names of these headers and files contain none of the words that
 * `named-values.ts` searches for.
 */

import { looksRandom } from './named-values.ts';
import { charClass, runEnd, type Span } from './scan.ts';

const cookieHeader = /(?<![\w-])(?:set-)?cookie["'`*]{0,3}[ \t]{0,2}:[ \t*"'`]{0,3}/gi;
const cookieName = /([\w!#$%&*+.^|~-]{1,128})=(?:"?)/y;
const cookieChars = charClass(/[^\s"'`<>;,\\]/);
const attribute = /^(?:path|domain|expires|max-age|samesite|version|priority)$/i;

/**
 * Finds values of cookies in a `Cookie` or `Set-Cookie` header. The attributes of a cookie and values that are words
 * stay in the text.
 */
export function findCookies(text: string): Span[] {
  const spans: Span[] = [];
  cookieHeader.lastIndex = 0;
  while (cookieHeader.test(text)) {
    let at = cookieHeader.lastIndex;
    for (cookieName.lastIndex = at; ; cookieName.lastIndex = at) {
      const name = cookieName.exec(text)?.[1];
      if (name === undefined) break;
      const start = cookieName.lastIndex;
      at = runEnd(cookieChars, text, start);
      const isValue = at - start >= 6 && looksRandom(text.slice(start, Math.min(at, start + 64)));
      if (isValue && !attribute.test(name)) spans.push({ start, end: at, word: '[secret]' });
      while (at < text.length && '"; '.includes(text[at] as string)) at += 1;
    }
    cookieHeader.lastIndex = at;
  }
  return spans;
}

const value = (minLength: number): string => `([^\\s"'\`$<{-][^\\s"'\`]{${minLength - 1},255})`;
/**
 * Each pattern begins with characters that are found fast, and ends with the value. Only the value is a capture group.
 */
const places = [
  // Matches `curl -u name:password`.
  `-(?<=\\s-)(?:u|-user|-proxy-user)[ =]["']?[\\w.@+-]{1,64}:${value(6)}`,
  `sshpass[ ]{1,2}-p[ ]?["']?${value(4)}`,
  `login[ ](?:[^\\s]{1,64}\\s{1,2}password[ ]{1,2}${value(4)}|[^\\n]{0,80}?-p[ ]["']?${value(6)})`,
  `mysql(?:dump|admin)?[ ][^\\n]{0,80}?-p["']?${value(6)}`,
  `client-key-data["']?:[ ]{0,2}["']?([A-Za-z0-9+/=]{40,16384})`,
  `(?:X-(?:Amz|Goog)-Signature|[?&;]sig)=([\\w%+/=-]{20,1024})`,
];
const command = new RegExp(places.join('|'), 'g');
/** Each match of `command` contains one of these words. */
export const commandWords = [
  '-u ',
  '-u=',
  '-user',
  'sshpass',
  'login ',
  'mysql',
  'client-key-data',
  '-Signature=',
  'sig=',
];

/** Finds passwords on a command line or in a netrc file, keys in a kubeconfig, and signatures of signed URLs. */
export function findCommandSecrets(text: string): Span[] {
  const spans: Span[] = [];
  command.lastIndex = 0;
  for (let match = command.exec(text); match; match = command.exec(text)) {
    const secret = match.slice(1).find((group) => group !== undefined) as string;
    const end = command.lastIndex;
    if (looksRandom(secret.slice(0, 64))) spans.push({ start: end - secret.length, end, word: '[secret]' });
  }
  return spans;
}

const hash =
  /\$(?:2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}|(?:apr1|[156]|y|gy)\$[^\s$:"'`]{1,64}(?:\$[^\s$:"'`]{1,64}){0,2}\$[./A-Za-z0-9]{20,128}|argon2(?:id|i|d)\$[^\s:"'`]{30,512})|(?<=["']auth["'][ ]?:[ ]?["'])[A-Za-z0-9+/]{16,512}={0,2}(?=["'])|LS0tLS1CRUdJTi[A-Za-z0-9+/=]{20,65536}/g;

/** Each match of `hash` contains one of these texts, or follows one of them. */
export const hashWords = [
  ...['1', '2', '2a', '2b', '2x', '2y', '5', '6', 'apr1', 'y', 'gy'].map((kind) => `$${kind}$`),
  '$argon2',
  'auth"',
  "auth'",
  'LS0tLS1CRUdJTi',
];

/**
 * Finds three kinds of secrets: hashes of passwords, private keys in base64, and logins in base64 as container tools
 * store them.
 */
export function findHashes(text: string): Span[] {
  const spans: Span[] = [];
  hash.lastIndex = 0;
  for (let match = hash.exec(text); match; match = hash.exec(text)) {
    const { 0: found, index } = match;
    if (found.startsWith('$') || isSecretInBase64(found)) {
      spans.push({ start: index, end: index + found.length, word: '[secret]' });
    }
  }
  return spans;
}

function isSecretInBase64(found: string): boolean {
  const decoded = Buffer.from(found.slice(0, 256), 'base64').toString('latin1');
  return found.startsWith('LS0t') ? decoded.includes('PRIVATE KEY') : /^[ -~]{1,128}:[ -~]{1,128}$/.test(decoded);
}
