/**
 * Tests requests to real servers on loopback. A forbidden request is refused before any byte is sent, and a long reply
 * is cut. If a request fails, the error states whether the request may have arrived.
 */
import assert from 'node:assert/strict';
import { createServer as createTcpServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  Egress,
  EgressError,
  type EgressOptions,
  type EgressRequest,
  retryAfterMs,
} from '../../../src/egress/egress.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { flood, hang, reset, startReceiver, status } from '../../helpers/receiver.ts';

const loopback = { allow: ['127.0.0.0/8', '::1'], allowHttp: false };

function open(t: TestContext, options: EgressOptions = loopback): Egress {
  const egress = new Egress(options);
  afterwards(t, () => egress.close());
  return egress;
}

const post = (url: string, more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: 'POST',
  url,
  body: '{}',
  timeoutMs: 10_000,
  ...more,
});

/** Returns the fields of the EgressError with which a request fails. */
async function failure(promise: Promise<unknown>): Promise<Pick<EgressError, 'kind' | 'sent' | 'message'>> {
  const error = await promise.then(
    () => assert.fail('the request succeeded'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof EgressError, String(error));
  return { kind: error.kind, sent: error.sent, message: error.message };
}

test('sends method, path, headers and body and reads the reply', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = status(201, { 'x-one': 'a', 'retry-after': '7' }, 'done');
  const reply = await open(t).request(post(`${receiver.url}/a/b?c=d`, { headers: { 'X-Id': '5' }, body: 'né' }));
  assert.deepEqual([reply.status, reply.body.toString(), reply.truncated], [201, 'done', false]);
  assert.deepEqual([reply.headers['x-one'], retryAfterMs(reply, 0)], ['a', 7000]);
  const [got] = receiver.received;
  assert.deepEqual([got?.method, got?.path, got?.headers['x-id'], got?.body], ['POST', '/a/b?c=d', '5', 'né']);
  assert.equal(got?.headers['user-agent'], 'Tidings');
});

test('refuses loopback by number and by name before a connection is made', async (t) => {
  const receiver = await startReceiver(t);
  const strict = open(t, { allow: [], allowHttp: true });
  const port = new URL(receiver.url).port;
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0'])
    for (const scheme of ['http', 'https'])
      assert.deepEqual(
        (({ kind, sent }) => [kind, sent])(await failure(strict.request(post(`${scheme}://${host}:${port}/`)))),
        ['refused', false],
        `${scheme}://${host}`,
      );
  assert.equal(receiver.connections, 0);
});

test('judges the resolved address of a plain http name', async (t) => {
  const receiver = await startReceiver(t);
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  assert.equal((await open(t).request(post(url))).status, 204);
  // The URL contains a name, not an address. The first check accepts the name, because the settings allow plain HTTP to
  // 10.0.0.0/8. The request is then refused, because the name resolves to an address outside this network.
  const other = await failure(open(t, { allow: ['10.0.0.0/8'], allowHttp: false }).request(post(url)));
  assert.deepEqual([other.kind, other.sent], ['refused', false]);
  assert.equal(receiver.connections, 1);
});

test('does not follow a redirect', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = status(307, { location: 'http://127.0.0.1:9/' });
  const reply = await open(t).request(post(receiver.url));
  assert.deepEqual([reply.status, reply.headers.location], [307, 'http://127.0.0.1:9/']);
  assert.equal(receiver.received.length, 1);
});

test('reads 64 KiB of a long body and drops the connection', async (t) => {
  const receiver = await startReceiver(t);
  const dropped = new Promise((resolve) => {
    receiver.answer = flood(resolve);
  });
  const reply = await open(t).request(post(receiver.url));
  assert.deepEqual([reply.status, reply.body.length, reply.truncated], [200, 65_536, true]);
  assert.equal(await dropped, true, 'the whole flood was taken');
});

test('reads a body of exactly 64 KiB whole', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = status(200, {}, 'x'.repeat(65_536));
  const reply = await open(t).request(post(receiver.url));
  assert.deepEqual([reply.body.length, reply.truncated], [65_536, false]);
});

test('reports whether a failed request may have arrived', async (t) => {
  const receiver = await startReceiver(t);
  const egress = open(t);
  receiver.answer = hang;
  // The timers are mocked, so that the timeout cannot fire before the request has arrived.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const waiting = failure(egress.request(post(receiver.url, { timeoutMs: 200 })));
  while (receiver.received.length === 0) await new Promise(setImmediate);
  t.mock.timers.tick(200);
  const late = await waiting;
  t.mock.timers.reset();
  assert.deepEqual([late.kind, late.sent], ['timeout', true]);
  receiver.answer = reset;
  const broken = await failure(egress.request(post(receiver.url)));
  assert.deepEqual([broken.kind, broken.sent], ['network', true]);
  await receiver.close();
  const none = await failure(egress.request(post(`${receiver.url}/secret-path`)));
  assert.deepEqual([none.kind, none.sent], ['network', false]);
  assert.match(none.message, /^the connection could not be opened \(ECONNREFUSED\)$/);
});

test('reports nothing as sent while the connection is being made', async (t) => {
  // The server accepts connections but never replies to the TLS handshake.
  const sockets = new Set<{ destroy(): void }>();
  const silent = createTcpServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  afterwards(t, () => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as { port: number };
  const late = await failure(open(t).request(post(`https://127.0.0.1:${port}/`, { timeoutMs: 200 })));
  assert.deepEqual([late.kind, late.sent], ['timeout', false]);
});

test('ends a request by the signal', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = hang;
  const stop = new AbortController();
  const waiting = failure(open(t).request(post(receiver.url, { signal: stop.signal })));
  while (receiver.received.length === 0) await new Promise(setImmediate);
  stop.abort();
  assert.deepEqual(await waiting, { kind: 'network', sent: true, message: 'the request was stopped' });
  const before = await failure(open(t).request(post(receiver.url, { signal: AbortSignal.abort() })));
  assert.equal(before.sent, false);
});

test('refuses line breaks in headers', async (t) => {
  const receiver = await startReceiver(t);
  const egress = open(t);
  const lists: Record<string, string>[] = [
    { a: 'b\r\nc: d' },
    { a: 'b\nc' },
    { 'a\r\nb': 'c' },
    { 'a b': 'c' },
    { a: '\u0000' },
    { a: '→' },
  ];
  for (const headers of lists)
    assert.equal((await failure(egress.request(post(receiver.url, { headers })))).kind, 'refused');
  assert.equal(receiver.connections, 0);
});

test('resolves names for other protocols under the same rule', async (t) => {
  const addresses = await open(t).resolve('localhost');
  assert.ok(addresses.length > 0);
  for (const address of addresses) assert.match(address, /^(127\.0\.0\.1|::1)$/);
  for (const name of ['localhost', '127.0.0.1', '0x7f.1', '::1', '[::1]', '169.254.169.254'])
    assert.equal((await failure(open(t, { allow: [], allowHttp: true }).resolve(name))).kind, 'refused', name);
  // An invalid name is not sent to any DNS server.
  assert.equal((await failure(open(t).resolve('no such name'))).kind, 'network');
});

test('reads Retry-After in seconds and as a date, capped at one hour', () => {
  const now = Date.UTC(2026, 0, 1);
  const read = (value: string): number | undefined => retryAfterMs({ headers: { 'retry-after': value } }, now);
  assert.deepEqual(['0', ' 30 ', '99999999'].map(read), [0, 30_000, 3_600_000]);
  assert.deepEqual(['Thu, 01 Jan 2026 00:02:00 GMT', 'Wed, 31 Dec 2025 00:00:00 GMT'].map(read), [120_000, 0]);
  assert.deepEqual(['', '-1', '1.5', 'soon', '2026-13-45'].map(read), Array(5).fill(undefined));
  assert.equal(retryAfterMs({ headers: {} }, now), undefined);
});
