/**
 * Tests four gateways on one port: limits are exact over all of them, a revoked key stops at all of them at once, one
 * that is killed is missed by nobody, and one Idempotency-Key has one effect.
 */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const count = 4;

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  body: any;
}

/** One connection, which always reaches the same gateway. */
class Connection {
  /** The beginning of the request ids of the gateway. */
  gateway = '';
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 1 });
  private readonly service: TestService;

  constructor(service: TestService) {
    this.service = service;
  }

  ask(method: string, path: string, key: string, { body, headers }: { body?: unknown; headers?: object } = {}) {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const more =
      text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
    const options = { agent: this.agent, method, headers: { authorization: `Bearer ${key}`, ...more, ...headers } };
    return new Promise<Reply>((resolve, reject) => {
      const outgoing = request(this.service.url + path, options, (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        answer.on('end', () => {
          this.gateway = String(answer.headers['x-request-id']).split('-')[0] as string;
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: JSON.parse(received) });
        });
      });
      outgoing.on('error', reject).end(text);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Opens connections until there is one to each gateway. Returns one per gateway. */
function connectToAll(service: TestService): Promise<Connection[]> {
  const found = new Map<string, Connection>();
  return waitUntil('there is a connection to each gateway', async () => {
    const connection = new Connection(service);
    await connection.ask('GET', '/healthz', 'none').catch(() => undefined);
    if (connection.gateway === '' || found.has(connection.gateway)) connection.close();
    else found.set(connection.gateway, connection);
    return found.size === count && [...found.values()];
  });
}

/** Makes a key of the instance with a minute of its own. */
async function newKey(service: TestService): Promise<{ id: string; key: string }> {
  const { status, body } = await service.api('POST', '/api/keys', { name: 'a key', scopes: ['*'], instance: true });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

/**
 * Tries up to five times whether a limit is exact, each time with a new key or organization. If a gateway stands still
 * for a moment on a busy machine, it does not answer in time, and the limit is not exact.
 */
async function untilExact(act: (attempt: number) => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) if (await act(attempt)) return;
  assert.fail('the limit is never exact');
}

const passed = (replies: readonly Reply[]) => replies.filter(({ status }) => status === 200);

test('four gateways serve as one', async (t) => {
  const env = {
    TIDINGS_GATEWAYS: String(count),
    TIDINGS_LIMIT_API_PER_MINUTE: '100',
    TIDINGS_LIMIT_API_ORG_FACTOR: '0',
    TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '20',
    TIDINGS_MAX_RANGES: '8',
    TIDINGS_PARTITIONS: '1',
  };
  const service = await startService(t, { env });
  const connections = await connectToAll(service);
  const [first] = connections as [Connection];

  await t.test('exactly 100 of 400 requests pass, whichever gateway gets them', async () => {
    await untilExact(async () => {
      const { key } = await newKey(service);
      const sent = Array.from({ length: 400 }, (_, i) =>
        (connections[i % count] as Connection).ask('GET', '/api/repos', key),
      );
      const replies = await Promise.all(sent);
      for (const { status, headers, body } of replies) {
        assert.ok(status === 200 || status === 429);
        assert.equal(headers['x-ratelimit-limit'], '100');
        assert.equal(headers['retry-after'], status === 429 ? String(body.retryAfter) : undefined);
        if (status === 429) assert.equal(headers['x-ratelimit-remaining'], '0');
      }
      return passed(replies).length === 100;
    });
  });

  await t.test('a revoked key is refused by all gateways at once', async () => {
    const { id, key } = await newKey(service);
    const ask = () => Promise.all(connections.map((each) => each.ask('GET', '/api/repos', key)));
    assert.deepEqual(
      (await ask()).map(({ status }) => status),
      Array(count).fill(200),
    );
    assert.equal((await first.ask('DELETE', `/api/keys/${id}`, service.adminKey)).status, 200);
    assert.deepEqual(
      (await ask()).map(({ status }) => status),
      Array(count).fill(401),
    );
  });

  await t.test('the ingestion limit holds over all gateways, and each of them lists all deliveries', async () => {
    const size = 60;
    let [sent, delayed] = [0, 0];
    const gateways = new Set<string | undefined>();
    await untilExact(async (attempt) => {
      const login = `owner${attempt}`;
      const repository = { id: 900 + attempt, full_name: `${login}/base`, owner: { login, id: 90 + attempt } };
      const replies = await Promise.all(
        Array.from({ length: size }, (_, i) =>
          service.deliver(
            'pull_request',
            pullPayload(i + 1, {}, { ...repository, owner: { ...repository.owner, type: 'User' } }),
          ),
        ),
      );
      assert.ok(replies.every(({ status }) => status === 202));
      for (const { headers } of replies) gateways.add(headers.get('x-request-id')?.split('-')[0]);
      const before = delayed;
      sent += size;
      delayed = await service.metric('tidings_webhooks_delayed_total');
      // A delivery that takes a while arrives when the bucket has another place, which comes every three seconds.
      return delayed - before <= size - 20 && delayed - before >= size - 22;
    });
    assert.ok(gateways.size > 1, 'several gateways received them');
    const forged = await service.deliver('pull_request', pullPayload(1), { 'x-hub-signature-256': 'sha256=00' });
    assert.equal(forged.status, 401);
    for (const connection of connections) {
      const { body } = await connection.ask('GET', '/api/deliveries?limit=100', service.adminKey);
      assert.equal(body.total, sent + 1);
    }
    const listed = JSON.parse(service.tidings('deliveries', '--json', '--limit', '100'));
    assert.equal(listed.total, sent + 1);
  });

  await t.test('two gateways that get one Idempotency-Key carry out one command', async () => {
    const repoId = await waitUntil('the repository is known', async () => {
      const { body } = await service.api('GET', '/api/repos');
      return body.repos[0]?.id;
    });
    for (let round = 0; round < 5; round++) {
      const body = { type: 'PR_BASED', repoId, fromPrNumber: 1, toPrNumber: round + 2 };
      const headers = { 'idempotency-key': `round ${round}` };
      const replies = await Promise.all(
        connections.map((each) => each.ask('POST', '/api/ranges', service.adminKey, { body, headers })),
      );
      assert.deepEqual(
        replies.map(({ status }) => status),
        Array(count).fill(201),
      );
      assert.equal(new Set(replies.map((each) => each.body.id)).size, 1);
      assert.equal(replies.filter((each) => each.headers['idempotent-replayed'] === 'true').length, count - 1);
    }
    const { body } = await service.api('GET', `/api/ranges?repoId=${repoId}`);
    assert.equal(body.total, 5);
  });

  await t.test('the maximum of ranges holds for requests to all gateways at once', async () => {
    const [{ id: repoId }] = (await service.api('GET', '/api/repos')).body.repos;
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => {
        const body = { type: 'PR_BASED', repoId, fromPrNumber: 2, toPrNumber: i + 3 };
        return (connections[i % count] as Connection).ask('POST', '/api/ranges', service.adminKey, { body });
      }),
    );
    const statuses = replies.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(3).fill(201), ...Array(5).fill(409)]);
  });

  await t.test('the others serve while a killed gateway is restarted', async () => {
    const { key } = await newKey(service);
    const pid = service.pids().gateway;
    process.kill(pid, 'SIGKILL');
    let refused = 0;
    let granted = 0;
    const settled = await Promise.allSettled(
      Array.from({ length: 200 }, (_, i) => (connections[i % count] as Connection).ask('GET', '/api/repos', key)),
    );
    for (const each of settled) {
      if (each.status === 'rejected') refused += 1;
      else if (each.value.status === 200) granted += 1;
      else assert.equal(each.value.status, 429);
    }
    assert.ok(refused <= 50, `${refused} connections broke, of one gateway`);
    assert.ok(granted >= 1 && granted <= 100 * count, `${granted} requests passed`);
    await waitUntil('the gateway is back', async () => {
      const { status } = await fetch(`${service.opsUrl}/readyz`);
      return status === 200 && service.pids().gateway !== pid;
    });
    const again = await connectToAll(service);
    for (const each of again) assert.equal((await each.ask('GET', '/api/repos', service.adminKey)).status, 200);
    for (const each of [...again, ...connections]) each.close();
  });
});
