/** Tests a lane on a healthy server: group commit, positions, limits, a full stream, and draining. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/foundation/errors.ts';
import { maxRecordBytes } from '../../src/journal/lane.ts';
import { purgeStream, streamState } from '../../src/journal/topology.ts';
import { startNats } from '../helpers/journal.ts';
import { enqueueAll, openLane, readStream, recordIds, smallRecord } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const numbered = (count: number, prefix = 'r') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

function isBusy(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'unavailable' && (error.retryAfter ?? 0) > 0;
}

test('a lane puts records that arrive together into few messages', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal);
  const outcomes = await enqueueAll(lane, numbered(1000));
  const messages = await readStream(journal);
  assert.ok(messages.length <= 17, `${messages.length} messages`);
  assert.deepEqual(await recordIds(journal), numbered(1000));
  for (const outcome of outcomes) {
    assert.ok('position' in outcome);
    const { seq, index } = outcome.position;
    assert.equal(messages.find((message) => message.seq === seq)?.records[index]?.id, outcome.id);
  }
});

test('a lane limits a message in records and in bytes', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal, { batchRecords: 7, batchBytes: 5000 });
  await Promise.all([enqueueAll(lane, numbered(20)), enqueueAll(lane, numbered(10, 'large'), 2000)]);
  const sizes = (await readStream(journal)).map(({ records }) => records.map((record) => record.id));
  assert.ok(sizes.every((ids) => ids.length <= 7));
  assert.ok(sizes.every((ids) => ids.filter((id) => id.startsWith('large')).length <= 2));
});

test('a lane immediately refuses records beyond its limits', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal, { waitingRecords: 10, batchRecords: 5 });
  const outcomes = await enqueueAll(lane, numbered(12));
  const refused = outcomes.filter((outcome) => 'error' in outcome);
  assert.deepEqual([refused.length, refused.every(({ error }) => isBusy(error))], [2, true]);
  assert.deepEqual(await recordIds(journal), numbered(10));
  const bytes = await openLane(t, journal, { waitingBytes: 10_000 });
  const large = await enqueueAll(bytes, numbered(6, 'b'), 3000);
  assert.equal(large.filter((outcome) => 'error' in outcome && isBusy(outcome.error)).length, 3);
});

test('a lane refuses a record that is too large and accepts the next', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal);
  const large = lane.enqueue(smallRecord('large', maxRecordBytes));
  await assert.rejects(large, (error: ServiceError) => error.kind === 'tooLarge');
  await lane.enqueue(smallRecord('full', maxRecordBytes - 100));
  assert.deepEqual(await recordIds(journal), ['full']);
});

test('a lane refuses records while the stream is full and continues after a purge', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal, { batchRecords: 1 }, 65_536);
  const outcomes = await enqueueAll(lane, numbered(100), 2000);
  const refused = outcomes.filter((outcome) => 'error' in outcome);
  assert.ok(refused.length > 50 && refused.every(({ error }) => isBusy(error)));
  const stored = outcomes.flatMap((outcome) => ('position' in outcome ? outcome.id : []));
  assert.deepEqual(await recordIds(journal), stored);
  await purgeStream(journal, 'p00', (await streamState(journal, 'p00')).lastSeq);
  const { seq } = await lane.enqueue(smallRecord('after', 2000));
  assert.equal(seq, stored.length + 1);
});

test('a closing lane stores the records that it has accepted', async (t) => {
  const journal = await (await startNats(t)).connect();
  const lane = await openLane(t, journal, { batchRecords: 10 });
  const outcomes = enqueueAll(lane, numbered(95));
  await lane.close();
  assert.ok((await outcomes).every((outcome) => 'position' in outcome));
  assert.deepEqual(await recordIds(journal), numbered(95));
  await assert.rejects(lane.enqueue(smallRecord('late')), isBusy);
});

test('a lane closes in bounded time while the server is down', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const lane = await openLane(t, journal, { ackDeadlineMs: 300 });
  await nats.kill();
  const outcomes = enqueueAll(lane, numbered(5));
  let closed = false;
  const closing = lane.close().then(() => {
    closed = true;
  });
  assert.ok((await outcomes).every((outcome) => 'error' in outcome && isBusy(outcome.error)));
  await waitUntil('the lane gives up', () => closed);
  await closing;
});
