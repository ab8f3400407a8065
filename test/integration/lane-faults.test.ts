/**
 * Tests a lane whose server is suspended or killed and then continues. Acknowledged records are stored once and in
 * order. The lane reports the outcome of all other records in time.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { startNats, type TestNats } from '../helpers/journal.ts';
import { openLane, recordIds, smallRecord } from '../helpers/partition-stream.ts';
import { pauseProcess } from '../helpers/standstill.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Keeps a lane busy until `stop` is called. Each of `width` concurrent writers enqueues one record at a time. */
function startWriters(lane: Lane, width: number) {
  const acknowledged: { id: string; seq: number; index: number }[] = [];
  const unknown = new Set<string>();
  let going = true;
  let next = 0;
  const writer = async () => {
    while (going) {
      const id = `w${next++}`;
      try {
        acknowledged.push({ id, ...(await lane.enqueue(smallRecord(id, 200))) });
      } catch (error) {
        assert.ok(error instanceof ServiceError && error.kind === 'unavailable');
        unknown.add(id);
      }
    }
  };
  const writers = Array.from({ length: width }, writer);
  return {
    acknowledged,
    unknown,
    stop: async () => {
      going = false;
      await Promise.all(writers);
    },
  };
}

/**
 * Asserts that every acknowledged record is in the stream exactly once, at its position. For any other record in the
 * stream, the lane must have reported an unknown outcome.
 */
function assertSound(ids: readonly string[], { acknowledged, unknown }: ReturnType<typeof startWriters>): void {
  assert.equal(new Set(ids).size, ids.length, 'no record is stored twice');
  const stored = new Set(ids);
  for (const { id } of acknowledged) assert.ok(stored.has(id), `${id} was acknowledged and is missing`);
  const known = new Set(acknowledged.map(({ id }) => id));
  for (const id of ids) assert.ok(known.has(id) || unknown.has(id));
  const inOrder = [...acknowledged].sort((a, b) => a.seq - b.seq || a.index - b.index).map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => known.has(id)),
    inOrder,
  );
}

test('a lane loses and duplicates nothing across kills of the server', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const lane = await openLane(t, journal, { batchRecords: 16 });
  const writers = startWriters(lane, 40);
  for (let kill = 1; kill <= 4; kill++) {
    const goal = writers.acknowledged.length + 400;
    await waitUntil('the lane has moved on', () => writers.acknowledged.length >= goal);
    await nats.kill();
    await nats.start();
  }
  await waitUntil('the lane has moved on', () => writers.acknowledged.length >= 3000);
  await writers.stop();
  assertSound(await recordIds(journal), writers);
});

test('a lane answers in time while the server is suspended', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const lane = await openLane(t, journal, { ackDeadlineMs: 2000, batchRecords: 3 });
  await lane.enqueue(smallRecord('before'));
  const pid = serverPid(nats);
  await pauseProcess(pid);
  const started = performance.now();
  const late = Array.from({ length: 8 }, (_, i) => lane.enqueue(smallRecord(`late${i}`)));
  const outcomes = await Promise.allSettled(late);
  const took = performance.now() - started;
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected'));
  // The lane answers only after its deadline of 2 seconds, because the server is suspended all this time.
  assert.ok(took >= 1990, `answered after ${took} ms`);
  process.kill(pid, 'SIGCONT');
  let after = 0;
  const isTaken = () =>
    lane.enqueue(smallRecord(`after${++after}`)).then(
      () => true,
      () => false,
    );
  await waitUntil('the lane goes on', isTaken);
  await waitUntil('and on', isTaken);
  const ids = await recordIds(journal);
  // The stream may contain the records that the lane had begun to send. Records that only waited in the lane were
  // removed at their deadline.
  const afterwards = Array.from({ length: after }, (_, i) => `after${i + 1}`);
  assert.deepEqual(
    ids,
    ['before', 'late0', 'late1', 'late2', ...afterwards].filter((id) => ids.includes(id)),
  );
  assert.ok(ids.includes(`after${after}`) && !ids.includes('late3'));
});

test('a lane keeps two batches in order while the server is suspended', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const lane = await openLane(t, journal, { batchRecords: 2 });
  const pid = serverPid(nats);
  await pauseProcess(pid);
  const both = Promise.all(['a1', 'a2', 'b1', 'b2'].map((id) => lane.enqueue(smallRecord(id))));
  // After 2.3 seconds, the first attempt has timed out and the lane has sent the batch again. Both copies have the same
  // batch id, so the server recognizes the second copy as a duplicate.
  const since = performance.now();
  await waitUntil('two attempts have passed', () => performance.now() - since > 2300);
  process.kill(pid, 'SIGCONT');
  assert.deepEqual(
    (await both).map(({ seq, index }) => [seq, index]),
    [
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ],
  );
  assert.deepEqual(await recordIds(journal), ['a1', 'a2', 'b1', 'b2']);
});

test('a lane removes expired records from a message and keeps the later ones', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  // Half of the deadline is left for the later records when the server continues.
  const ackDeadlineMs = 8000;
  const lane = await openLane(t, journal, { ackDeadlineMs });
  const pid = serverPid(nats);
  await pauseProcess(pid);
  const outcome = (id: string) =>
    lane.enqueue(smallRecord(id, 300)).then(
      () => 'stored',
      () => 'unknown',
    );
  const inFlight = outcome('in flight');
  // The lane sends the first record at the end of this turn of the event loop.
  await setImmediate();
  const expired = [outcome('expired1'), outcome('expired2')];
  const since = performance.now();
  await waitUntil('half of the deadline has passed', () => performance.now() - since > ackDeadlineMs / 2);
  const later = [outcome('later1'), outcome('later2')];
  assert.deepEqual(await Promise.all(expired), ['unknown', 'unknown']);
  process.kill(pid, 'SIGCONT');
  assert.deepEqual(await Promise.all([inFlight, ...later]), ['unknown', 'stored', 'stored']);
  assert.deepEqual(await recordIds(journal), ['in flight', 'later1', 'later2']);
});

function serverPid({ dataDir }: TestNats): number {
  return Number.parseInt(readFileSync(join(dataDir, 'nats-server.pid'), 'utf8'), 10);
}
