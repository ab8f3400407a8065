/**
 * Tests how often the client polls a draft that is being written, that it reads all pages of a list, and how it
 * authenticates.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type Client, createClient } from '../../sdk/client.ts';
import { afterwards } from '../helpers/cleanup.ts';

async function clientOf(t: TestContext, server: Server): Promise<Client> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => server.close());
  return createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'k' });
}

test('client - polls a draft at most once per second (spec 8)', async (t) => {
  const asked: number[] = [];
  const server = createServer((_, response) => {
    asked.push(performance.now());
    const status = asked.length < 3 ? 'processing' : 'ready';
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: 'draft_1', status }));
  });
  const client = await clientOf(t, server);
  assert.equal((await client.waitForDraft('draft_1')).status, 'ready');
  const [first = 0, second = 0, third = 0] = asked;
  assert.equal(asked.length, 3);
  // A timer of one second may fire a few milliseconds early, as measured with the clock of this test.
  for (const gap of [second - first, third - second]) assert.ok(gap >= 995, `asked again after ${gap} ms`);
});

test('client - follows the offsets of a list, then its cursors', async (t) => {
  const pages = [
    { pulls: [{ number: 9 }], nextOffset: 1, nextCursor: '5' },
    { pulls: [{ number: 8 }], nextOffset: null, nextCursor: '5' },
    { pulls: [], nextOffset: null, nextCursor: '2' },
    { pulls: [{ number: 1 }], nextOffset: null, nextCursor: null },
  ];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const page = pages[asked.length];
    asked.push(request.url?.split('?')[1] ?? '');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  const client = await clientOf(t, server);
  const numbers: number[] = [];
  for await (const pull of client.each('listPullRequests', { repoId: 'repo_1', state: 'open' }))
    numbers.push(pull.number);
  assert.deepEqual(numbers, [9, 8, 1]);
  assert.deepEqual(asked, [
    'state=open&limit=100&offset=0',
    'state=open&limit=100&offset=1',
    'state=open&limit=100&offset=0&cursor=5',
    'state=open&limit=100&offset=0&cursor=2',
  ]);
});

test('client - sends the value of the session instead of a key', async () => {
  const sent: RequestInit[] = [];
  const reply = async (_: unknown, init: RequestInit = {}) => {
    sent.push(init);
    return Response.json({ id: 'repo_1' });
  };
  let csrf: string | undefined;
  const options = { url: '', fetch: reply as typeof fetch };
  const page = createClient({ ...options, session: { csrf: () => csrf } });
  await page.createSession({ code: 'c' });
  csrf = 'value';
  await page.getRepository({ repoId: 'repo_1' });
  await createClient({ ...options, session: { csrf: 'fixed' } }).getRepository({ repoId: 'repo_1' });
  await createClient({ ...options, key: 'k' }).getRepository({ repoId: 'repo_1' });
  const seen = sent.map(({ headers, credentials }) => {
    const { authorization, 'x-tidings-csrf': value } = headers as Record<string, string>;
    return [authorization, value, credentials];
  });
  assert.deepEqual(seen, [
    [undefined, undefined, 'same-origin'],
    [undefined, 'value', 'same-origin'],
    [undefined, 'fixed', 'same-origin'],
    ['Bearer k', undefined, undefined],
  ]);
  // @ts-expect-error a client has a key or a session, not both
  createClient({ url: '', key: 'k', session: { csrf: 'c' } });
  // @ts-expect-error a client without a key needs a session
  createClient({ url: '' });
});

test('client - makes one attempt to sign in, whatever the failure', async () => {
  for (const status of [429, 503, 0]) {
    let attempts = 0;
    const fetch = async () => {
      attempts += 1;
      if (status === 0) throw new TypeError('The connection broke.');
      return new Response('{"error":"Some","message":"Not so."}', { status, headers: { 'retry-after': '0' } });
    };
    const client = createClient({ url: 'http://127.0.0.1', session: { csrf: '' }, fetch });
    await assert.rejects(client.createSession({ code: 'c' }));
    assert.equal(attempts, 1, String(status));
  }
});
