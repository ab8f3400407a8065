/**
 * Tests the follower, which reads the journal in order. The follower starts after the cursor and continues after
 * failures of the server. It never reads past a missing message and never reads far ahead of the fold.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { machineNow } from '../../src/foundation/machine-clock.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Follower, JournalCutError, JournalHoleError, type JournalMessage } from '../../src/journal/follow.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { ensureStream, purgeStream } from '../../src/journal/topology.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { quiet, startNats } from '../helpers/journal.ts';
import { leaveHole, openLane, smallRecord, streamBytes } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Starts a follower, and collects the sequence numbers that it reads. */
function follow(t: TestContext, journal: Journal, after: number) {
  const follower = new Follower(journal, 'p00', after, quiet);
  const seqs: number[] = [];
  const take = async (batch: readonly JournalMessage[]) => void seqs.push(...batch.map((message) => message.seq));
  const ended = (async () => {
    for await (const batch of follower.batches()) await take(batch);
  })();
  ended.catch(() => {});
  afterwards(t, () => follower.stop());
  return { follower, seqs, ended };
}

/** Creates a stream of `count` messages with one record each. Returns a function that adds more messages. */
async function fill(t: TestContext, journal: Journal, count: number, bytes = 0) {
  const lane = await openLane(t, journal, { batchRecords: 1 });
  const more = async (from: number, to: number) => {
    for (let i = from; i <= to; i++) await lane.enqueue(smallRecord(`r${i}`, bytes));
  };
  await more(1, count);
  return more;
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

test('a follower reads in order from after the cursor and continues', async (t) => {
  const journal = await (await startNats(t)).connect();
  const more = await fill(t, journal, 100);
  const { seqs } = follow(t, journal, 40);
  await waitUntil('it has caught up', () => seqs.length === 60);
  await more(101, 150);
  await waitUntil('it has gone on', () => seqs.length === 110);
  assert.deepEqual(seqs, upTo(41, 150));
});

test('a follower of a node knows as of which time its state is current, also after a freeze', async (t) => {
  const sole = await (await startNats(t)).connect();
  const journal: Journal = Object.create(sole, { node: { value: 'a' } });
  const more = await fill(t, journal, 250);
  const started = machineNow();
  const { seqs, follower } = follow(t, journal, 0);
  await waitUntil('it has caught up', () => seqs.length === 250);
  const at = follower.asOf(250) as number;
  assert.ok(at >= started && at <= machineNow());
  // The process does nothing for a while, as if it were frozen.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  const woke = machineNow();
  assert.equal(follower.asOf(250), at);
  await more(251, 260);
  await waitUntil('it goes on', () => seqs.length === 260);
  assert.deepEqual(seqs, upTo(1, 260));
  await waitUntil('the state is current again', () => (follower.asOf(260) as number) >= woke);
  assert.equal(follow(t, sole, 260).follower.asOf(260), undefined);
});

test('a follower continues after kills of the server, sooner than a pull expires', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const more = await fill(t, journal, 20);
  const { seqs } = follow(t, journal, 0);
  const took: number[] = [];
  for (let kill = 1, last = 20; kill <= 4; kill++, last += 10) {
    await waitUntil('it has caught up', () => seqs.length === last);
    await nats.kill();
    await nats.start();
    await more(last + 1, last + 10);
    // The added records have been acknowledged, so the server is already running. The measured time therefore does not
    // include the start of the server.
    const back = performance.now();
    await waitUntil('it goes on', () => seqs.length === last + 10);
    took.push(Math.round(performance.now() - back));
  }
  t.diagnostic(`goes on ${took.join(', ')} ms after the server`);
  assert.ok(Math.min(...took) < 3000);
  assert.deepEqual(seqs, upTo(1, 60));
});

test('a follower continues after two kills in quick succession', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const more = await fill(t, journal, 20);
  const { seqs } = follow(t, journal, 0);
  await waitUntil('it has caught up', () => seqs.length === 20);
  await nats.kill();
  await nats.start();
  const reconnected = new Promise<void>((resolve) => journal.onReconnect(resolve));
  await reconnected;
  // Kills the server while the follower creates its consumer again.
  await nats.kill();
  await nats.start();
  await more(21, 30);
  await waitUntil('it goes on', () => seqs.length === 30);
  assert.deepEqual(seqs, upTo(1, 30));
});

test('a follower fails at a missing message', async (t) => {
  const journal = await (await startNats(t)).connect();
  const more = await fill(t, journal, 16);
  await leaveHole(journal);
  await more(18, 30);
  const { seqs, ended } = follow(t, journal, 5);
  await assert.rejects(ended, (error: JournalHoleError) => {
    assert.ok(error instanceof JournalHoleError);
    return error.expected === 17 && error.found === 18;
  });
  assert.deepEqual(seqs, upTo(6, 16));
});

test('a follower fails when the stream is purged beyond the cursor', async (t) => {
  const journal = await (await startNats(t)).connect();
  const more = await fill(t, journal, 30);
  await purgeStream(journal, 'p00', 20);
  const { seqs, ended } = follow(t, journal, 10);
  await assert.rejects(ended, JournalHoleError);
  assert.deepEqual(seqs, []);
  const late = follow(t, journal, 20);
  await waitUntil('it reads the rest', () => late.seqs.length === 10);
  await purgeStream(journal, 'p00', 40);
  await more(31, 33);
  await assert.rejects(late.ended, JournalHoleError);
});

test('a follower fails when the stream is replaced while it reads', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const more = await fill(t, journal, 10);
  const { seqs, ended } = follow(t, journal, 0);
  await waitUntil('it has read', () => seqs.length === 10);
  await nats.kill();
  rmSync(join(nats.dataDir, 'nats/jetstream'), { recursive: true });
  await nats.start();
  await assert.rejects(ended, JournalCutError);
  await ensureStream(journal, 'p00', streamBytes);
  await more(11, 13);
  await assert.rejects(follow(t, journal, 10).ended, JournalCutError);
});

for (const [what, count, bytes, most] of [
  ['a hundred small messages', 250, 1000, 100],
  ['16 MiB of large messages', 24, 1_000_000, 16],
] as const) {
  test(`a follower reads at most ${what} ahead`, async (t) => {
    const journal = await (await startNats(t)).connect();
    await fill(t, journal, count, bytes);
    const follower = new Follower(journal, 'p00', 0, quiet);
    afterwards(t, () => follower.stop());
    const batches = follower.batches();
    const first = (await batches.next()).value as JournalMessage[];
    assert.ok(first.length <= most, `${first.length} messages`);
    const { delivered } = await onlyConsumer(journal);
    assert.ok(delivered.stream_seq <= most, `delivered up to ${delivered.stream_seq}`);
    follower.stop();
    assert.equal((await batches.next()).done, true);
  });
}

test('a follower continues after a pull that is full, sooner than the pull expires', async (t) => {
  const journal = await (await startNats(t)).connect();
  await fill(t, journal, 24, 1_000_000);
  const large = follow(t, journal, 0);
  await waitUntil('it has read the large messages', () => large.seqs.length === 24, 4000);
  assert.deepEqual(large.seqs, upTo(1, 24));
  const more = await fill(t, journal, 0);
  await more(25, 330);
  const small = follow(t, journal, 24);
  await waitUntil('it has read the small messages', () => small.seqs.length === 306, 4000);
  assert.deepEqual(small.seqs, upTo(25, 330));
});

test('a follower knows whether the stream contains more than it has read', async (t) => {
  const journal = await (await startNats(t)).connect();
  await fill(t, journal, 150);
  const follower = new Follower(journal, 'p00', 0, quiet);
  afterwards(t, () => follower.stop());
  const seen: [number, boolean][] = [];
  for await (const batch of follower.batches()) {
    const { seq } = batch[batch.length - 1] as JournalMessage;
    seen.push([seq, follower.isBehind]);
    if (seq === 150) follower.stop();
  }
  for (const [seq, isBehind] of seen) assert.equal(isBehind, seq < 150, `after ${seq}`);
});

test('a follower stops promptly while it waits for messages', async (t) => {
  const journal = await (await startNats(t)).connect();
  await fill(t, journal, 3);
  for (const when of ['at once', 'after reading']) {
    const { follower, seqs, ended } = follow(t, journal, 0);
    if (when === 'after reading') await waitUntil('it has read', () => seqs.length === 3);
    const started = performance.now();
    follower.stop();
    await ended;
    const took = performance.now() - started;
    assert.ok(took < 4000, `stopped ${when} in ${took} ms`);
  }
});

test('a follower stops promptly while the server is down', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  await fill(t, journal, 3);
  const { follower, seqs, ended } = follow(t, journal, 0);
  await waitUntil('it has read', () => seqs.length === 3);
  await nats.kill();
  const started = performance.now();
  follower.stop();
  await ended;
  assert.ok(performance.now() - started < 4000);
});

test('a stopped follower leaves no consumer on the server', async (t) => {
  const journal = await (await startNats(t)).connect();
  await fill(t, journal, 3);
  const { follower, seqs, ended } = follow(t, journal, 0);
  await waitUntil('it has read', () => seqs.length === 3);
  follower.stop();
  await ended;
  await waitUntil('the consumer is gone', async () => (await consumers(journal)).length === 0);
});

async function consumers(journal: Journal) {
  return journal.manager.consumers.list(streamOf('p00')).next();
}

async function onlyConsumer(journal: Journal) {
  const [consumer, ...others] = await consumers(journal);
  assert.ok(consumer && others.length === 0);
  return consumer;
}
