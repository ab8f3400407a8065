/** Tests as of which time a folded state is current. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Currency } from '../../../src/journal/currency.ts';

test('A state is current as of the time at which the stream ended where the state ends', () => {
  const currency = new Currency();
  assert.equal(currency.asOf(10), Number.NEGATIVE_INFINITY);
  currency.note(10, 1000);
  assert.equal(currency.asOf(9), Number.NEGATIVE_INFINITY);
  assert.equal(currency.asOf(10), 1000);
  currency.note(11, 4000);
  assert.equal(currency.asOf(10), 1000);
  assert.equal(currency.asOf(11), 4000);
});

test('A fold that is behind is current as of the past, however fast messages arrive', () => {
  const currency = new Currency();
  for (let at = 0; at <= 30_000; at += 300) currency.note(at, at);
  assert.equal(currency.asOf(27_000), 27_000);
  assert.equal(currency.asOf(27_100), 27_000);
});

test('A backlog after a freeze is not current before its end is folded', () => {
  const currency = new Currency();
  currency.note(10, 1000);
  assert.equal(currency.asOf(10), 1000);
  // The first message after the freeze is the 11th, and 500 others follow it.
  currency.note(511, 26_000);
  assert.equal(currency.asOf(11), 1000);
  assert.equal(currency.asOf(511), 26_000);
});

test('A message that waited in a socket does not make the state more current', () => {
  const currency = new Currency();
  currency.note(10, 9000);
  currency.note(11, 2000);
  assert.equal(currency.asOf(11), 9000);
});
