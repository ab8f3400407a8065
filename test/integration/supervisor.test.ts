/**
 * A service that is told to stop while it starts: nothing is started afterwards.
 */
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

test('a stop in the first step of a start keeps the later steps from beginning', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const servers = () =>
    ownProcesses().filter((pid) => argumentsOf(pid).some((argument) => argument.startsWith(`${dataDir}/nats`)));
  // Where the test fails, the server that was left behind must not outlive it.
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
