/**
 * Tests a second start on a data directory that another process uses. The second process ends without making a file in
 * the data directory, because the first process would not know of such a file.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { takeLock } from '../../src/store/lock.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';

test('a start on a data directory that another process prepares ends, and makes no secret', async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const first = await takeLock(dataDir, 'supervisor');
  const second = await startService(t, { dataDir, waits: false });
  assert.equal(await second.exit(), 1);
  assert.match(second.log, /^Another Tidings runs on .*\. Stop it first/m);
  assert.deepEqual(readdirSync(dataDir), ['locks']);
  await first.release();
});
