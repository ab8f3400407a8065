/** Tests packing and unpacking of records: equal records have equal bytes, and a message that is not a batch is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packMessage, packRecord, unpackBatch, unpackMessage } from '../../../src/journal/codec.ts';
import { packBatch } from '../../helpers/journal-message.ts';
import { anyRecord } from '../../helpers/partition-steps.ts';

test('the same record is always packed to the same bytes', () => {
  fc.assert(fc.property(anyRecord, (record) => packRecord(structuredClone(record)).equals(packRecord(record))));
});

test('packed bytes stay the same while more is packed', () => {
  const message = { partition: 'p00', generation: 2, seq: 7 };
  const packed = [packMessage(message), packRecord({ id: 'a', at: 1, kind: 'tick' }), packMessage(message)];
  const before = packed.map((bytes) => Buffer.from(bytes));
  fc.assert(fc.property(anyRecord, (record) => packRecord(record).length > 0 && packMessage(record).length > 0));
  assert.deepEqual(packed, before);
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
  const whole = packBatch([
    { id: 'a', at: 1, kind: 'tick' },
    { id: 'b', at: 2, kind: 'tick' },
  ]);
  for (let length = 0; length < whole.length; length++) assert.throws(() => unpackBatch(whole.subarray(0, length)));
});

test('unpacking a packed message returns it, although it is not a record', () => {
  const message = { partition: 'p00', generation: 2, seq: 9_007_199_254_740_991 };
  assert.deepEqual(unpackMessage(packMessage(message)), message);
});
