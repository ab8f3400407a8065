/** Tests what the commands about several machines say without the name of the node. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { clusterActions } from '../../../src/cli/cluster.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

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
