/** Tests what the commands about several machines say if they cannot connect to the NATS servers. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withServers } from '../../../src/cli/cluster-servers.ts';
import { freePort } from '../../helpers/ports.ts';

/** Sets environment variables until the test ends. */
function setEnv(t: TestContext, values: Record<string, string>): void {
  const before = { ...process.env };
  t.after(() => {
    process.env = before;
  });
  process.env = { ...before, ...values };
}

const never = async (): Promise<number> => assert.fail('the step must not run');

test('addresses on the command line are checked like the setting, and may replace it', async (t) => {
  setEnv(t, { TIDINGS_NODE: 'b', TIDINGS_NATS_URL: '' });
  await assert.rejects(withServers(never, 'nats.example.com'), {
    name: 'SettingsError',
    message: /expected an address that begins with tls:\/\/ or nats:\/\//,
  });
  await assert.rejects(withServers(never, 'nats://secret@one.example,http://secret@two.example'), (error: Error) => {
    assert.equal(error.name, 'SettingsError');
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
});

test('a command names the servers that do not answer, without their credentials', async (t) => {
  const port = await freePort();
  setEnv(t, { TIDINGS_NODE: 'b', TIDINGS_NATS_URL: '' });
  await assert.rejects(withServers(never, `nats://secret@127.0.0.1:${port}`), {
    name: 'ClusterError',
    message: new RegExp(`^No NATS server answers at 127.0.0.1:${port}. Start it, or check its address. Reason: `),
  });
});
