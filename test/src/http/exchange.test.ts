/**
 * Tests how a real server with small handlers answers requests. Covers bodies that arrive in pieces, the maximum size
 * of a body, the memory budget, error replies, and HEAD.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { type HttpRoute, startServer } from '../../../src/http/server.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { talk } from '../../helpers/raw-socket.ts';

const quiet = createLogger('test', 'silent');

async function serve(t: TestContext, handle: (exchange: Exchange) => void | Promise<void>): Promise<number> {
  const routes: HttpRoute[] = [
    { method: 'POST', path: '/it', handle },
    { method: 'GET', path: '/it', handle },
  ];
  const server = await startServer('127.0.0.1', 0, routes, quiet);
  afterwards(t, () => server.stop(1000));
  return server.port;
}

/** Makes a handler that replies with the body it received. */
function echo(maxBytes: number, budget: BodyBudget) {
  return (exchange: Exchange): void => {
    let seen = 0;
    exchange.receive(
      { maxBytes, budget },
      (chunk) => {
        seen += chunk.length;
      },
      (body) => exchange.json(200, { seen, text: body.toString() }),
    );
  };
}

function post(body: string, length = body.length): string {
  return `${head(length)}${body}`;
}

function head(length: number): string {
  return `POST /it HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
}

test('a body arrives complete however it is split', async (t) => {
  const budget = new BodyBudget(1000);
  const port = await serve(t, echo(100, budget));
  const text = 'The body of a request, cut in many ways.';
  const cuts = [
    [post(text)],
    [head(text.length), text],
    [...head(text.length), text],
    [head(text.length), ...text],
    [head(text.length).slice(0, 30), head(text.length).slice(30) + text.slice(0, 3), text.slice(3)],
  ];
  for (const pieces of cuts) {
    const answer = await talk(port, pieces, { replies: 1 });
    assert.deepEqual(answer.statuses, [200], answer.text);
    assert.ok(answer.text.endsWith(JSON.stringify({ seen: text.length, text })), answer.text);
  }
  assert.ok(budget.take(1000), 'the whole budget is free again');
});

test('an empty body is passed to the handler', async (t) => {
  const port = await serve(t, echo(100, new BodyBudget(1000)));
  for (const request of [post(''), 'POST /it HTTP/1.1\r\nHost: x\r\n\r\n']) {
    assert.match((await talk(port, request, { replies: 1 })).text, /\{"seen":0,"text":""\}$/);
  }
});

test('a refusal before the end of a body releases its memory, and the connection goes on', async (t) => {
  const budget = new BodyBudget(100);
  let isRefused = false;
  const port = await serve(t, (exchange) => {
    if (isRefused) return echo(100, budget)(exchange);
    const refuse = () => exchange.fail(new ServiceError('rateLimited', 'Too many.'));
    const onChunk = () => {
      isRefused = true;
      setImmediate(refuse);
    };
    exchange.receive({ maxBytes: 100, budget }, onChunk, () => assert.fail('the request is refused before'));
  });
  const answer = await talk(port, [head(80), 'a'.repeat(40), 'b'.repeat(20), 'c'.repeat(20), post('more')], {
    replies: 2,
  });
  assert.deepEqual(answer.statuses, [429, 200], answer.text);
  assert.ok(answer.text.endsWith('{"seen":4,"text":"more"}'), answer.text);
  assert.ok(budget.take(100), 'the whole budget is free again');
});

test('returns 413 for a body over the maximum size', async (t) => {
  const port = await serve(t, echo(10, new BodyBudget(1000)));
  const taken = await talk(port, post('x'.repeat(11)) + post('next'), { replies: 2 });
  assert.deepEqual(taken.statuses, [413, 200], 'a body a little too long is read to its end');
  const closed = await talk(port, post('x'.repeat(41)));
  assert.deepEqual([closed.statuses, closed.closed], [[413], true]);
});

test('returns 500 and closes the connection when the budget is used up', async (t) => {
  const budget = new BodyBudget(100);
  const port = await serve(t, echo(90, budget));
  assert.ok(budget.take(60));
  const answer = await talk(port, [head(80), 'x'.repeat(20), 'x'.repeat(60)]);
  assert.deepEqual([answer.statuses, answer.closed], [[500], true]);
  assert.match(answer.text, /Retry-After: 2/);
  budget.free(60);
  assert.ok(budget.take(100), 'the collected bytes are released');
  budget.free(100);
  assert.deepEqual((await talk(port, [head(3), 'x', 'yz'], { replies: 1 })).statuses, [200]);
});

test('an abort releases the memory of the body', async (t) => {
  const budget = new BodyBudget(100);
  const port = await serve(t, echo(90, budget));
  await talk(port, [head(80), 'x'.repeat(70)], { maxWaitMs: 20 });
  const answer = await talk(port, [head(80), 'x'.repeat(40), 'x'.repeat(40)], { replies: 1 });
  assert.deepEqual(answer.statuses, [200]);
});

test('an error of a handler becomes the reply (spec 7)', async (t) => {
  const failures = [
    () => {
      throw new ServiceError('conflict', 'Taken.');
    },
    async () => {
      throw new ServiceError('unavailable', 'Later.', { retryAfter: 7 });
    },
    () => {
      throw new Error('secret detail');
    },
    () => Promise.reject(new Error('secret detail')),
  ];
  const port = await serve(t, () => failures.shift()?.());
  const get = 'GET /it HTTP/1.1\r\nHost: x\r\n\r\n';
  assert.match(
    (await talk(port, get, { replies: 1 })).text,
    /^HTTP\/1\.1 409 [\s\S]*\{"error":"Conflict","message":"Taken\."\}$/,
  );
  assert.match((await talk(port, get, { replies: 1 })).text, /Retry-After: 7\r\n[\s\S]*"retryAfter":7\}$/);
  for (let i = 0; i < 2; i++) {
    const { text, statuses } = await talk(port, get, { replies: 1 });
    assert.deepEqual(statuses, [500]);
    assert.doesNotMatch(text, /secret/);
  }
});

test('a reply to HEAD has no body', async (t) => {
  const port = await serve(t, (exchange) => exchange.json(200, { first: true }));
  const { text, statuses } = await talk(port, `HEAD /it HTTP/1.1\r\nHost: x\r\n\r\n${post('ok')}`, { replies: 2 });
  assert.deepEqual(statuses, [200, 200]);
  assert.match(text, /\r\n\r\nHTTP\/1\.1 200/);
});

test('a second reply to a request has no effect', async (t) => {
  const port = await serve(t, (exchange) => {
    exchange.json(200, { first: true });
    exchange.json(200, { second: true });
    exchange.fail(new Error('late'));
  });
  const get = 'GET /it HTTP/1.1\r\nHost: x\r\n\r\n';
  // Sends two requests over one connection. A faulty server could send two replies to the first request. The client
  // would then receive the extra reply as the reply to the second request.
  const { text, statuses } = await talk(port, get + get, { replies: 2 });
  assert.deepEqual(statuses, [200, 200]);
  assert.equal(text.match(/\{"first":true\}/g)?.length, 2);
  assert.doesNotMatch(text, /second|late/);
});

test('a value with a line end adds no header and does not end the head', async (t) => {
  const port = await serve(t, (exchange) => {
    exchange.extraHeaders = ['X-Kind', 'a\r\nX-Evil: 1\r\n\r\nbody'];
    exchange.reply(200, 'text/plain', 'end', ['X-Last', 'y\nz']);
  });
  const reply = await fetch(`http://127.0.0.1:${port}/it`);
  assert.equal(reply.headers.get('x-evil'), null);
  assert.equal(reply.headers.get('x-kind'), 'a  X-Evil: 1    body');
  assert.equal(reply.headers.get('x-last'), 'y z');
  assert.equal(await reply.text(), 'end');
});

test('bodies that arrive at the same time do not mix', async (t) => {
  const budget = new BodyBudget(100_000);
  const port = await serve(t, echo(1000, budget));
  const texts = Array.from({ length: 20 }, (_, i) => String.fromCharCode(97 + i).repeat(500 + i));
  const replies = await Promise.all(
    texts.map((text) => talk(port, [head(text.length), text.slice(0, 100), text.slice(100)], { replies: 1 })),
  );
  for (const [i, { text }] of replies.entries()) assert.ok(text.includes(`"text":"${texts[i]}"`), text.slice(0, 300));
  assert.ok(budget.take(100_000), 'the whole budget is free again');
});
