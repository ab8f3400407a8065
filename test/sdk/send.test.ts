/** Tests when the client retries a request. Also tests that a retry has the same Idempotency-Key. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConflictError, RateLimitedError, ServerError, TidingsError } from '../../sdk/errors.ts';
import { type CallOptions, send } from '../../sdk/send.ts';
import { type Script, type ScriptedServer, startScriptedServer } from '../helpers/scripted-server.ts';

type Scripted = number | 'break' | { status: number; headers: Record<string, string> };

/** Starts a server that sends the given replies in order, then repeats the last one. */
function serve(t: TestContext, answers: readonly Scripted[]): Promise<ScriptedServer> {
  return startScriptedServer(t, answers.map(toScript));
}

function toScript(answer: Scripted): Script {
  return (response, nth) => {
    if (answer === 'break') return void response.destroy();
    const { status, headers } = typeof answer === 'number' ? { status: answer, headers: {} } : answer;
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': `r${nth}`, ...headers });
    response.end(status < 300 ? '{"id":"x"}' : '{"error":"Some","message":"Not so."}');
  };
}

const post = (options: CallOptions = {}) => ({ method: 'POST', path: '/x', body: { a: 1 }, options });

test('send - uses one idempotency key for all attempts, and another one for the next call', async (t) => {
  const { sending, seen } = await serve(t, [500, 'break', 503, 201]);
  const { body, meta } = await send(sending, post());
  assert.deepEqual([body, meta.status, meta.requestId], [{ id: 'x' }, 201, 'r4']);
  const keys = seen.map((headers) => headers['idempotency-key']);
  assert.match(keys[0] as string, /^[\w-]{36}$/);
  assert.deepEqual(keys, Array(4).fill(keys[0]));
  await send(sending, post());
  assert.notEqual(seen[4]?.['idempotency-key'], keys[0]);
  await send(sending, post({ idempotencyKey: 'mine' }));
  assert.equal(seen[5]?.['idempotency-key'], 'mine');
});

test('send - waits as long as the service asks (spec 7.4)', async (t) => {
  const { sending, waits } = await serve(t, [{ status: 429, headers: { 'retry-after': '17' } }, 500, 200]);
  await send(sending, post());
  assert.ok((waits[0] as number) >= 17_000 && (waits[0] as number) < 18_000, String(waits[0]));
  assert.ok((waits[1] as number) >= 500 && (waits[1] as number) <= 1000, String(waits[1]));
});

test('send - fails immediately when the service asks for a wait above the maximum', async (t) => {
  const { sending, seen } = await serve(t, [{ status: 429, headers: { 'retry-after': '3600' } }]);
  const error = await send(sending, post()).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof RateLimitedError);
  assert.deepEqual([error.meta.retryAfter, seen.length], [3600, 1]);
});

test('send - fails after its retries, with growing waits (spec 7.4)', async (t) => {
  const { sending, seen, waits } = await serve(t, [500]);
  await assert.rejects(send(sending, post()), ServerError);
  assert.equal(seen.length, 4);
  assert.ok((waits[2] as number) > (waits[0] as number));
});

test('send - does not retry after any other error (spec 7.4)', async (t) => {
  for (const status of [400, 401, 403, 404, 409, 412, 413, 415, 422]) {
    const { sending, seen } = await serve(t, [status, 200]);
    const error = await send(sending, post()).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof TidingsError, String(error));
    assert.deepEqual([error.status, error.error, error.message, error.requestId], [status, 'Some', 'Not so.', 'r1']);
    assert.equal(error instanceof ConflictError, status === 409);
    assert.equal(seen.length, 1);
  }
});

test('send - does not follow a redirect and does not retry after one', async (t) => {
  const { sending, seen } = await serve(t, [{ status: 302, headers: { location: '/other' } }, 200]);
  const error = await send(sending, post()).catch((thrown: unknown) => thrown);
  assert.ok(error instanceof TidingsError, String(error));
  assert.deepEqual([error.status, seen.length], [302, 1]);
  assert.match(error.message, /redirect/);
});

test('send - does not repeat a conditional change that may have been carried out', async (t) => {
  const { sending, seen } = await serve(t, [500, 200]);
  await assert.rejects(send(sending, { ...post({ ifMatch: '"1"' }), method: 'PATCH' }), ServerError);
  assert.deepEqual([seen.length, seen[0]?.['if-match'], seen[0]?.['idempotency-key']], [1, '"1"', undefined]);
});

test('send - does not repeat a POST without a key that may have been carried out', async (t) => {
  for (const answer of [500, 'break'] as const) {
    const { sending, seen } = await serve(t, [answer, 200]);
    await assert.rejects(send(sending, post({ idempotencyKey: false })));
    assert.deepEqual([seen.length, seen[0]?.['idempotency-key']], [1, undefined], String(answer));
  }
  const { sending, seen } = await serve(t, [{ status: 429, headers: { 'retry-after': '1' } }, 200]);
  await send(sending, post({ idempotencyKey: false }));
  assert.equal(seen.length, 2, 'a refused request was not carried out');
});

test('send - stops when its caller aborts', async (t) => {
  const { sending, seen } = await serve(t, [500]);
  const aborted = AbortSignal.abort(new Error('enough'));
  await assert.rejects(send(sending, post({ signal: aborted })), /enough/);
  assert.equal(seen.length, 0);
});
