/**
 * Tests requests that are admitted later than their bodies arrive, because another gateway counts them or because they
 * wait for positions. The memory of a waiting body is reserved once, and released with the reply.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Type } from '@sinclair/typebox';
import { toHttpRoute } from '../../../src/api/handle.ts';
import type { ApiRoute } from '../../../src/api/route.ts';
import type { ApiServices } from '../../../src/api/services.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import { startServer } from '../../../src/http/server.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { quiet } from '../../helpers/journal.ts';
import { talk } from '../../helpers/raw-socket.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const body = JSON.stringify({ text: 'x'.repeat(400) });
const size = Buffer.byteLength(body);
const head = `POST /it HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;

const route = {
  method: 'POST',
  path: '/it',
  operation: 'echo',
  contract: {},
  scope: null,
  query: Type.Object({}),
  handle: async (request) => ({ status: 200, body: request.body as object }),
} as ApiRoute<never>;

/** Returns a promise that a test settles. */
function later<T>() {
  let [resolve, reject]: [(value: T) => void, (error: Error) => void] = [() => {}, () => {}];
  const promise = new Promise<T>((resolved, rejected) => {
    [resolve, reject] = [resolved, rejected];
  });
  return { promise, resolve, reject };
}

/** Serves the route. The test decides when requests are counted and when their positions are reached. */
async function serve(t: TestContext, budget: BodyBudget, positions?: Promise<void>) {
  const counted = later<object>();
  const key = { id: 'key_1', orgId: null, scopes: ['*'] };
  const caller = { key, isTest: false, limited: { organization: 'o' }, notices: [] };
  let counting = 0;
  const services = {
    context: { readers: { seq: () => 0, fresh: () => undefined } },
    authenticator: { admitRequest: () => ({ caller }), directory: () => undefined },
    limit: {
      take: () => {
        counting += 1;
        return counted.promise;
      },
    },
    usage: { count: () => {} },
    sessions: {},
    budget,
    positions: positions && { wait: () => positions, headersOf: () => [] },
  } as unknown as ApiServices;
  const server = await startServer('127.0.0.1', 0, [toHttpRoute(route, services)], quiet);
  afterwards(t, () => server.stop(100));
  return {
    post: (pieces: readonly string[]) => talk(server.port, pieces, { replies: 1 }),
    counting: () => waitUntil('the request is being counted', () => counting > 0),
    admit: () => counted.resolve({ headers: [], daySince: 0 }),
    refuse: () => counted.reject(new ServiceError('rateLimited', 'Too many requests.')),
  };
}

/** Returns how many bytes are reserved. */
function held(budget: BodyBudget, limit: number): number {
  for (let free = limit; free > 0; free--) {
    if (!budget.take(free)) continue;
    budget.free(free);
    return limit - free;
  }
  return limit;
}

for (const pieces of [[head + body], [head, body.slice(0, 200), body.slice(200)]]) {
  test(`a body in ${pieces.length} pieces is kept while another gateway counts its request`, async (t) => {
    const budget = new BodyBudget(1000);
    const { post, admit, counting } = await serve(t, budget);
    const answer = post(pieces);
    await counting();
    await waitUntil('the body has arrived', () => held(budget, 1000) === size);
    admit();
    assert.ok((await answer).text.endsWith(body));
    await waitUntil('the memory is free', () => held(budget, 1000) === 0);
  });
}

test('a body is kept while its request waits for positions, and then for another gateway', async (t) => {
  const budget = new BodyBudget(1000);
  const reached = later<void>();
  const { post, admit, counting } = await serve(t, budget, reached.promise);
  const answer = post([head + body]);
  await waitUntil('the body has arrived', () => held(budget, 1000) === size);
  reached.resolve(undefined);
  await counting();
  assert.equal(held(budget, 1000), size);
  admit();
  assert.ok((await answer).text.endsWith(body));
  await waitUntil('the memory is free', () => held(budget, 1000) === 0);
});

test('a request that is refused keeps no memory, whether or not its body has arrived', async (t) => {
  for (const pieces of [[head + body], [head, body.slice(0, 200)]]) {
    const budget = new BodyBudget(1000);
    const { post, refuse, counting } = await serve(t, budget);
    const answer = post(pieces);
    await counting();
    await waitUntil('a part of the body has arrived', () => held(budget, 1000) > 0);
    refuse();
    assert.deepEqual((await answer).statuses, [429]);
    await waitUntil('the memory is free', () => held(budget, 1000) === 0);
  }
});

test('a body for which the memory has no room is refused', async (t) => {
  const budget = new BodyBudget(100);
  const { post, admit } = await serve(t, budget);
  const answer = await post([head + body]);
  assert.deepEqual(answer.statuses, [500]);
  assert.match(answer.text, /too many request bodies at once/);
  admit();
  assert.equal(held(budget, 100), 0);
});
