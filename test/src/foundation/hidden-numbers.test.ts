/** Tests that a hidden number can be found again with the same secret only, and that its text does not show it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HiddenNumbers } from '../../../src/foundation/hidden-numbers.ts';

test('a hidden number is found again, in any order', () => {
  const numbers = new HiddenNumbers('secret');
  const texts = [0, 1, 2, 1_000_000, 2 ** 48 - 1].map((number) => [number, numbers.hide(number)] as const);
  for (const [number, text] of texts.toReversed()) {
    assert.match(text, /^[0-9a-f]{32}$/);
    assert.equal(numbers.find(text), number);
    assert.equal(new HiddenNumbers('secret').find(text), number, 'the text depends on the secret only');
  }
});

test('a text that was not made with the secret hides no number', () => {
  const numbers = new HiddenNumbers('secret');
  const text = numbers.hide(7);
  const last = text.endsWith('0') ? '1' : '0';
  const foreign = [new HiddenNumbers('other').hide(7), `${text.slice(0, -1)}${last}`, text.toUpperCase(), `${text}00`];
  for (const each of [...foreign, '', '7', '-', 'x'.repeat(32)]) assert.equal(numbers.find(each), undefined, each);
  assert.equal(numbers.find(text), 7, 'the texts before did not disturb the cipher');
});

test('the texts of neighbours have nothing in common', () => {
  const numbers = new HiddenNumbers('secret');
  const texts = Array.from({ length: 10_000 }, (_, number) => numbers.hide(number));
  assert.equal(new Set(texts).size, 10_000);
  // Each character is equal in one of 16 pairs if the texts are random.
  let equal = 0;
  for (let i = 1; i < texts.length; i++)
    for (let at = 0; at < 32; at++) if (texts[i]?.[at] === texts[i - 1]?.[at]) equal += 1;
  assert.ok(Math.abs(equal / (9_999 * 32) - 1 / 16) < 0.005, `${equal} equal characters`);
});
