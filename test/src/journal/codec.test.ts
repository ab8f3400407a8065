/**
 * Tests packing and unpacking of records: a batch contains the bytes of its records, and a message that is not a batch
 * or a record is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packBatch, packMessage, packRecord, unpackBatch, unpackMessage } from '../../../src/journal/codec.ts';
import { anyRecord } from '../../helpers/partition-steps.ts';

test('unpacking a packed batch returns its records', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 20 }), (records) => {
      assert.deepEqual(unpackBatch(packBatch(records.map(packRecord))), records);
    }),
  );
});

test('the same record is always packed to the same bytes', () => {
  fc.assert(fc.property(anyRecord, (record) => packRecord(structuredClone(record)).equals(packRecord(record))));
});

test('unpackBatch throws for a message that is not a batch of records', () => {
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
  for (const message of bad) assert.throws(() => unpackBatch(packMessage(message)), /not a batch of records/);
  assert.throws(() => unpackBatch(Buffer.from('not msgpack at all')));
  assert.throws(() => unpackBatch(Buffer.alloc(0)));
  assert.deepEqual(unpackBatch(packMessage([record])), [record]);
});

test('unpackBatch throws for a truncated batch', () => {
  const whole = packBatch([packRecord({ id: 'a', at: 1, kind: 'tick' }), packRecord({ id: 'b', at: 2, kind: 'tick' })]);
  for (let length = 0; length < whole.length; length++) assert.throws(() => unpackBatch(whole.subarray(0, length)));
});

test('unpacking a packed message returns it, although it is not a record', () => {
  const message = { partition: 'p00', generation: 2, seq: 9_007_199_254_740_991 };
  assert.deepEqual(unpackMessage(packMessage(message)), message);
});
