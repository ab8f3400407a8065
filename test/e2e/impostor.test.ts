/**
 * Tests a local program that takes the port of a killed nats-server. The program receives no secret that opens the
 * journal and no part of a delivery. The service recovers automatically when the port is free again.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterwards } from '../helpers/cleanup.ts';
import { Impostor } from '../helpers/impostor.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = {
  TIDINGS_PARTITIONS: '1',
  TIDINGS_WORKERS: '1',
  TIDINGS_RENDER_THREADS: '1',
  TIDINGS_ACK_DEADLINE_MS: '1000',
  TIDINGS_TICK_SECONDS: '1',
};
const marker = 'Text-that-no-impostor-may-read';

/** Kills the nats-server repeatedly until the impostor gets the port before the restarted server does. */
async function seizePort(t: TestContext, service: TestService): Promise<Impostor> {
  const impostor = new Impostor();
  afterwards(t, () => impostor.leave());
  await waitUntil('the impostor has the port', async () => {
    await service.killParts('nats-server');
    return impostor.seize(Number(service.env.TIDINGS_NATS_PORT), 200);
  });
  return impostor;
}

/**
 * Returns the secrets that open the journal, read from a data directory. These secrets are the seeds of the roles, or
 * the token that earlier versions of Tidings used.
 */
function secretsOf(dataDir: string): string[] {
  const keys = join(dataDir, 'journal-keys');
  const files = readdirSync(dataDir).includes('journal-keys')
    ? readdirSync(keys).map((name) => join(keys, name))
    : [join(dataDir, 'nats-token')];
  return files.map((file) => readFileSync(file, 'utf8').trim());
}

/** Returns everything that clients sent to the impostor, in plain text or over TLS with the impostor's certificate. */
function overheardText({ overheard }: Impostor): string {
  return Buffer.concat(overheard.flatMap(({ raw, inside }) => [raw, inside])).toString('latin1');
}

/** Sends recorded bytes to a server. Returns everything that the server answers until the connection is closed. */
function replay(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });
}

test('an impostor on the port of nats-server learns nothing', async (t) => {
  const service = await startService(t, { env });
  const port = Number(service.env.TIDINGS_NATS_PORT);
  const before = service.pids();
  const impostor = await seizePort(t, service);
  const refused: number[] = [];
  await waitUntil('supervisor, gateway and worker have tried often, or have sent too much', async () => {
    const answer = await service.deliver('pull_request', pullPayload(1, { title: marker }));
    if (answer.status !== 202) refused.push(answer.status);
    return refused.length >= 3 && (impostor.overheard.length >= 60 || overheardText(impostor).includes('CONNECT'));
  });
  const { supervisor, gateway, worker } = service.pids();
  assert.deepEqual([supervisor, gateway, worker], [before.supervisor, before.gateway, before.worker]);
  impostor.leave();

  const { overheard } = impostor;
  const said = overheardText(impostor);
  for (const secret of [...secretsOf(service.dataDir), marker, 'CONNECT', 'auth_token', 'nkey', 'tidings.records']) {
    assert.ok(!said.includes(secret), `the impostor was sent ${JSON.stringify(secret.slice(0, 20))}`);
  }
  for (const { raw, inside } of overheard) {
    assert.equal(inside.length, 0, 'no client accepts another certificate');
    if (raw.length > 0) assert.deepEqual([...raw.subarray(0, 2)], [0x16, 0x03], 'a client begins with TLS');
  }
  for (const greeting of ['clear', 'tls', 'none']) {
    assert.ok(overheard.filter((each) => each.greeting === greeting && each.raw.length > 0).length >= 5, greeting);
  }

  await waitUntil('a delivery is accepted again', async () => {
    const answer = await service.deliver('pull_request', pullPayload(2)).catch(() => undefined);
    return answer?.status === 202;
  });
  await service.ready();
  for (const { raw } of overheard.slice(0, 20)) {
    assert.doesNotMatch(await replay(port, raw), /INFO|PONG|\+OK/, 'the recorded bytes open nothing later');
  }
});
