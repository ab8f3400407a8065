/**
 * Tests requests to a host that limits requests, fails, breaks the connection or does not reply. Also tests the abort
 * of a request.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openClient } from '../../helpers/host/client.ts';
import { cut, rateLimit, secondaryLimit, slow, status } from '../../helpers/host/faults.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const repo = 'acme/rocket';

test('waits at a secondary limit for as long as the host requests', async (t) => {
  for (const code of [403, 429] as const) {
    const { client, host, waits } = await openClient(t);
    host.fail(/GET/, secondaryLimit(1, code));
    const started = performance.now();
    assert.equal((await client.repository(repo)).full_name, repo);
    assert.deepEqual(waits, [{ reason: 'secondary_limit', ms: 1000 }]);
    assert.ok(performance.now() - started >= 990);
    assert.equal(host.seen.length, 2);
  }
});

test('waits until the reset of the primary limit', async (t) => {
  const { client, host, waits } = await openClient(t);
  host.fail(/GET/, rateLimit(1));
  await client.repository(repo);
  assert.deepEqual(waits, [{ reason: 'rate_limit', ms: 2000 }]);
});

test('treats a bare 429 as a limit, a bare 403 as a refusal', async (t) => {
  const stop = new AbortController();
  const { client, host, waits } = await openClient(t, {}, { signal: stop.signal });
  host.fail(/GET/, status(403, { message: 'Resource not accessible' }));
  await assert.rejects(client.repository(repo), { kind: 'unauthorized' });
  assert.deepEqual(waits, []);
  host.fail(/GET/, status(429, 'slow down'));
  const asked = client.repository(repo);
  await waitUntil('the client waits', () => waits.length > 0);
  assert.deepEqual(waits, [{ reason: 'secondary_limit', ms: 60_000 }]);
  stop.abort();
  await assert.rejects(asked, { name: 'AbortError' });
});

test('gives up when a limit does not end', async (t) => {
  const { client, host, waits } = await openClient(t);
  host.fail(/GET/, secondaryLimit('0', 429), { times: 13 });
  await assert.rejects(client.repository(repo), {
    kind: 'unavailable',
    message: /keeps limiting requests/,
    retryAfter: 1,
  });
  assert.deepEqual(
    waits.map(({ ms }) => ms),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
  );
  assert.equal((await client.repository(repo)).full_name, repo);
});

test('retries after temporary faults, with growing pauses', async (t) => {
  for (const code of [500, 502, 503, 504, 408]) {
    const { client, host, waits } = await openClient(t);
    host.fail(/GET/, status(code, '<html>'), { times: 3 });
    assert.equal((await client.repository(repo)).full_name, repo);
    assert.deepEqual(
      waits,
      [1, 4, 9].map((ms) => ({ reason: 'server_error', ms })),
    );
  }
});

test('pauses for as long as a failing host requests', async (t) => {
  const { client, host, waits } = await openClient(t);
  host.fail(/GET/, status(503, '', { 'retry-after': '1' }));
  await client.repository(repo);
  assert.deepEqual(waits, [{ reason: 'server_error', ms: 1000 }]);
});

test('gives up on a failing host after four attempts', async (t) => {
  const { client, host, waits } = await openClient(t);
  host.fail(/GET/, status(502), { times: 4 });
  await assert.rejects(client.repository(repo), { kind: 'unavailable', message: /cannot be used: it answered 502\.$/ });
  assert.deepEqual([host.seen.length, waits.length], [4, 3]);
  assert.equal((await client.repository(repo)).full_name, repo);
});

test('handles a limit after a fault and a fault after a limit', async (t) => {
  const { client, host, waits } = await openClient(t);
  host.fail(/GET/, status(500));
  host.fail(/GET/, secondaryLimit(0));
  host.fail(/GET/, status(502));
  host.fail(/GET/, secondaryLimit(0, 429));
  assert.equal((await client.repository(repo)).full_name, repo);
  assert.deepEqual(
    waits.map(({ reason }) => reason),
    ['server_error', 'secondary_limit', 'server_error', 'secondary_limit'],
  );
});

test('retries when a reply breaks off, is malformed or has another shape', async (t) => {
  const { client, host } = await openClient(t);
  const faults = [cut(), cut('within'), status(200, '[{"number":1,'), status(200, '{"message":"hello"}')];
  for (const fault of [...faults, status(200, '[1, null]'), status(200, '')]) {
    host.fail(/pulls/, fault, { times: 2 });
    const { items } = await client.first(host.history, { kind: 'pulls' });
    assert.equal(items.length, host.history.pulls.length);
  }
  host.fail(/GET/, status(200, { id: 1, full_name: 'no name' }), { times: 4 });
  await assert.rejects(client.repository(repo), {
    kind: 'unavailable',
    message: /its reply has an unexpected form/,
  });
  host.fail(/GET/, cut(), { times: 4 });
  await assert.rejects(client.repository(repo), {
    kind: 'unavailable',
    message: /no complete reply \(UND_ERR_SOCKET\)/,
  });
});

test('gives up on a host that does not reply or cannot be reached', async (t) => {
  const { client, host } = await openClient(t, {}, { timeoutMs: 50 });
  host.fail(/GET/, slow(500), { times: 4 });
  await assert.rejects(client.repository(repo), { kind: 'unavailable', message: /no reply in time/ });
  const gone = await openClient(t, {}, { host: { ...host.host, apiUrl: 'http://127.0.0.1:1/api/v3' } });
  await assert.rejects(gone.client.repository(repo), { kind: 'unavailable', message: /127\.0\.0\.1:1 cannot be used/ });
});

test('an abort ends a wait, a pause, the current request and later ones', async (t) => {
  const cases = [
    { fault: secondaryLimit(3600), reached: 'secondary_limit' },
    { fault: rateLimit(3600), reached: 'rate_limit' },
    { fault: status(502, '', { 'retry-after': '200' }), reached: 'server_error' },
    { fault: slow(30_000), reached: 'request' },
  ];
  for (const { fault, reached } of cases) {
    const stop = new AbortController();
    const { client, host, waits } = await openClient(t, {}, { signal: stop.signal });
    host.fail(/GET/, fault);
    const asked = [client.repository(repo), client.first(host.history, { kind: 'tags' })];
    await waitUntil(reached, () => (waits[0]?.reason ?? (host.seen.length > 0 && 'request')) === reached);
    const reason = new Error('the worker stops');
    stop.abort(reason);
    await Promise.all(asked.map((one) => assert.rejects(one, reason)));
    assert.equal(host.seen.length, 1);
  }
});

test('a wait does not keep a process alive', async (t) => {
  const { host } = await openClient(t);
  host.fail(/GET/, secondaryLimit(3600));
  const module = new URL('../../../src/host/client.js', import.meta.url).href;
  const program = `
    import { HostClient } from '${module}';
    const onWait = ({ ms }) => console.log('waits', ms);
    const client = new HostClient({ host: JSON.parse(process.argv[1]), logger: { info() {} }, onWait });
    client.repository('acme/rocket').then(console.log);
  `;
  const args = ['--input-type=module', '-e', program, JSON.stringify(host.host)];
  // The client waits for an hour, but this wait must not keep the process alive. If the process does not end,
  // `execFile` throws at its timeout.
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  assert.equal(stdout, 'waits 3600000\n');
});
