/** Tests batches: a message contains the records of its batch, whatever the buffer contained before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Batch } from '../../../src/journal/batch.ts';
import { packRecord, unpackBatch } from '../../../src/journal/codec.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import { anyRecord } from '../../helpers/partition-steps.ts';

function fill(batch: Batch, records: readonly JournalRecord[]): number[] {
  return records.map((record) => {
    const packed = packRecord(record);
    batch.add(packed);
    return packed.length;
  });
}

test('a message contains the records that were added and not removed', () => {
  const records = fc.array(anyRecord, { maxLength: 20 });
  fc.assert(
    fc.property(records, records, fc.nat(20), (first, second, removed) => {
      const batch = new Batch();
      const sizes = fill(batch, first);
      for (const bytes of sizes.slice(0, removed)) batch.removeFirst(bytes);
      const later = fill(batch, second);
      const kept = [...sizes.slice(removed), ...later];
      assert.equal(
        batch.bytes,
        kept.reduce((total, bytes) => total + bytes, 0),
      );
      assert.deepEqual(unpackBatch(batch.message()), [...first.slice(removed), ...second]);
      // A message that is read again is the same, because a lane may send it several times.
      assert.deepEqual(unpackBatch(batch.message()), [...first.slice(removed), ...second]);
      batch.release();
    }),
  );
});

test('two batches never share a buffer, and a released buffer is used again', () => {
  const text = (letter: string): JournalRecord => ({ id: letter.repeat(3000), at: 1, kind: 'tick' });
  const batches = ['a', 'b', 'c', 'd'].map((letter) => {
    const batch = new Batch();
    fill(batch, [text(letter), text(letter)]);
    return { batch, letter };
  });
  for (const { batch, letter } of batches) {
    assert.deepEqual(unpackBatch(batch.message()), [text(letter), text(letter)]);
  }
  const buffers = batches.map(({ batch }) => batch.message().buffer);
  assert.equal(new Set(buffers).size, 4);
  batches[0]?.batch.release();
  const next = new Batch();
  fill(next, [text('e')]);
  assert.equal(next.message().buffer, buffers[0]);
  assert.deepEqual(unpackBatch(next.message()), [text('e')]);
});

test('a record larger than the buffers is packed and added', () => {
  const large: JournalRecord = { id: 'x'.repeat(2_000_000), at: 1, kind: 'tick' };
  const small: JournalRecord = { id: 'y', at: 2, kind: 'tick' };
  const batch = new Batch();
  fill(batch, [small, large, small]);
  assert.deepEqual(unpackBatch(batch.message()), [small, large, small]);
});
