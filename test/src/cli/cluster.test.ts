/** Tests what the commands about several machines say when the settings or the addresses cannot be used. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { clusterActions } from '../../../src/cli/cluster.ts';
import { UsageError } from '../../../src/cli/usage.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../../helpers/ports.ts';

/** Sets variables of the environment until the test ends. */
function useEnvironment(t: TestContext, variables: Record<string, string>): void {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  afterwards(t, () => {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  });
}

test('the commands about several machines need the name of the node', async (t) => {
  useEnvironment(t, { TIDINGS_DATA_DIR: temporaryFolder(t) });
  for (const run of [clusterActions.init, clusterActions.status, clusterActions.upgrade]) {
    await assert.rejects(run({}, []), /TIDINGS_NODE is not set.*TIDINGS_NATS_URL/);
  }
});

test('an address that cannot be used is refused, and servers that do not answer are named', async (t) => {
  const closed = `127.0.0.1:${await freePort()}`;
  useEnvironment(t, {
    TIDINGS_DATA_DIR: temporaryFolder(t),
    TIDINGS_NODE: 'b',
    TIDINGS_NATS_URL: `nats://${closed}`,
  });
  const join = (...addresses: string[]) => clusterActions.join({ token: 'x' }, addresses);
  await assert.rejects(join('nonsense'), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /^ADDRESSES: expected an address that begins with tls:\/\/ or nats:\/\//);
    return true;
  });
  const other = `127.0.0.1:${await freePort()}`;
  await assert.rejects(join(), new RegExp(`No NATS server answers at ${closed}\\.$`));
  await assert.rejects(join(`nats://${other}`), new RegExp(`No NATS server answers at ${other}\\.$`));
});
