/** Tests that every read of a node of a cluster is checked, and that work which answers no one is not. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FreshReaders } from '../../../src/store/fresh-readers.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('Reads are refused once the check begins, except those of any age', (t) => {
  const readers = new FreshReaders(temporaryFolder(t));
  const checked: string[] = [];
  assert.equal(readers.fresh('p00'), undefined);
  readers.begin((name) => {
    checked.push(name);
    throw new Error('too old');
  });
  assert.throws(() => readers.fresh('p00'), /too old/);
  assert.throws(() => readers.current('p01'), /too old/);
  assert.equal(readers.ofAnyAge('p02'), undefined);
  assert.deepEqual(checked, ['p00', 'p01']);
});
