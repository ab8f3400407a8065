/**
 * Runs the service on a NATS server of the operator, with an NKey and TLS. Checks the errors when the key or the
 * certificate does not match.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certFile, makeSigner, serverTls, startExternal } from '../helpers/external-nats.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { freePort } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };

test('the service works on an operator’s own server with an NKey and TLS', async (t) => {
  const [signer, other] = [makeSigner(t), makeSigner(t)];
  const port = await startExternal(t, `${serverTls()}\nauthorization { users: [{ nkey: ${signer.nkey} }] }`);
  const none = await freePort();
  const natsUrl = `tls://127.0.0.1:${port},tls://127.0.0.1:${none}`;
  const server = { TIDINGS_NATS_URL: natsUrl, TIDINGS_NATS_TLS_CA: certFile };
  const refused = await startService(t, {
    env: { ...small, ...server, TIDINGS_NATS_CREDENTIALS: other.file },
    waits: false,
  });
  assert.equal(await refused.exit(), 1);
  assert.match(refused.log, /The NATS server refuses the credentials of TIDINGS_NATS_CREDENTIALS/);

  const env: Record<string, string> = { ...small, ...server, TIDINGS_NATS_CREDENTIALS: signer.file };
  const service = await startService(t, { env });
  assert.equal((await service.deliver('pull_request', pullPayload(1))).status, 202);
  await waitUntil('it is folded', async () => (await service.api('GET', '/api/repos')).body.repos.length === 1);
  const { code, output } = await service.run('doctor', '--offline');
  assert.match(output, /^✓ journal connection: TLS, a signature$/m);
  assert.match(output, new RegExp(`^✓ NATS server 127.0.0.1:${port} answers$`, 'm'));
  assert.match(output, new RegExp(`^✗ NATS server 127.0.0.1:${none} does not answer: `, 'm'));
  assert.equal(code, 1);
  assert.equal(service.pids()['nats-server'], 0, 'the service starts no nats-server');
});

test('the service logs why the server cannot be used while it waits', async (t) => {
  const signer = makeSigner(t);
  const port = await startExternal(t, `${serverTls()}\nauthorization { users: [{ nkey: ${signer.nkey} }] }`);
  const env = { TIDINGS_NATS_URL: `tls://127.0.0.1:${port}`, TIDINGS_NATS_CREDENTIALS: signer.file };
  const service = await startService(t, { env: { ...small, ...env }, waits: false });
  await waitUntil('the reason is logged', () => /not trusted: set TIDINGS_NATS_TLS_CA/.test(service.log));
});
