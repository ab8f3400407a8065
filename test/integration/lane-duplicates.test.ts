/**
 * Tests how a lane judges acknowledgements. A server that calls a new batch a duplicate is not believed, and the lane
 * sends the batch again under a new message id. Every other acknowledgement is believed. A batch that the servers still
 * replicate is not refused.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { journalMeters } from '../../src/foundation/metrics.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import type { Lane, Position } from '../../src/journal/lane.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { externalSettings, startExternal } from '../helpers/external-nats.ts';
import { quiet } from '../helpers/journal.ts';
import { type NatsFrame, type NatsProxy, startNatsProxy } from '../helpers/nats-proxy.ts';
import { openLane, recordIds, smallRecord, streamBytes } from '../helpers/partition-stream.ts';

interface Proxied {
  proxy: NatsProxy;
  journal: Journal;
  lane: Lane;
  /** Message ids of the batches that the lane has sent, one per attempt. */
  sent: string[];
}

/** Opens a lane whose messages pass a proxy in front of a real nats-server. */
async function openProxied(t: TestContext): Promise<Proxied> {
  const proxy = await startNatsProxy(t, await startExternal(t, ''));
  const settings = externalSettings(`nats://127.0.0.1:${proxy.port}`);
  const journal = await connectJournal(settings, { role: 'cli', name: 'test', meters: journalMeters }, quiet);
  afterwards(t, () => journal.close());
  // The lane needs up to six seconds for a batch that stays in process. A busy machine needs longer.
  const lane = await openLane(t, journal, { ackDeadlineMs: 30_000 });
  const sent: string[] = [];
  proxy.toServer = (frame) => {
    const id = messageId(frame);
    if (id !== undefined) sent.push(id);
    return frame.bytes;
  };
  return { proxy, journal, lane, sent };
}

const idHeader = /(?<=Nats-Msg-Id: )\w+/;

/** Returns the message id of a batch; undefined for other frames. */
function messageId({ line, bytes }: NatsFrame): string | undefined {
  return line.startsWith('HPUB tidings.records.') ? idHeader.exec(bytes)?.[0] : undefined;
}

const isDuplicate = (bytes: string): boolean => /"duplicate": ?true/.test(bytes);
const enqueue = (lane: Lane, id: string): Promise<Position> => lane.enqueue(smallRecord(id));

async function retried(): Promise<number> {
  const { values } = await journalMeters.enqueues.get();
  return values.find(({ labels }) => labels.outcome === 'retried')?.value ?? 0;
}

/**
 * Makes the server call the next batch a duplicate of an earlier one. The server then really drops the batch, as a
 * server that remembers the id of a message that an election has dropped.
 */
function spoilNext({ proxy, sent }: Proxied, former: string): void {
  proxy.toServer = (frame) => {
    const id = messageId(frame);
    if (id === undefined) return frame.bytes;
    return sent.push(id) === 3 ? frame.bytes.replace(idHeader, former) : frame.bytes;
  };
}

for (const [what, change] of [
  ['a sequence that is not above the last one', (bytes: string) => bytes],
  ['the sequence 0', (bytes: string) => bytes.replace(/"seq": ?\d/, (text) => text.replace(/\d/, '0'))],
] as const) {
  test(`a lane sends a batch again under a new id after a duplicate with ${what}`, async (t) => {
    const proxied = await openProxied(t);
    const { proxy, journal, lane, sent } = proxied;
    const before = await retried();
    await enqueue(lane, 'first');
    await enqueue(lane, 'second');
    spoilNext(proxied, sent[1] as string);
    proxy.toClient = ({ bytes }) => (isDuplicate(bytes) ? change(bytes) : bytes);
    assert.deepEqual(await enqueue(lane, 'third'), { seq: 3, index: 0 });
    assert.deepEqual(await recordIds(journal), ['first', 'second', 'third']);
    assert.equal(new Set(sent).size, 4, 'the second attempt has an id of its own');
    assert.equal((await retried()) - before, 1);
    assert.deepEqual(await enqueue(lane, 'fourth'), { seq: 4, index: 0 });
  });
}

test('a lane logs a false duplicate once', async (t) => {
  const proxied = await openProxied(t);
  const { proxy, lane, sent } = proxied;
  const warned = t.mock.method(quiet, 'warn');
  await enqueue(lane, 'first');
  await enqueue(lane, 'second');
  // The server calls three attempts duplicates.
  const former = sent[1] as string;
  proxy.toServer = (frame) => {
    const id = messageId(frame);
    return id !== undefined && sent.push(id) <= 5 ? frame.bytes.replace(idHeader, former) : frame.bytes;
  };
  assert.equal((await enqueue(lane, 'third')).seq, 3);
  const lines = warned.mock.calls.map(({ arguments: [fields] }) => String((fields as { err?: Error }).err));
  assert.deepEqual(lines, [
    'FalseDuplicateError: the server calls the batch a duplicate of sequence 2, but the previous batch has sequence 2',
  ]);
});

const inProcess =
  '{"error":{"code":409,"err_code":10158,"description":"duplicate message id is in process"},"stream":"X","seq":0}';

test('a lane waits for an attempt that the servers still replicate', async (t) => {
  const { proxy, journal, lane, sent } = await openProxied(t);
  await enqueue(lane, 'first');
  let replies = 0;
  proxy.toClient = ({ bytes }) => (/"seq": ?2/.test(bytes) && replies++ < 3 ? inProcess : bytes);
  assert.deepEqual(await enqueue(lane, 'second'), { seq: 2, index: 0 });
  assert.deepEqual(await recordIds(journal), ['first', 'second']);
  assert.deepEqual([sent.length, new Set(sent).size], [5, 2]);
});

test('a lane sends a batch under a new id if an attempt stays in process', async (t) => {
  const { proxy, journal, lane, sent } = await openProxied(t);
  await enqueue(lane, 'first');
  proxy.toClient = ({ bytes }) => (/"seq": ?2/.test(bytes) ? inProcess : bytes);
  assert.deepEqual(await enqueue(lane, 'second'), { seq: 3, index: 0 });
  proxy.toClient = ({ bytes }) => bytes;
  assert.deepEqual(await recordIds(journal), ['first', 'second', 'second']);
  assert.equal(new Set(sent).size, 3);
});

test('a lane believes a duplicate of its own earlier attempt', async (t) => {
  const { proxy, journal, lane, sent } = await openProxied(t);
  await enqueue(lane, 'first');
  let dropped = 0;
  proxy.toClient = ({ bytes }) => (/"seq": ?2/.test(bytes) && dropped++ === 0 ? undefined : bytes);
  assert.deepEqual(await enqueue(lane, 'second'), { seq: 2, index: 0 });
  assert.equal(dropped, 2, 'the second acknowledgement arrived');
  assert.deepEqual(await recordIds(journal), ['first', 'second']);
  assert.deepEqual([sent.length, new Set(sent).size], [3, 2]);
});

test('a lane believes a lower sequence of a stream that was replaced', async (t) => {
  const { proxy, journal, lane } = await openProxied(t);
  for (const id of ['a', 'b', 'c']) await enqueue(lane, id);
  await journal.manager.streams.delete(streamOf('p00'));
  await ensureStream(journal, 'p00', streamBytes);
  assert.deepEqual(await enqueue(lane, 'd'), { seq: 1, index: 0 });
  let dropped = 0;
  proxy.toClient = ({ bytes }) => (/"seq": ?2/.test(bytes) && dropped++ === 0 ? undefined : bytes);
  assert.deepEqual(await enqueue(lane, 'e'), { seq: 2, index: 0 });
  assert.deepEqual(await recordIds(journal), ['d', 'e']);
});
