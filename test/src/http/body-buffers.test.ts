/**
 * Tests that a lent buffer has one borrower at a time, and is lent again after it was returned.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lendBuffer, lentBytes, returnBuffer } from '../../../src/http/body-buffers.ts';

test('two borrowers never have the same buffer', () => {
  const lent = Array.from({ length: 100 }, () => lendBuffer());
  assert.equal(new Set(lent).size, 100);
  assert.ok(lent.every((buffer) => buffer.length === lentBytes));
  for (const buffer of lent) returnBuffer(buffer);
  assert.ok(lent.includes(lendBuffer()), 'a returned buffer is lent again');
});

test('a buffer of another size is not lent', () => {
  const foreign = Buffer.alloc(10);
  returnBuffer(foreign);
  const lent = Array.from({ length: 100 }, () => lendBuffer());
  assert.ok(!lent.includes(foreign));
});
