/**
 * Tests the lock of a partition: only one process can hold the lock, and the lock is released when its holder dies.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { PartitionLockedError, takeLock } from '../../../src/store/lock.ts';
import { afterwards, kill } from '../../helpers/cleanup.ts';
import { startHolder } from '../../helpers/partition-holder.ts';
import { temporaryFolder } from '../../helpers/ports.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

test('a lock has one holder within a process', async (t) => {
  const dataDir = temporaryFolder(t);
  const lock = await takeLock(dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  const other = await takeLock(dataDir, 'p01');
  await lock.release();
  await (await takeLock(dataDir, 'p00')).release();
  await other.release();
});

test('a lock is free again once its holder is killed', async (t) => {
  const dataDir = temporaryFolder(t);
  const holder = await startHolder(t, dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  holder.kill('SIGKILL');
  const lock = await waitUntil('the lock is free', () => takeLock(dataDir, 'p00').catch(() => undefined));
  await lock.release();
});

test('a lock is the same for every path to the folder', async (t) => {
  const dataDir = temporaryFolder(t);
  const alias = join(temporaryFolder(t), 'alias');
  symlinkSync(dataDir, alias);
  const lock = await takeLock(dataDir, 'p00');
  await assert.rejects(takeLock(alias, 'p00'), PartitionLockedError);
  await lock.release();
});

/**
 * Starts a process that locks a partition as earlier versions of Tidings did. The process listens on a socket whose
 * name contains the name of the partition.
 */
async function startFormer(t: TestContext, dataDir: string, partition: string, user = {}): Promise<ChildProcess> {
  const folder = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  const name = `tidings-${folder}-${partition}`;
  const listen = "require('net').createServer().listen('\\0' + process.argv[1], () => console.log('listens'))";
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, ['-e', listen, name], { ...user, cwd: '/', stdio: [...stdio] });
  afterwards(t, () => kill(child));
  await once(child.stdout as Readable, 'data');
  return child;
}

test('a running earlier version of the same user holds the lock', async (t) => {
  const dataDir = temporaryFolder(t);
  const former = await startFormer(t, dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  await (await takeLock(dataDir, 'p01')).release();
  former.kill('SIGKILL');
  await once(former, 'exit');
  await (await takeLock(dataDir, 'p00')).release();
});

test('another user who binds the socket name of earlier versions does not hold the lock', {
  skip: process.geteuid?.() !== 0 && 'needs root',
}, async (t) => {
  const dataDir = temporaryFolder(t);
  await startFormer(t, dataDir, 'p00', { uid: 65534, gid: 65534 });
  const lock = await takeLock(dataDir, 'p00');
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  await lock.release();
});

test('the lock file can be opened only by its user, and stays after a release', async (t) => {
  const before = process.umask(0o022);
  afterwards(t, () => void process.umask(before));
  const dataDir = temporaryFolder(t);
  const lock = await takeLock(dataDir, 'p00');
  const modes = ['locks', 'locks/p00'].map((name) => (statSync(join(dataDir, name)).mode & 0o777).toString(8));
  assert.deepEqual(modes, ['700', '600']);
  const { ino } = statSync(join(dataDir, 'locks/p00'));
  await lock.release();
  await (await takeLock(dataDir, 'p00')).release();
  assert.equal(statSync(join(dataDir, 'locks/p00')).ino, ino);
});

test('a second release of a lock does not free a lock taken since', async (t) => {
  const dataDir = temporaryFolder(t);
  const former = await takeLock(dataDir, 'p00');
  await former.release();
  const lock = await takeLock(dataDir, 'p00');
  await former.release();
  await assert.rejects(takeLock(dataDir, 'p00'), PartitionLockedError);
  await lock.release();
});

test('programs that the holder starts do not inherit the lock', async (t) => {
  const dataDir = temporaryFolder(t);
  const lock = await takeLock(dataDir, 'p00');
  const { stdout } = spawnSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });
  assert.match(stdout, /-> /);
  assert.ok(!stdout.includes(dataDir), stdout);
  const own = spawnSync('ls', ['-l', `/proc/${process.pid}/fd`], { encoding: 'utf8' }).stdout;
  assert.ok(own.includes(join(realpathSync(dataDir), 'locks/p00')), 'the holder has it open');
  await lock.release();
});

test('a lock file that is a link or a folder is refused', async (t) => {
  const dataDir = temporaryFolder(t);
  const target = join(temporaryFolder(t), 'target');
  writeFileSync(target, 'text');
  mkdirSync(join(dataDir, 'locks/p01'), { recursive: true });
  symlinkSync(target, join(dataDir, 'locks/p00'));
  await assert.rejects(takeLock(dataDir, 'p00'), { code: 'ELOOP' });
  await assert.rejects(takeLock(dataDir, 'p01'), { code: 'EISDIR' });
  assert.equal(readFileSync(target, 'utf8'), 'text');
});

test('the error names the package to install when the flock program is missing', async (t) => {
  const dataDir = temporaryFolder(t);
  const path = process.env.PATH;
  process.env.PATH = dataDir;
  try {
    await assert.rejects(takeLock(dataDir, 'p00'), /The program flock is not on the PATH\. Install util-linux/);
    writeFileSync(join(dataDir, 'flock'), '#!/bin/sh\necho flock: no locks available >&2\nexit 71\n', { mode: 0o700 });
    await assert.rejects(
      takeLock(dataDir, 'p00'),
      /p00 cannot be locked: flock ended with 71 \(flock: no locks available\)/,
    );
  } finally {
    process.env.PATH = path;
  }
  await (await takeLock(dataDir, 'p00')).release();
});
