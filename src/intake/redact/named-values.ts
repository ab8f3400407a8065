/**
 * Values whose name says that they are secret: `NAME=value` dumps of an environment, and settings, JSON fields,
 * query parameters and flags. An upper-case name before `=` is taken at its word; other names stand in code and
 * prose too, so that there the value must look like a secret as well.
 */

import { charClass, runEnd, type Span } from './scan.ts';

const dumpName = new RegExp(
  '(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|(?:ACCESS|ACCOUNT|AUTH|ENCRYPTION|MASTER|' +
    'PRIVATE|SIGNING)_?KEY|_AUTH|_PWD|_PASS)(?:_[A-Z0-9_]{0,40}|\\d{1,3})?=(?!=)',
  'g',
);

const settingName = new RegExp(
  '(?:token|secret|passw(?:or)?d|passphrase|pwd|credentials?|api[-_ ]?key|access[-_ ]?key(?:[-_]id)?|auth[-_]?key|' +
    'account[-_]?key|private[-_]?key|secret[-_ ]?key|signing[-_]?key)' +
    '["\'`\\]*_]{0,3}(?:[ \\t]{0,2}(?:=>|:=|=(?![=>])|:(?!:))[ \\t]{0,2}|[ \\t](?:is|was):?[ \\t]|([ \\t]))["\'`*_]{0,3}[ \\t]?["\'`]?',
  'gi',
);

const dumpChars = charClass(/[^\s"'`<>;&|]/, true);
const settingChars = charClass(/[^\s"'`<>;&|,()[\]{}]/, true);
const plainValue = /^(?:true|false|null|none|nil|undefined|yes|no|on|off|\d{1,3})$/i;

/** Values of upper-case names, as `env` prints them, whatever they look like unless they are a variable or a flag. */
export function findDumpedValues(text: string): Span[] {
  const spans: Span[] = [];
  dumpName.lastIndex = 0;
  for (let match = dumpName.exec(text); match; match = dumpName.exec(text)) {
    const span = dumpedValue(text, dumpName.lastIndex);
    if (!span) continue;
    spans.push(span);
    dumpName.lastIndex = span.end;
  }
  return spans;
}

function dumpedValue(text: string, at: number): Span | undefined {
  const quote = text[at] === '"' || text[at] === "'" ? text[at] : undefined;
  const start = quote ? at + 1 : at;
  if ('$<{[*%(.=`'.includes(text[start] ?? '$')) return undefined;
  const end = (quote && quotedEnd(text, start, quote)) || trimEnd(text, start, runEnd(dumpChars, text, start));
  if (end - start < 3 || (end - start < 10 && plainValue.test(text.slice(start, end)))) return undefined;
  return { start, end, word: '[secret]' };
}

/** The closing quote on the same line within 256 characters; 0 when there is none. */
function quotedEnd(text: string, start: number, quote: string): number {
  const line = text.slice(start, start + 256);
  const close = line.indexOf(quote);
  const stop = line.indexOf('\n');
  return close > 0 && (stop < 0 || close < stop) ? start + close : 0;
}

function trimEnd(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && ',.)'.includes(text[last - 1] as string)) last -= 1;
  return last;
}

/** Values of settings in any case and notation, when they look random. */
export function findSettings(text: string): Span[] {
  const spans: Span[] = [];
  let run = 0;
  let end = 0;
  settingName.lastIndex = 0;
  for (let match = settingName.exec(text); match; match = settingName.exec(text)) {
    const start = settingName.lastIndex;
    if (match[1] !== undefined && !isFlag(text, match.index)) continue;
    // A rejected value can hold further names: its end is remembered, not walked to again.
    if (start >= run) {
      run = runEnd(settingChars, text, start);
      end = trimEnd(text, start, run);
    }
    if (end - start < 6 || text[run] === '(' || !looksRandom(text.slice(start, Math.min(end, start + 64)))) continue;
    spans.push({ start, end, word: '[secret]' });
    settingName.lastIndex = run;
  }
  return spans;
}

/** Whether the name that holds `at` is a command-line flag: `--github-token`. */
function isFlag(text: string, at: number): boolean {
  return /(?<![\w-])--[\w-]{0,24}$/.test(text.slice(Math.max(0, at - 27), at));
}

/** Whether a value looks made by a machine rather than like a word or the name of a thing. */
export function looksRandom(value: string): boolean {
  // The cheap tests come first: a hostile text holds ten thousand names.
  if (!/\d/.test(value)) return value.length >= 16 && /[a-z][A-Z]/.test(value) && /[A-Z][a-z]?[A-Z]/.test(value);
  if (!/[A-Za-z]/.test(value)) return /^\d{8,}$/.test(value);
  if (/^[$./{*%]|:\/\//.test(value)) return false;
  // Names of things (`my-cluster-1`, `v1.Secret`, `req.headers.x1`) are told by their separators.
  if (/^[A-Za-z_]\w{0,20}(?:\.[A-Za-z_]\w{0,20}){1,9}$/.test(value)) return false;
  return !/^[a-z]{2,20}\d?(?:[-_./:][a-z0-9]{1,20}){1,9}$/.test(value);
}
