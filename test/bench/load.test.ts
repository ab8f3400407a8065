/**
 * Tests the load program against a real server: the number of requests, the mixture of requests, and latencies at a
 * fixed rate.
 */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type RequestSource, startLoad } from '../../bench/load.ts';

const secret = 'a-secret-of-the-test';
const deliveries: RequestSource = { kind: 'deliveries', secret, run: '0badcafe', repeats: false };

/** A request that the server has received. */
interface Received {
  id: string;
  status: number;
}

/** Starts a server that checks signatures, and a load program. Each reply takes at least `delayMs`. */
async function start(t: TestContext, source: RequestSource, delayMs = 0) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const wanted = `sha256=${createHmac('sha256', secret).update(Buffer.concat(pieces)).digest('hex')}`;
    const isSigned = request.headers['x-hub-signature-256'] === wanted;
    const status = request.method === 'GET' ? 200 : isSigned ? 202 : 401;
    received.push({ id: String(request.headers['x-scm-delivery']), status });
    await pause(delayMs);
    response.writeHead(status).end('body');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const load = await startLoad(source);
  t.after(async () => {
    await load.stop();
    server.close();
  });
  return { load, received, url: `http://127.0.0.1:${(server.address() as { port: number }).port}` };
}

test('a run with a count sends so many deliveries, each with an id of its own', async (t) => {
  const { load, received, url } = await start(t, deliveries);
  const result = await load.run({ url, connections: 4, count: 50 });
  assert.deepEqual(result.statuses, { 202: 50 });
  assert.equal(result.latencies.length, 50);
  assert.equal(new Set(result.acknowledged).size, 50);
  assert.equal(new Set(received.map(({ id }) => id)).size, 50);
  assert.equal(result.errors, 0);
});

test('a mixture has the wanted shares, and forged deliveries are refused', async (t) => {
  const mixture = { forgedPercent: 5, readPercent: 20, path: '/draft', headers: {} };
  const { load, received, url } = await start(t, { ...deliveries, mixture });
  const result = await load.run({ url, connections: 1, count: 100 });
  assert.deepEqual(result.statuses, { 202: 75 });
  assert.deepEqual(result.forgedReplies.statuses, { 401: 5 });
  assert.deepEqual(result.readReplies.statuses, { 200: 20 });
  const refused = received.filter(({ status }) => status === 401).map(({ id }) => Number(id.slice(-12)));
  assert.deepEqual(refused, [...result.forged]);
});

test('at a fixed rate, a latency counts from the time when the request was due', async (t) => {
  const [delayMs, rate] = [50, 100];
  const { load, url } = await start(t, deliveries, delayMs);
  const result = await load.run({ url, connections: 1, seconds: 0.2, rate });
  const count = result.latencies.length;
  assert.equal(count, 20);
  // The replies follow one another, so the last one comes after 20 delays, and its request was due after 190 ms.
  assert.ok(Math.max(...result.latencies) >= count * delayMs - (count - 1) * (1000 / rate) - 5);
});

test('replies with another body are counted', async (t) => {
  const source: RequestSource = { kind: 'get', path: '/', headers: {}, expectedBody: Buffer.from('bodY') };
  const { load, url } = await start(t, source);
  const { statuses, mismatches } = await load.run({ url, connections: 2, seconds: 1 });
  assert.ok(mismatches > 0);
  assert.deepEqual(statuses, { 200: mismatches });
});
