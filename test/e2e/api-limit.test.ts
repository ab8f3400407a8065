/**
 * Tests the API limits over HTTP. A key has 100 requests per minute and 1,000 per hour. An organization has five times
 * as many, and 10,000 requests per day. The limits are exact over many connections and over a restart, and headers
 * report them (spec 8).
 */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { apiRoutes } from '../../src/api/routes.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';

const connections = 64;
const specLimits = {
  TIDINGS_LIMIT_API_PER_MINUTE: '100',
  TIDINGS_LIMIT_API_PER_HOUR: '1000',
  TIDINGS_LIMIT_API_PER_DAY: '10000',
  TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '100',
  TIDINGS_LIMIT_WEBHOOKS_PER_HOUR: '1000',
};

/**
 * A reply to one of many requests, with the times at which the request was sent and the reply received, in milliseconds
 * since 1970.
 */
interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: { message: string; retryAfter: number };
  sent: number;
  received: number;
}

function ask(service: TestService, key: string, agent: Agent, sockets: Set<Socket>): Promise<Reply> {
  const sent = Date.now();
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const outgoing = request(`${service.url}/api/repos`, { agent, headers }, (answer) => {
      sockets.add(answer.socket);
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, body: JSON.parse(text), sent, received: Date.now() });
      });
    });
    outgoing.on('error', reject).end();
  });
}

/** Sends `count` requests over 64 connections and returns all replies. */
async function askOverMany(service: TestService, key: string, count: number): Promise<Reply[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const sockets = new Set<Socket>();
  const replies = await Promise.all(Array.from({ length: count }, () => ask(service, key, agent, sockets)));
  assert.equal(sockets.size, connections);
  agent.destroy();
  return replies;
}

function split(replies: readonly Reply[]): { passed: Reply[]; refused: Reply[] } {
  const passed = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 429);
  assert.equal(passed.length + refused.length, replies.length);
  return { passed, refused };
}

/**
 * Asserts that each refused request reports the time until its window ends. The exact start of the window is unknown.
 * `began` contains the earliest and the latest possible start.
 */
function assertWaits(refused: readonly Reply[], began: [number, number], seconds: number): void {
  const [earliest, latest] = began.map((moment) => moment + seconds * 1000) as [number, number];
  for (const { headers, body, sent, received } of refused) {
    assert.equal(headers['retry-after'], String(body.retryAfter));
    assert.ok(body.retryAfter * 1000 >= earliest - received, `${body.retryAfter} is too short`);
    assert.ok(body.retryAfter * 1000 < latest - sent + 1000, `${body.retryAfter} is too long`);
    const reset = Number(headers['x-ratelimit-reset']) * 1000;
    // The test allows one second for rounding. It allows another second at the upper bound, because the test and the
    // service read their clocks at different times.
    assert.ok(reset >= earliest - 1000 && reset <= latest + 2000, `${reset} is when the window ends`);
    assert.match(body.message, new RegExp(`Wait ${body.retryAfter} seconds\\.$`));
  }
}

function beganBetween(replies: readonly Reply[]): [number, number] {
  return [Math.min(...replies.map(({ sent }) => sent)), Math.min(...replies.map(({ received }) => received))];
}

function createKey(service: TestService, org: string): string {
  return service.tidings('keys', 'create', '--org', org, '--name', 'k', '--quiet').trim();
}

test('the API has a limit per key and organization', async (t) => {
  const service = await startService(t, { env: specLimits });
  const key = service.tidings('keys', 'create', '--org', 'acme', '--name', 'a', '--quiet').trim();
  const other = service.tidings('keys', 'create', '--org', 'acme', '--name', 'b', '--quiet').trim();
  const reader = service
    .tidings('keys', 'create', '--org', 'acme', '--name', 'c', '--scopes', 'repos:read', '--quiet')
    .trim();

  await t.test('a request that is refused earlier does not count', async () => {
    assert.equal((await service.api('GET', '/api/repos', undefined, 'wrong')).status, 401);
    const forbidden = await service.api('GET', '/api/ranges?repoId=x', undefined, reader);
    assert.equal(forbidden.status, 403);
    assert.equal(forbidden.headers.get('x-ratelimit-remaining'), null);
    const { headers } = await service.api('GET', '/api/repos', undefined, reader);
    assert.equal(headers.get('x-ratelimit-remaining'), '99');
  });

  await t.test('exactly a hundred requests pass (spec 8)', async () => {
    const answers = await Promise.all(
      Array.from({ length: 130 }, () => service.api('GET', '/api/repos', undefined, key)),
    );
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    assert.deepEqual([passed.length, refused.length], [100, 30]);
    const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining'))).sort((a, b) => a - b);
    assert.deepEqual(
      remaining,
      Array.from({ length: 100 }, (_, i) => i),
    );
    for (const { headers, body } of refused) {
      assert.deepEqual(Object.keys(body).sort(), ['error', 'message', 'retryAfter']);
      assert.equal(body.error, 'Rate limit exceeded');
      assert.match(body.message, /100 requests per minute.*Wait \d+ seconds/);
      assert.ok(body.retryAfter >= 1 && body.retryAfter <= 60);
      assert.equal(headers.get('retry-after'), String(body.retryAfter));
      assert.equal(headers.get('x-ratelimit-limit'), '100');
      assert.equal(headers.get('x-ratelimit-remaining'), '0');
      const seconds = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000;
      assert.ok(seconds > 0 && seconds <= 61, String(seconds));
    }
  });

  await t.test('every kind of request counts', async () => {
    for (const [method, path] of [
      ['GET', '/api/drafts/draft_x'],
      ['POST', '/api/ranges'],
      ['GET', '/api/repos?limit=0'],
    ] as const) {
      assert.equal((await service.api(method, path, method === 'POST' ? {} : undefined, key)).status, 429, path);
    }
  });

  await t.test('the 101st request in a minute gets 429 and the right wait over 64 connections (spec 8)', async () => {
    const busy = createKey(service, 'acme');
    const replies = await askOverMany(service, busy, 250);
    const { passed, refused } = split(replies);
    assert.deepEqual([passed.length, refused.length], [100, 150]);
    assertWaits(refused, beganBetween(replies), 60);
    for (const { body } of refused) assert.match(body.message, /^The limit of 100 requests per minute per API key/);
    const left = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining'])).sort((a, b) => a - b);
    assert.deepEqual(
      left,
      Array.from({ length: 100 }, (_, i) => i),
    );
  });

  await t.test('all limits are those of the spec (spec 8)', async () => {
    const { headers } = await service.api('GET', '/api/repos', undefined, createKey(service, 'acme'));
    assert.equal(
      headers.get('ratelimit-policy'),
      '"key-min";q=100;w=60, "org-min";q=500;w=60, "key-hour";q=1000;w=3600, "org-hour";q=5000;w=3600, "org-day";q=10000;w=86400',
    );
  });

  await t.test('an organization has the windows of five keys, however many keys it has', async () => {
    const keys = Array.from({ length: 6 }, () => createKey(service, 'moon'));
    const replies = (await Promise.all(keys.map((each) => askOverMany(service, each, 100)))).flat();
    const { passed, refused } = split(replies);
    assert.deepEqual([passed.length, refused.length], [500, 100]);
    for (const { body } of refused)
      assert.match(body.message, /^The limit of 500 requests per minute per organization/);
    const [answer] = refused.slice(-1);
    assert.match(String(answer?.headers.ratelimit), /^"org-min";r=0;t=\d+$/);
    assert.equal(answer?.headers['x-ratelimit-limit'], '500');
    const asTest = await fetch(`${service.url}/api/repos`, {
      headers: { authorization: `Bearer ${keys[0]}`, 'x-test-mode': 'true' },
    });
    assert.equal(asTest.status, 200, 'test mode has separate windows');
    const { status } = await service.api('GET', '/api/repos', undefined, createKey(service, 'umbrella'));
    assert.equal(status, 200, 'another organization is not limited');
  });

  await t.test('every response of the API has the three headers (spec 8)', async () => {
    for (const { method, path, operation } of apiRoutes) {
      const writes = method !== 'GET' && method !== 'DELETE';
      const { status, headers } = await service.api(method, path.replace(/:\w+/g, 'x'), writes ? {} : undefined);
      assert.ok(status !== 401 && status !== 429, operation);
      const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((each) =>
        headers.get(`x-ratelimit-${each}`),
      );
      assert.equal(limit, '100', operation);
      assert.match(String(remaining), /^\d\d?$/, operation);
      assert.match(String(reset), /^\d{10}$/, operation);
    }
  });

  await t.test('the deliveries for one repository in a minute are not delayed (spec 8)', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => service.deliver('pull_request', pullPayload(i + 1))),
    );
    assert.ok(answers.every(({ status }) => status === 202));
    assert.equal(await service.metric('tidings_webhooks_delayed_total'), 0);
  });

  await t.test('another key is not limited', async () => {
    const { status, headers } = await service.api('GET', '/api/drafts/draft_x', undefined, other);
    assert.equal(status, 404);
    assert.equal(headers.get('x-ratelimit-remaining'), '99', 'a request that fails counts too');
  });
});

test('the limits of an hour and a day hold over a restart', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const env = { TIDINGS_LIMIT_API_PER_HOUR: '100', TIDINGS_LIMIT_API_PER_DAY: '150' };
  const service = await startService(t, { dataDir, env });
  const [first, second] = [createKey(service, 'acme'), createKey(service, 'acme')];
  let began: [number, number] = [0, 0];
  let reset = 0;

  await t.test('the limit of an hour of a key is exact (spec 8)', async () => {
    const replies = await askOverMany(service, first, 130);
    const { passed, refused } = split(replies);
    began = beganBetween(replies);
    assert.deepEqual([passed.length, refused.length], [100, 30]);
    assertWaits(refused, began, 3600);
    for (const { body } of refused) assert.match(body.message, /^The limit of 100 requests per hour per API key/);
  });

  await t.test('the limit of a day of an organization is exact for all its keys (spec 8)', async () => {
    const { passed, refused } = split(await askOverMany(service, second, 130));
    assert.deepEqual([passed.length, refused.length], [50, 80]);
    assertWaits(refused, began, 86_400);
    for (const { body } of refused) assert.match(body.message, /^The limit of 150 requests per day per organization/);
    reset = Number(refused[0]?.headers['x-ratelimit-reset']);
    const { headers } = await service.api('GET', '/api/repos', undefined, createKey(service, 'umbrella'));
    assert.equal(headers.get('x-ratelimit-remaining'), '99', 'another organization is not limited');
  });

  await t.test('a restart gives back no used request of the day (spec 8)', async () => {
    assert.equal(await service.stop(), 0);
    const next = await startService(t, { dataDir, env });
    const { passed, refused } = split(await askOverMany(next, first, 70));
    assert.deepEqual([passed.length, refused.length], [0, 70]);
    assertWaits(refused, began, 86_400);
    const moved = Number(refused[0]?.headers['x-ratelimit-reset']) - reset;
    assert.ok(Math.abs(moved) <= 1, 'it is the same day');
  });
});
