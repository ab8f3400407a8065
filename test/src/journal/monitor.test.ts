/** Tests what is concluded from the answers of monitoring ports, including answers that are wrong. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { describeDurability } from '../../../src/cli/doctor-durability.ts';
import { findDurability } from '../../../src/journal/monitor.ts';
import type { StreamState } from '../../../src/journal/topology.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { freePort } from '../../helpers/ports.ts';

const natsUrl = 'nats://127.0.0.1:4222';

/** Serves one reply at every path. Returns the address. */
async function serve(t: TestContext, body: string, status = 200): Promise<string> {
  const server = createServer((_, reply) => reply.writeHead(status, { location: '/elsewhere' }).end(body));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  afterwards(t, () => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Serves the answer of a nats-server. */
function serveVarz(t: TestContext, name: string, version = '2.15.2', syncs = true): Promise<string> {
  const config = { max_memory: 1, ...(syncs && { sync_always: true }) };
  return serve(t, JSON.stringify({ server_name: name, version, jetstream: { config } }));
}

function stream(...servers: string[]): StreamState {
  return {
    ...{ created: '', firstSeq: 1, lastSeq: 0, bytes: 0, maxBytes: 1 },
    ...{ replicas: servers.length, servers },
  };
}

test('replicated needs a recent version on every server', async (t) => {
  const addresses = [await serveVarz(t, 'n0'), await serveVarz(t, 'n1'), await serveVarz(t, 'n2', '2.11.9')];
  const found = await findDurability({ natsUrl, natsMonitor: addresses }, '2.15.2', [stream('n0', 'n1', 'n2')]);
  assert.equal(found.level, 'replicated-unsynced');
  assert.deepEqual(found.faults, [
    `the NATS server n2 at ${addresses[2]} has version 2.11.9: expected 2.12.0 or later for a cluster`,
  ]);
});

test('every server that stores one of the streams must be asked', async (t) => {
  const natsMonitor = [await serveVarz(t, 'n0'), await serveVarz(t, 'n1'), await serveVarz(t, 'n2')];
  const inside = stream('n0', 'n1', 'n2');
  assert.equal((await findDurability({ natsUrl, natsMonitor }, '2.15.2', [inside])).level, 'replicated');
  const outside = await findDurability({ natsUrl, natsMonitor }, '2.15.2', [inside, stream('n4', 'n0', 'n3')]);
  assert.equal(outside.level, 'replicated-unsynced');
  assert.deepEqual(outside.faults, ['TIDINGS_NATS_MONITOR does not name n3, n4, which store streams']);
});

test('the stream with the fewest replicas decides', async (t) => {
  const natsMonitor = [await serveVarz(t, 'n0'), await serveVarz(t, 'n1'), await serveVarz(t, 'n2')];
  const streams = [stream('n0', 'n1', 'n2'), stream('n1')];
  assert.equal((await findDurability({ natsUrl, natsMonitor }, '2.15.2', streams)).level, 'power-loss');
});

test('the supervised server is not asked', async () => {
  const settings = { natsUrl: '', natsMonitor: [] };
  const found = await findDurability(settings, '2.10.27', [stream('tidings')]);
  assert.deepEqual(found, { level: 'power-loss', monitors: [], faults: [] });
});

test('an address that is not a monitoring port is reported with the reason', async (t) => {
  const unusable = {
    'answers with HTTP status 404': await serve(t, 'nothing here', 404),
    'answers, but not as the monitoring port of a nats-server': await serve(t, '<html>'),
    'does not answer: ECONNREFUSED': `http://127.0.0.1:${await freePort()}`,
  };
  for (const [fault, address] of Object.entries(unusable)) {
    const found = await findDurability({ natsUrl, natsMonitor: [address] }, '2.15.2', [stream('n0')]);
    assert.deepEqual(found, {
      level: 'process-crash',
      monitors: [{ address, fault }],
      faults: [`the NATS server at ${address} ${fault}`],
    });
  }
  for (const body of ['null', '[]', '{"server_name": 1, "version": {}}']) {
    const natsMonitor = [await serve(t, body)];
    const { faults } = await findDurability({ natsUrl, natsMonitor }, '2.15.2', [stream('n0')]);
    assert.match(faults.join(), /not as the monitoring port of a nats-server$/);
  }
  const redirect = await findDurability({ natsUrl, natsMonitor: [await serve(t, '', 302)] }, '2.15.2', [stream('n0')]);
  assert.match(redirect.faults.join(), /does not answer: /);
});

test('the doctor reports each server and the level', async (t) => {
  const natsMonitor = [await serveVarz(t, 'n0'), await serveVarz(t, 'n1'), await serveVarz(t, 'n2', '2.15.2', false)];
  const streams = [stream('n0', 'n1', 'n2')];
  const described = async (addresses: readonly string[]) =>
    describeDurability(await findDurability({ natsUrl, natsMonitor: addresses }, '2.15.2', streams)).map(
      ({ verdict, text }) => `${verdict}: ${text.replace(/127\.0\.0\.1:\d+/, 'ADDRESS')}`,
    );
  assert.deepEqual(await described(natsMonitor), [
    'ok: NATS servers that call fsync before they acknowledge: n0 (nats-server 2.15.2), n1 (nats-server 2.15.2)',
    'fault: the NATS server n2 at http://ADDRESS does not call fsync before it acknowledges. Set sync_interval: always in its jetstream block',
    'note: durability level: replicated-unsynced',
  ]);
  assert.deepEqual(await described([]), [
    'note: durability level: replicated-unsynced. Whether the NATS servers call fsync before they acknowledge is not known: set TIDINGS_NATS_MONITOR to their monitoring ports',
  ]);
});
