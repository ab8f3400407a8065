/**
 * The lock of a partition: one holder in this process or any other, freed when its holder dies.
 */
import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PartitionLockedError, takeLock } from '../../../src/store/lock.ts';
import { startHolder } from '../../helpers/partition-holder.ts';
import { temporaryFolder } from '../../helpers/ports.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

test('has one holder within a process', async (t) => {
  const dataDir = temporaryFolder(t);
  const lock = await takeLock(dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  const other = await takeLock(dataDir, 'p01');
  await lock.release();
  await (await takeLock(dataDir, 'p00')).release();
  await other.release();
});

test('is free again once its holder is killed', async (t) => {
  const dataDir = temporaryFolder(t);
  const holder = await startHolder(t, dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  holder.kill('SIGKILL');
  const lock = await waitUntil('the lock is free', () => takeLock(dataDir, 'p00').catch(() => undefined));
  await lock.release();
});

test('is the same by every path to the folder', async (t) => {
  const dataDir = temporaryFolder(t);
  const alias = join(temporaryFolder(t), 'alias');
  symlinkSync(dataDir, alias);
  const lock = await takeLock(dataDir, 'p00');
  await assert.rejects(takeLock(alias, 'p00'), PartitionLockedError);
  await lock.release();
});
