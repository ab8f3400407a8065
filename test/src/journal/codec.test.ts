/**
 * Records to bytes and back: a batch is its records' own bytes, and what is no batch of records is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packBatch, packMessage, packRecord, unpackBatch, unpackMessage } from '../../../src/journal/codec.ts';
import { anyRecord } from '../../helpers/partition-steps.ts';

test('gives back any batch of records', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 20 }), (records) => {
      assert.deepEqual(unpackBatch(packBatch(records.map(packRecord))), records);
    }),
  );
});

test('packs the same record to the same bytes', () => {
  fc.assert(fc.property(anyRecord, (record) => packRecord(structuredClone(record)).equals(packRecord(record))));
});

test('refuses what is no batch of records', () => {
  const record = { id: 'a', at: 1, kind: 'tick' };
  const bad = [
    {},
    'text',
    [null],
    ['text'],
    [{ ...record, id: 7 }],
    [{ ...record, at: 1.5 }],
    [record, { id: 'a', at: 1 }],
  ];
  for (const message of bad) assert.throws(() => unpackBatch(packMessage(message)), /no batch of records/);
  assert.throws(() => unpackBatch(Buffer.from('not msgpack at all')));
  assert.throws(() => unpackBatch(Buffer.alloc(0)));
  assert.deepEqual(unpackBatch(packMessage([record])), [record]);
});

test('refuses a batch that was cut short', () => {
  const whole = packBatch([packRecord({ id: 'a', at: 1, kind: 'tick' }), packRecord({ id: 'b', at: 2, kind: 'tick' })]);
  for (let length = 0; length < whole.length; length++) assert.throws(() => unpackBatch(whole.subarray(0, length)));
});

test('carries messages that are no records', () => {
  const message = { partition: 'p00', generation: 2, seq: 9_007_199_254_740_991 };
  assert.deepEqual(unpackMessage(packMessage(message)), message);
});
