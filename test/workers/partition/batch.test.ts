/**
 * Tests unpacking of journal messages: the fast decoder returns the same records as msgpackr, and a message that cannot
 * be read is reported and skipped.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unpackBatch } from '../../../src/journal/codec.ts';
import type { RowBytes } from '../../../src/store/recurring-texts.ts';
import { createRowDecoder } from '../../../src/store/row-decoder.ts';
import { PackedMessage } from '../../../workers/partition/batch.ts';
import { packBatch } from '../../helpers/journal-message.ts';
import { pullRecord } from '../../helpers/partition-records.ts';
import { anyRecord } from '../../helpers/partition-steps.ts';

const unexpected = (error: unknown) => assert.fail(String(error));

test('a message is unpacked to the records that were packed', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 20 }), fc.nat(8), (records, offset) => {
      const packed = packBatch(records);
      // The client returns a message as a part of a larger buffer.
      const chunk = new Uint8Array(packed.length + offset);
      chunk.set(packed, offset);
      const message = new PackedMessage(7, chunk.subarray(offset), unexpected);
      assert.deepEqual([message.seq, message.records], [7, unpackBatch(packed)]);
      assert.equal(JSON.stringify(message.records), JSON.stringify(records));
    }),
  );
});

test('the fast decoder decodes batches itself', () => {
  const packed = packBatch([pullRecord(1), pullRecord(2)]);
  const decode = createRowDecoder(() => assert.fail('msgpackr was asked'));
  assert.equal((decode(packed as unknown as RowBytes) as unknown[]).length, 2);
});

test('a message that cannot be read is reported and has no records', () => {
  const errors: unknown[] = [];
  for (const bytes of [Buffer.from('not msgpack'), packBatch([pullRecord(1)]).subarray(0, 40)]) {
    const message = new PackedMessage(3, bytes, (error) => errors.push(error));
    assert.deepEqual([message.seq, message.records, message.records], [3, [], []]);
  }
  assert.equal(errors.length, 2);
});
