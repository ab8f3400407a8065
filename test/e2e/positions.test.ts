/**
 * Tests a node of a cluster as its clients see it: replies name positions, requests wait for positions, and a node whose
 * state is old refuses to serve it. A service on one machine does none of this.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { clusterServer, noCluster } from '../helpers/cluster-options.ts';
import { startExternal } from '../helpers/external-nats.ts';
import { makeNodeDataDir } from '../helpers/node-data-dir.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { type Answer, read, startService, type TestService } from '../helpers/service.ts';
import { pauseProcess } from '../helpers/standstill.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Sends a request with further headers. */
async function send(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string>,
  { key = service.adminKey, body }: { key?: string; body?: object } = {},
) {
  const type = body && { 'content-type': 'application/json' };
  const content = body && { body: JSON.stringify(body) };
  const all = { authorization: `Bearer ${key}`, ...type, ...headers };
  return read(await fetch(service.url + path, { method, headers: all, ...content }));
}

/** Returns the positions of a reply by partition. */
function positionsOf({ headers }: Answer): Record<string, number> {
  const parts = headers.get('tidings-position')?.split(', ') ?? [];
  return Object.fromEntries(parts.map((part) => [part.split(':')[0], Number(part.split(':')[1])]));
}

async function startNode(t: TestContext): Promise<TestService> {
  const port = await startExternal(t, '', undefined, '', clusterServer?.path);
  const env = { TIDINGS_NATS_URL: `nats://127.0.0.1:${port}`, TIDINGS_NODE: 'a', TIDINGS_LEAD_SECONDS: '12' };
  return startService(t, { dataDir: makeNodeDataDir(t), env });
}

async function readiness(service: TestService): Promise<Answer> {
  return read(await fetch(`${service.opsUrl}/readyz`));
}

test('A node of a cluster names positions and serves no older state than asked for', { skip: noCluster }, async (t) => {
  const service = await startNode(t);
  assert.equal((await service.deliver('pull_request', pullPayload(1))).status, 202);
  const id = await waitUntil('the repository is listed', async () => {
    const { body } = await service.api('GET', '/api/repos');
    return body.repos[0]?.id as string | undefined;
  });

  await t.test('the reply to a write names a position that contains it', async () => {
    const before = positionsOf(await service.api('GET', '/api/keys')).directory as number;
    const made = await service.api('POST', '/api/keys', { name: 'k', org: 'acme', scopes: ['repos:read'] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.ok((positionsOf(made).directory as number) > before);
    // The key is read from the directory, so the request waits before it is authenticated.
    const after = { 'tidings-after': made.headers.get('tidings-position') as string };
    assert.equal((await send(service, 'GET', '/api/repos', after, { key: made.body.key })).status, 200);
  });

  await t.test('a reply names every partition that it was read from', async () => {
    const settings = await service.api('GET', `/api/repos/${id}/settings`);
    const positions = positionsOf(settings);
    assert.match(Object.keys(positions).join(' '), /^directory p\d\d$/);
    // Waiting for a state that is there costs nothing, and the state can be confirmed without its bytes.
    const headers = {
      'tidings-after': settings.headers.get('tidings-position') as string,
      'if-none-match': settings.headers.get('etag') as string,
    };
    const again = await send(service, 'GET', `/api/repos/${id}/settings`, headers);
    assert.equal(again.status, 304);
    assert.ok(again.headers.has('tidings-position'));
  });

  await t.test('a state that is not there is waited for, and then refused', async () => {
    const { directory } = positionsOf(await service.api('GET', '/api/keys'));
    const wanted = `directory:${(directory as number) + 100_000}`;
    const started = performance.now();
    for (const method of ['GET', 'POST']) {
      const refused = await send(service, method, '/api/keys', { 'tidings-after': wanted, 'if-none-match': '*' });
      assert.equal(refused.status, 500);
      assert.deepEqual(refused.body.details, { waitingFor: wanted });
      assert.equal(refused.headers.get('retry-after'), '1');
    }
    assert.ok(performance.now() - started >= 3990, 'each request waits for two seconds');
    // A request in test mode reads no partition but the directory.
    const test = await send(service, 'GET', '/api/repos', { 'tidings-after': 'p00:100000', 'x-test-mode': 'true' });
    assert.equal(test.status, 200);
    assert.equal(test.headers.get('tidings-position'), null);
  });

  await t.test('a write that arrives while a request waits ends the wait', async () => {
    // A request waits for two seconds. A write that takes longer on a busy machine proves nothing, so another one is sent.
    const [got, made] = await waitUntil('a write arrives in time', async () => {
      const { directory } = positionsOf(await service.api('GET', '/api/keys'));
      const after = { 'tidings-after': `directory:${(directory as number) + 1}` };
      const body = { name: 'waits', org: 'acme', scopes: ['repos:read'] };
      const begun = performance.now();
      const waiting = [
        send(service, 'GET', '/api/keys', after),
        send(service, 'POST', '/api/keys', { ...after, 'idempotency-key': randomUUID() }, { body }),
      ];
      await service.api('POST', '/api/keys', { name: randomUUID(), org: 'acme', scopes: ['repos:read'] });
      const isInTime = performance.now() - begun < 1500;
      const answers = await Promise.all(waiting);
      return isInTime && answers;
    });
    assert.equal(got?.status, 200);
    assert.equal(made?.status, 201, JSON.stringify(made?.body));
    assert.equal(made?.body.name, 'waits');
  });

  await t.test('a malformed header is refused with the expected form', async () => {
    for (const text of ['', 'directory', 'directory:-1', 'directory:1;p00:2', 'p99:1', 'x'.repeat(3000)]) {
      const refused = await send(service, 'GET', '/api/keys', { 'tidings-after': text });
      assert.equal(refused.status, 400, text);
      assert.match(refused.body.details['Tidings-After'], /^expected .*got /, text);
    }
  });

  await t.test('a node whose fold is frozen refuses, and recovers', async () => {
    const ready = await readiness(service);
    assert.equal(ready.status, 200);
    assert.deepEqual(Object.keys(ready.body.positions), ['directory', 'p00', 'p01', 'p02', 'p03']);
    const { worker } = service.pids();
    await pauseProcess(worker);
    try {
      const refused = await waitUntil('reads are refused', async () => {
        const answer = await service.api('GET', '/api/keys');
        return answer.status === 500 && answer;
      });
      assert.match(refused.body.message, /partition directory/);
      assert.ok(refused.headers.has('retry-after'));
      assert.equal((await service.deliver('pull_request', pullPayload(1))).status, 500);
      const waiting = await waitUntil('the node is not ready', async () => {
        const answer = await readiness(service);
        return answer.status === 503 && answer.body.waitingFor.length === 5 && answer;
      });
      assert.match(waiting.body.waitingFor[0], /^directory \(nothing new since position \d+\)$/);
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    await waitUntil('reads are served again', async () => (await service.api('GET', '/api/keys')).status === 200);
    await service.ready();
  });
});

test('A service on one machine names no positions and ignores those of requests', async (t) => {
  const service = await startService(t);
  const answer = await send(service, 'GET', '/api/keys', { 'tidings-after': 'directory:100000, x' });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('tidings-position'), null);
  assert.deepEqual((await readiness(service)).body, { status: 'ready', waitingFor: [] });
});
