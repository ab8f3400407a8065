/**
 * Tests the words of finders: a finder is skipped only for texts in which it cannot find anything.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withWords, wordsIn } from '../../../src/intake/redact/words.ts';

/** Whether a finder with the word searches the text. */
function searches(word: string, text: string): boolean {
  const found = withWords([word], () => [{ start: 0, end: 1, word: '[secret]' }]);
  return found(text).length > 0;
}

test('a text that contains the word in any case is searched', () => {
  const words = fc.string({ minLength: 3, maxLength: 12 });
  const cases = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
    (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  );
  fc.assert(
    fc.property(fc.string(), words, cases, fc.string(), (before, word, write, after) => {
      assert.ok(searches(word, before + write(word) + after));
    }),
  );
});

test('prose without the words is not searched', () => {
  const prose = 'The pool keeps four connections open. Closes #1702, see https://git.example/a/b/pull/17.';
  for (const word of ['cookie', 'password', 'ghp_', 'BEGIN', '-by']) assert.ok(!searches(word, prose), word);
  assert.ok(!searches('cookie', ''));
});

test('the words of one text do not remain for the next text', () => {
  assert.ok(searches('cookie', 'a Cookie'));
  assert.ok(!searches('cookie', 'another text'));
  assert.ok(searches('cookie', 'a Cookie'));
});

test('one of several words is enough', () => {
  const find = withWords(['token', 'secret'], () => [{ start: 0, end: 1, word: '[secret]' }]);
  assert.equal(find('a SECRET').length, 1);
  assert.equal(find('neither').length, 0);
});

test('the words of a pattern come from its beginning', () => {
  const expected: [string, string[]][] = [
    ['dapi[a-f0-9]{32}', ['dapi']],
    ['gh[oprsu]_[A-Za-z0-9]{16}', ['gho_', 'ghp_', 'ghr_', 'ghs_', 'ghu_']],
    ['(?:A3T[A-Z0-9]|AKIA)[A-Z0-9]{16}', ['A3T', 'AKIA']],
    ['xox[ab](?:\\.xox[bp])?-', ['xoxa', 'xoxb']],
    ['fig[douru]{1,2}_', ['fig']],
    ['SG\\.[\\w-]{16}', ['SG.']],
    ['hooks\\.example\\.com/(?:a|b)/\\d', ['hooks.example.com/a/', 'hooks.example.com/b/']],
  ];
  for (const [pattern, words] of expected) assert.deepEqual(wordsIn(pattern), words, pattern);
  for (const pattern of ['SK[a-f0-9]{32}', '[MNO]x', '\\d(?=\\d)', 'abc?'])
    assert.throws(() => wordsIn(pattern), pattern);
});

test('a word needs three characters', () => {
  assert.throws(() => withWords(['-u'], () => []), /at least three characters/);
});
