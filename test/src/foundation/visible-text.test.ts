/**
 * Tests the text that is printed on a terminal. Invisible characters and characters that control the terminal are
 * always escaped.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { prettyFactory } from 'pino-pretty';
import { plainLine, prettyLine } from '../../../src/foundation/logger.ts';
import { terminalText } from '../../../src/foundation/visible-text.ts';

/** Control characters (C0, C1 and bidirectional), line separators, and invisible blanks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
const acting = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Surrogate}/u;

test('characters that control a terminal become escapes, others stay', () => {
  const shown: [string, string][] = [
    ['acme/rocket', 'acme/rocket'],
    ['größe 漢字 🚀 → …', 'größe 漢字 🚀 → …'],
    ['a\u009b31mb', 'a\\u009b31mb'],
    ['a\x1b[31mb', 'a\\u001b[31mb'],
    ['a\r\nb\tc', 'a\\u000d\\u000ab\\u0009c'],
    ['a\u0085\u2028\u2029b', 'a\\u0085\\u2028\\u2029b'],
    ['\u202Etxt.exe', '\\u202etxt.exe'],
    ['\u2066x\u2069\u200f\u061c\ufeff', '\\u2066x\\u2069\\u200f\\u061c\\ufeff'],
    ['\ud800x', '\\ud800x'],
    ['\u{E0041}', '\\udb40\\udc41'],
  ];
  for (const [text, expected] of shown) assert.equal(terminalText(text), expected);
});

test('no returned text has such a character, and JSON keeps its meaning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(terminalText(text), acting);
      assert.equal(JSON.parse(terminalText(JSON.stringify(text))), text);
    }),
  );
});

test('no log line has such a character, as JSON or for a terminal', () => {
  const hostile = 'a\u009b31m\x1b[2J\u202e\r\u2028b';
  const entry = {
    level: 30,
    time: 0,
    msg: hostile,
    name: hostile,
    err: { message: hostile, stack: `${hostile}\n at x` },
  };
  const line = `${JSON.stringify(entry)}\n`;
  assert.doesNotMatch(plainLine(line).trimEnd(), acting);
  assert.deepEqual(JSON.parse(plainLine(line)), entry);
  const pretty = prettyFactory({ colorize: false })(prettyLine(line)) ?? '';
  assert.match(pretty, /a\\u009b31m\\u001b\[2J\\u202e\\u000d\\u2028b/);
  assert.doesNotMatch(pretty.replaceAll('\n', ''), acting);
});
