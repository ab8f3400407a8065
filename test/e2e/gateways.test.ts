/**
 * Tests four gateways on one port: limits are exact over all of them, a revoked key stops at all of them at once, one
 * Idempotency-Key has one effect, and the others serve while one of them hangs or is killed.
 */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { test } from 'node:test';
import { homeAmong, weighed } from '../../src/cluster/rendezvous.ts';
import { instanceUsage } from '../../src/store/tables/usage.ts';
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

  /** Opens a stream of live events. Returns its status, and the function that returns what has arrived. */
  listen(key: string) {
    const options = { agent: this.agent, headers: { authorization: `Bearer ${key}` } };
    return new Promise<{ status: number; received: () => string }>((resolve, reject) => {
      const outgoing = request(`${this.service.url}/api/events`, options, (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
        // The end of the connection ends the stream.
        answer.on('error', () => {});
        resolve({ status: answer.statusCode ?? 0, received: () => received });
      });
      outgoing.on('error', reject).end();
    });
  }

  /** Posts a signed delivery. */
  deliver(payload: object) {
    const signature = createHmac('sha256', this.service.secret).update(JSON.stringify(payload)).digest('hex');
    const about = { 'x-scm-event': 'pull_request', 'x-scm-delivery': randomUUID() };
    const headers = { ...about, 'x-hub-signature-256': `sha256=${signature}` };
    return this.ask('POST', '/api/webhooks/scm', 'none', { body: payload, headers });
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
 * Checks how many requests pass a limit. If the home of the limit stands still for a moment, on a busy machine, the others
 * count by themselves. Each request that is counted so may pass in addition.
 */
async function passesExactly(service: TestService, limit: number, send: () => Promise<number>): Promise<void> {
  const before = await service.metric('tidings_limits_local_total');
  const passed = await send();
  const alone = (await service.metric('tidings_limits_local_total')) - before;
  assert.ok(passed >= limit && passed <= limit + alone, `${passed} of ${limit} pass, ${alone} were counted alone`);
}

/** Waits until the gateways that the connections reach ask the home of a limit. */
async function untilCountedAtHome(service: TestService, connections: readonly Connection[], key: string) {
  await waitUntil('all gateways ask the home', async () => {
    const before = await service.metric('tidings_limits_local_total');
    await Promise.all(connections.map((each) => each.ask('GET', '/api/repos', key)));
    return (await service.metric('tidings_limits_local_total')) === before;
  });
}

/** Returns the process id of the gateway that counts for the keys of the instance. */
function homeOfInstance(service: TestService): number {
  const names = Array.from({ length: count }, (_, i) => `local-${i}`);
  const home = homeAmong(weighed(names), instanceUsage) as string;
  return service.gateways().get(names.indexOf(home)) as number;
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
  /** Runs a part with new connections, because the service closes a connection that is idle for ten seconds. */
  const part = (name: string, act: (connections: readonly Connection[]) => Promise<void>) =>
    t.test(name, async () => {
      const connections = await connectToAll(service);
      await act(connections);
      for (const each of connections) each.close();
    });

  await part('exactly 100 of 400 requests pass, whichever gateway gets them', async (connections) => {
    await passesExactly(service, 100, async () => {
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
      return passed(replies).length;
    });
  });

  await part('a revoked key is refused by all gateways at once', async (connections) => {
    const { id, key } = await newKey(service);
    const ask = () => Promise.all(connections.map((each) => each.ask('GET', '/api/repos', key)));
    assert.deepEqual(
      (await ask()).map(({ status }) => status),
      Array(count).fill(200),
    );
    const [first] = connections as [Connection];
    assert.equal((await first.ask('DELETE', `/api/keys/${id}`, service.adminKey)).status, 200);
    assert.deepEqual(
      (await ask()).map(({ status }) => status),
      Array(count).fill(401),
    );
  });

  await part(
    'the ingestion limit holds over all gateways, and each of them lists all deliveries',
    async (connections) => {
      const size = 60;
      const repository = { id: 900, full_name: 'owner/base', owner: { login: 'owner', id: 90, type: 'User' } };
      const gateways = new Set<string | undefined>();
      const begin = performance.now();
      let [limit, alone] = [20, await service.metric('tidings_limits_local_total')];
      const replies = await Promise.all(
        Array.from({ length: size }, (_, i) => service.deliver('pull_request', pullPayload(i + 1, {}, repository))),
      );
      // The bucket has another place every three seconds.
      limit += Math.ceil((performance.now() - begin) / 3000);
      assert.ok(replies.every(({ status }) => status === 202));
      for (const { headers } of replies) gateways.add(headers.get('x-request-id')?.split('-')[0]);
      const atOnce = size - (await service.metric('tidings_webhooks_delayed_total'));
      alone = (await service.metric('tidings_limits_local_total')) - alone;
      assert.ok(atOnce >= 20 && atOnce <= limit + alone, `${atOnce} were not delayed, ${alone} were counted alone`);
      assert.ok(gateways.size > 1, 'several gateways received them');
      const forged = await service.deliver('pull_request', pullPayload(1), { 'x-hub-signature-256': 'sha256=00' });
      assert.equal(forged.status, 401);
      const { key } = await newKey(service);
      // A gateway that stands still for a moment is left out of a list.
      for (const connection of connections)
        await waitUntil('the gateway lists all deliveries', async () => {
          const { status, body } = await connection.ask('GET', '/api/deliveries?limit=100', key);
          assert.ok(status === 429 || body.total <= size + 1, JSON.stringify(body.total));
          return body.total === size + 1;
        });
      await waitUntil('the command line lists all deliveries', () => {
        const { total } = JSON.parse(service.tidings('deliveries', '--json', '--limit', '100'));
        assert.ok(total <= size + 1, `${total} deliveries`);
        return total === size + 1;
      });
    },
  );

  await part(
    'the streams of a key are counted together, and each gets the events of all gateways',
    async (connections) => {
      const { key } = await newKey(service);
      const streams = await Promise.all(connections.slice(1).map((each) => each.listen(key)));
      const [last] = connections as [Connection];
      streams.push(await last.listen(key));
      assert.deepEqual(
        streams.map(({ status }) => status),
        Array(count).fill(200),
      );
      // A gateway that stands still for a moment is left out of the count.
      await waitUntil('a further stream is refused', async () => {
        const further = new Connection(service);
        const { status } = await further.listen(key);
        further.close();
        return status === 429;
      });
      // The second one follows the report of the first at once.
      for (const reports of [1, 2]) {
        await service.deliver('pull_request', pullPayload(1), { 'x-hub-signature-256': 'sha256=00' });
        await waitUntil('each stream reports the refused delivery', () =>
          streams.every(({ received }) => received().split('event: delivery.refused').length > reports),
        );
      }
    },
  );

  await part('two gateways that get one Idempotency-Key carry out one command', async (connections) => {
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

  await part('the maximum of ranges holds for requests to all gateways at once', async (connections) => {
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

  await part('while a home hangs, the others serve, and refuse nothing that the limit permits', async (connections) => {
    const { key } = await newKey(service);
    const ask = (each: Connection) => each.ask('GET', '/api/repos', key);
    const home = homeOfInstance(service);
    process.kill(home, 'SIGSTOP');
    const live: Connection[] = [];
    const all = connections.map(async (each) => {
      const { status } = await ask(each);
      live.push(each);
      return status;
    });
    try {
      await waitUntil('three gateways answer', () => live.length === count - 1);
      for (let round = 0; round < 20; round++)
        for (const { status } of await Promise.all(live.map(ask))) assert.equal(status, 200);
      const repository = { id: 900, full_name: 'owner/base', owner: { login: 'owner', id: 90, type: 'User' } };
      for (const each of live) assert.equal((await each.deliver(pullPayload(1, {}, repository))).status, 202);
    } finally {
      process.kill(home, 'SIGCONT');
    }
    assert.deepEqual(await Promise.all(all), Array(count).fill(200));
    // The key of the instance must have requests left for the next part.
    await untilCountedAtHome(service, connections, key);
  });

  await part(
    'the others serve while a killed home is restarted, and the limit is exact afterwards',
    async (connections) => {
      const { key } = await newKey(service);
      const home = homeOfInstance(service);
      const ask = (each: Connection, of: string) => each.ask('GET', '/api/repos', of);
      const sent = Array.from({ length: 400 }, (_, i) => ask(connections[i % count] as Connection, key));
      await Promise.race(sent);
      process.kill(home, 'SIGKILL');
      const settled = await Promise.allSettled(sent);
      const broken = settled.filter(({ status }) => status === 'rejected');
      assert.ok(broken.length <= 100, `${broken.length} requests failed, those of one gateway`);
      const statuses = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.status] : []));
      assert.ok(statuses.every((status) => status === 200 || status === 429));
      const granted = statuses.filter((status) => status === 200).length;
      assert.ok(granted >= 100 && granted <= 100 * count, `${granted} requests passed`);
      await waitUntil('the gateway is back', async () => {
        const { status } = await fetch(`${service.opsUrl}/readyz`);
        return status === 200 && homeOfInstance(service) !== home;
      });
      const again = await connectToAll(service);
      await passesExactly(service, 100, async () => {
        const fresh = await newKey(service);
        const replies = Array.from({ length: 200 }, (_, i) => ask(again[i % count] as Connection, fresh.key));
        return passed(await Promise.all(replies)).length;
      });
      for (const each of again) each.close();
    },
  );
});
