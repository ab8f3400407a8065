/** Tests a service that is stopped during its start. After the stop, the service starts no further process. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { createLogger } from '../../src/foundation/logger.ts';
import { argumentsOf, ownProcesses } from '../../src/foundation/processes.ts';
import { startService } from '../../src/supervisor/supervisor.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';

test('a stop during the first step of a start prevents the later steps', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const servers = () =>
    ownProcesses().filter((pid) => argumentsOf(pid).some((argument) => argument.startsWith(`${dataDir}/nats`)));
  // If the test fails, a nats-server may still be running. This function kills it at the end of the test.
  afterwards(t, () => {
    for (const pid of servers()) process.kill(pid, 'SIGKILL');
  });
  const settings = loadSettings({
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_PORT: '0',
    TIDINGS_OPS_PORT: '0',
    TIDINGS_NATS_PORT: String(await freePort()),
  });
  const service = startService(settings, createLogger('test', 'silent'));
  await service.stop();
  await assert.rejects(service.ready);
  assert.deepEqual(servers(), [], 'no nats-server is left');
  assert.ok(!existsSync(join(dataDir, 'admin-key')), 'no secret was made');
});
