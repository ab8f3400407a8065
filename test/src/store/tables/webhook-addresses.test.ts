/**
 * Tests stored addresses of webhook endpoints: the query is sealed for exactly one endpoint and address, and API
 * replies do not show the query.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSealer, SealError } from '../../../../src/foundation/seal.ts';
import {
  isClear,
  isMasked,
  isSame,
  openAddress,
  sealAddress,
  shownAddress,
} from '../../../../src/store/tables/webhook-addresses.ts';

const sealer = createSealer(Buffer.alloc(32, 7));
const named = { id: 'ep_1', orgId: 'org_1' };
const whole = 'https://hooks.example/a?token=very-secret';

test('a query is sealed and opens again, and the rest is plain text', () => {
  const stored = sealAddress(sealer, named, whole);
  assert.equal(stored.url, 'https://hooks.example/a');
  assert.ok(!JSON.stringify(stored).includes('very-secret'));
  assert.equal(openAddress(sealer, { ...named, ...stored }), whole);
  assert.equal(shownAddress(stored), 'https://hooks.example/a?…');
});

test('an address without a query is stored as it is', () => {
  for (const address of [
    'https://hooks.example/',
    'https://hooks.example/a',
    'https://hooks.example/a?',
    'https://hooks.example/a#b?c',
  ])
    assert.deepEqual(sealAddress(sealer, named, address), { url: address.replace(/[?#].*/, '') });
  const stored = sealAddress(sealer, named, 'https://hooks.example/a');
  assert.equal(openAddress(sealer, { ...named, ...stored }), 'https://hooks.example/a');
  assert.equal(shownAddress(stored), 'https://hooks.example/a');
});

test('a query opens only with its own address and endpoint', () => {
  const stored = sealAddress(sealer, named, whole);
  for (const moved of [{ url: 'https://evil.example/a' }, { id: 'ep_2' }, { orgId: 'org_2' }])
    assert.throws(() => openAddress(sealer, { ...named, ...stored, ...moved }), SealError);
});

test('the digest depends on the query, not on its seal', () => {
  const [a, b] = [sealAddress(sealer, named, whole), sealAddress(sealer, named, whole)];
  assert.notEqual(a.query?.sealed, b.query?.sealed);
  assert.equal(a.query?.digest, b.query?.digest);
  assert.notEqual(sealAddress(sealer, named, `${whole}2`).query?.digest, a.query?.digest);
});

test('an address stored by an earlier version is shown without its query', () => {
  const clear = { url: whole };
  assert.equal(shownAddress(clear), 'https://hooks.example/a?…');
  assert.equal(openAddress(sealer, { ...named, ...clear }), whole, 'and is sent to as before');
  assert.deepEqual([isClear(clear), isClear({ url: 'https://hooks.example/a#b' })], [true, true]);
  const stored = sealAddress(sealer, named, whole);
  assert.deepEqual([isClear(stored), isClear({ url: 'https://hooks.example/a' })], [false, false]);
  assert.equal(isSame(clear, stored), true);
  assert.equal(isSame({ url: 'https://hooks.example/b?token=x' }, stored), false, 'it was moved meanwhile');
  assert.equal(isSame(stored, stored), false, 'it is sealed already');
});

test('an address copied from a reply is recognized', () => {
  const shown = shownAddress(sealAddress(sealer, named, whole));
  assert.deepEqual([isMasked(shown), isMasked(new URL(shown).href), isMasked(whole)], [true, true, false]);
});
