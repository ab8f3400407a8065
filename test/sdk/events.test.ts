/**
 * Tests the stream of live events in the client: parsing of chunks that end anywhere, and new connections after breaks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createClient } from '../../sdk/client.ts';
import { ForbiddenError, NotFoundError, TidingsError, UnauthorizedError } from '../../sdk/errors.ts';
import { EventReader, type EventText, type ReceivedEvent, streamEvents } from '../../sdk/events.ts';
import { type Script, startScriptedServer } from '../helpers/scripted-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Returns a script that sends texts in pieces of their own, and then ends or breaks the reply, or keeps it open. */
function stream(then: 'end' | 'break' | 'stay', ...texts: string[]): Script {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const next = (): void => {
      const text = texts.shift();
      if (text !== undefined) response.write(text, () => setImmediate(next));
      else if (then === 'end') response.end();
      else if (then === 'break') response.destroy();
    };
    response.flushHeaders();
    next();
  };
}

function refusal(status: number, headers: Record<string, string> = {}): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end('{"error":"Some","message":"Not so."}');
  };
}

const pub = (n: number) => `id: m-${n}\nevent: publication.status\ndata: {"publicationId":"pub_${n}"}\n\n`;

/** Reads events until there are `count`. */
async function take(events: AsyncIterable<ReceivedEvent>, count: number): Promise<ReceivedEvent[]> {
  const taken: ReceivedEvent[] = [];
  for await (const event of events) if (taken.push(event) === count) break;
  return taken;
}

function namesOf(events: readonly ReceivedEvent[]): string[] {
  return events.map(({ event, data }) => ('publicationId' in data ? data.publicationId : event));
}

const text = [
  '\ufeffretry: 1500\r\n',
  ': a comment\n',
  'event: draft.status\r',
  'data: {"a":\r\ndata: "ü € 😀"}\n',
  'id:m-1\r\n\r\n',
  'data\n\n',
  'id: m-2\n\n',
  'event: lost\n\n',
  'id: with\0nul\nunknown: x\ndata:  two spaces\r\n\n',
].join('');
const parsedText: EventText[] = [
  { event: 'draft.status', data: '{"a":\n"ü € 😀"}', id: 'm-1' },
  { event: 'message', data: '', id: 'm-1' },
  { event: 'message', data: ' two spaces', id: 'm-2' },
];

test('events are parsed, wherever chunks end', () => {
  const bytes = Buffer.from(text);
  const cuts = fc
    .array(fc.nat(bytes.length), { maxLength: 30 })
    .map((all) => [...all, bytes.length].sort((a, b) => a - b));
  fc.assert(
    fc.property(cuts, (ends) => {
      const reader = new EventReader();
      let start = 0;
      const events = ends.flatMap((end) => {
        const chunk = bytes.subarray(start, end);
        start = end;
        return reader.read(chunk);
      });
      assert.deepEqual(events, parsedText);
      assert.deepEqual([reader.id, reader.retryMs], ['m-2', 1500]);
    }),
  );
  const reader = new EventReader();
  assert.deepEqual(
    [...bytes].flatMap((byte) => reader.read(Uint8Array.of(byte))),
    parsedText,
  );
});

test('an event without an end is refused before it fills the memory', () => {
  const reader = new EventReader();
  const chunk = Buffer.from(`data: ${'x'.repeat(100_000)}\n`);
  assert.throws(() => {
    for (let i = 0; i < 20; i++) reader.read(chunk);
  }, /too long/);
});

test('the client connects again after a break and continues after its last event', async (t) => {
  const { sending, seen, waits } = await startScriptedServer(t, [
    stream('end', 'retry: 100\nid: m-0\n\n', pub(1), pub(2)),
    stream('break', ': heartbeat\nid: m-7\n\n'),
    stream('end', 'id: m-8\nevent: reset\ndata: {}\n\n'),
    stream('stay', pub(9)),
  ]);
  const events = await take(streamEvents(sending), 4);
  assert.deepEqual(namesOf(events), ['pub_1', 'pub_2', 'reset', 'pub_9']);
  assert.deepEqual(
    events.map(({ id }) => id),
    ['m-1', 'm-2', 'm-8', 'm-9'],
  );
  assert.deepEqual(
    seen.map((headers) => headers['last-event-id']),
    [undefined, 'm-2', 'm-7', 'm-8'],
  );
  const [{ path, accept, authorization } = {}] = seen;
  assert.deepEqual([path, accept, authorization], ['/api/events', 'text/event-stream', 'Bearer k']);
  assert.ok(waits[0] !== undefined && waits[0] >= 50 && waits[0] <= 100, `waited ${waits[0]} ms`);
});

test('no event is lost, wherever the connection breaks', async (t) => {
  const ids = ['m-1', 'm-2', 'm-4'];
  const whole = Buffer.from(`retry: 10\n\nid: m-0\n\n${pub(1)}${pub(2)}: heartbeat\nid: m-3\n\n${pub(4)}`);
  for (let end = 0; end <= whole.length; end++) {
    const reader = new EventReader('m-0');
    const before = reader.read(whole.subarray(0, end)).map(({ id }) => id);
    const after = ids.filter((id) => id > reader.id);
    assert.deepEqual([...before, ...after], ids, `the first ${end} bytes`);
  }
  const { sending, seen } = await startScriptedServer(t, [
    stream('break', 'id: m-0\n\n', 'id: m-1\nevent: publication.sta'),
    stream('stay', pub(1)),
  ]);
  assert.deepEqual(namesOf(await take(streamEvents(sending), 1)), ['pub_1']);
  assert.equal(seen[1]?.['last-event-id'], 'm-0');
});

test('a client waits at most 30 seconds, whatever the service writes into its stream', async (t) => {
  const { sending, waits } = await startScriptedServer(t, [
    stream('end', 'retry: 999999999\n\n', pub(1)),
    stream('stay', pub(2)),
  ]);
  assert.deepEqual(namesOf(await take(streamEvents(sending), 2)), ['pub_1', 'pub_2']);
  assert.ok((waits[0] as number) <= 30_000, `waited ${waits[0]} ms`);
});

test('a connection does not count as silent while the caller handles a reset', async (t) => {
  const { sending, seen } = await startScriptedServer(t, [stream('break'), stream('stay', pub(1))]);
  // The connection may be silent for `timeoutMs` before its reply, and for longer after it.
  sending.timeoutMs = 500;
  const names: string[] = [];
  for await (const event of streamEvents(sending)) {
    names.push(...namesOf([event]));
    if (event.event !== 'reset' || names.length === 3) break;
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
  assert.deepEqual([names, seen.length], [['reset', 'pub_1'], 2]);
});

test('the client begins where the caller says', async (t) => {
  const { sending, seen } = await startScriptedServer(t, [stream('stay', pub(4))]);
  await take(streamEvents(sending, { lastEventId: 'm-3' }), 1);
  assert.equal(seen[0]?.['last-event-id'], 'm-3');
});

test('a connection that breaks before it has a position leads to a reset', async (t) => {
  const { sending } = await startScriptedServer(t, [stream('break'), stream('stay', pub(1))]);
  assert.deepEqual(namesOf(await take(streamEvents(sending), 2)), ['reset', 'pub_1']);
});

test('waits grow while the service fails, and are as long as it asks', async (t) => {
  const failing = Array.from({ length: 7 }, () => refusal(500));
  const { sending, waits } = await startScriptedServer(t, [
    ...failing,
    refusal(429, { 'retry-after': '77' }),
    stream('end', 'retry: 10\n\n', pub(1)),
    stream('stay', pub(2)),
  ]);
  assert.deepEqual(namesOf(await take(streamEvents(sending), 2)), ['pub_1', 'pub_2']);
  for (const [i, wait] of waits.slice(0, 7).entries()) {
    const longest = Math.min(2000 * 2 ** (i + 1), 30_000);
    assert.ok(wait >= longest / 2 && wait <= longest, `wait ${i} is ${wait} ms`);
  }
  assert.ok((waits[7] as number) >= 77_000);
  assert.ok((waits[8] as number) <= 10, 'after a success, the wait is short again');
});

test('the caller learns when the stream is open, and why it waits', async (t) => {
  const { sending } = await startScriptedServer(t, [
    refusal(429),
    refusal(503),
    stream('end', pub(1)),
    stream('stay', pub(2)),
  ]);
  const states: unknown[] = [];
  const onState = (state: string, error?: unknown) =>
    void states.push([state, error instanceof TidingsError ? error.status : error]);
  await take(streamEvents(sending, { onState }), 2);
  assert.deepEqual(states, [
    ['waiting', 429],
    ['waiting', 503],
    ['open', undefined],
    ['waiting', undefined],
    ['open', undefined],
  ]);
});

test('a refusal ends the stream with its error', async (t) => {
  for (const [status, Refusal] of [
    [401, UnauthorizedError],
    [403, ForbiddenError],
    [404, NotFoundError],
    [302, TidingsError],
  ] as const) {
    const { sending, seen, waits } = await startScriptedServer(t, [
      stream('end', pub(1)),
      refusal(status, { location: '/x' }),
    ]);
    const names: string[] = [];
    const read = async () => {
      for await (const { event } of streamEvents(sending)) names.push(event);
    };
    await assert.rejects(read(), (error) => error instanceof Refusal && error.status === status);
    assert.deepEqual([names, seen.length, waits.length], [['publication.status'], 2, 1]);
  }
});

test('a reply that is not a stream of events ends with an error', async (t) => {
  const { sending } = await startScriptedServer(t, [
    (response) => void response.setHeader('content-type', 'text/html').end('<p>'),
  ]);
  await assert.rejects(take(streamEvents(sending), 1), /not a stream of events but "text\/html"/);
});

test('a signal ends the stream without an error: while it waits, and between connections', async (t) => {
  const { sending, seen } = await startScriptedServer(t, [stream('stay', pub(1))]);
  const abort = new AbortController();
  const names: string[] = [];
  for await (const { event } of streamEvents(sending, { signal: abort.signal })) {
    names.push(event);
    setImmediate(() => abort.abort());
  }
  assert.deepEqual([names, seen.length], [['publication.status'], 1]);
  assert.deepEqual(await take(streamEvents(sending, { signal: AbortSignal.abort() }), 1), []);
  const later = new AbortController();
  const waiting = await startScriptedServer(t, [refusal(500)]);
  waiting.sending.sleep = (_, signal) => {
    setImmediate(() => later.abort());
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  assert.deepEqual(await take(streamEvents(waiting.sending, { signal: later.signal }), 1), []);
});

test('a caller that leaves its loop closes the connection', async (t) => {
  let isClosed = false;
  const { sending } = await startScriptedServer(t, [
    (response, nth) => {
      response.on('close', () => {
        isClosed = true;
      });
      stream('stay', pub(1))(response, nth);
    },
  ]);
  await take(createClient({ url: sending.url, key: 'k' }).events(), 1);
  await waitUntil('the connection is closed', () => isClosed);
});

test('events that are not JSON are left out', async (t) => {
  const { sending } = await startScriptedServer(t, [stream('stay', 'event: x\ndata: nonsense\n\n', pub(1))]);
  assert.deepEqual(namesOf(await take(streamEvents(sending), 1)), ['pub_1']);
});
