/** Tests `tidings doctor`, and the start of a service whose settings name the wrong kind of host. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { freePort } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const version = String.raw`\d+\.\d+\.\d+`;

test('doctor and the start report a wrong kind of host, and doctor the rest', async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 4 }), { kind: 'gitea', token: 'secret-token' });
  const port = String(await freePort());
  const publicUrl = `http://127.0.0.1:${port}`;
  const service = await startService(t, {
    env: {
      ...host.env,
      TIDINGS_HOST_KIND: 'github',
      TIDINGS_HOST_API_URL: '',
      TIDINGS_PORT: port,
      TIDINGS_PUBLIC_URL: publicUrl,
      TIDINGS_TAG_SYNC_HOURS: '0',
    },
  });
  const wrongKind = `host ${host.origin}: TIDINGS_HOST_KIND is github, but the host answers as Gitea or Forgejo 1.26.0. Set TIDINGS_HOST_KIND to gitea`;
  await waitUntil('the start has logged it', () => service.log.includes(`"msg":"${wrongKind}. See: tidings doctor"`));
  const { code, output } = await service.run('doctor');
  assert.equal(code, 1);
  assert.ok(output.includes(`✗ ${wrongKind}\n`), output);
  assert.match(output, new RegExp(`^✓ tidings ${version}\n✓ node v${version}\n`, 'm'));
  assert.match(output, new RegExp(`^✓ nats-server ${version} at `, 'm'));
  assert.match(output, /^✓ TIDINGS_PUBLIC_URL leads to this service$/m);
  assert.match(output, /^! TIDINGS_PUBLIC_URL http:\/\/127\.0\.0\.1:\d+ cannot be reached from other machines$/m);
  assert.match(output, /^✓ no delivery was refused in the last hour$/m);

  await t.test('doctor --offline sends no request to other machines', async () => {
    const asked = host.probed.length;
    const offline = await service.run('doctor', '--offline');
    assert.equal(offline.code, 0, offline.output);
    assert.ok(asked > 0);
    assert.equal(host.probed.length, asked);
    assert.doesNotMatch(offline.output, /leads to this service|TIDINGS_HOST_KIND/);
  });
});
