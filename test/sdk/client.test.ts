/**
 * Tests how often the client polls a draft that is being written.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient } from '../../sdk/client.ts';
import { afterwards } from '../helpers/cleanup.ts';

test('client - polls a draft at most once per second (spec 8)', async (t) => {
  const asked: number[] = [];
  const server = createServer((_, response) => {
    asked.push(performance.now());
    const status = asked.length < 3 ? 'processing' : 'ready';
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'draft_1', status }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => server.close());
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' });
  assert.equal((await client.waitForDraft('draft_1')).status, 'ready');
  const [first = 0, second = 0, third = 0] = asked;
  assert.equal(asked.length, 3);
  // A timer of one second may fire a few milliseconds early, as measured with the clock of this test.
  for (const gap of [second - first, third - second]) assert.ok(gap >= 995, `asked again after ${gap} ms`);
});
