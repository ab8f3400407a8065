/**
 * Takes the locks of a data directory: one for the supervisor, and one for the owner of each partition. The system
 * frees a lock when the process that holds it dies for any reason (`docs/architecture.md` decision 28). LMDB's own lock
 * does not prevent two owners of one partition.
 */
import { mkdirSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { lockFile } from './flock.ts';
import { isHeldByEarlierVersion } from './former-lock.ts';

/** A lock that is held until it is released or the process ends. */
export interface PartitionLock {
  release(): Promise<void>;
}

/** Thrown if another process holds the lock. */
export class PartitionLockedError extends Error {
  constructor(partition: string) {
    super(`Another process with this data directory is using partition ${partition}.`);
  }
}

/**
 * Takes the lock of a partition, or the lock of the supervisor.
 * @throws PartitionLockedError if another process holds the lock
 */
export async function takeLock(dataDir: string, partition: string): Promise<PartitionLock> {
  const folder = join(dataDir, 'locks');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, partition);
  const isLinux = process.platform === 'linux';
  const release = isLinux ? await lockFile(path) : await lockSocket(`${path}.sock`);
  if (!release) throw new PartitionLockedError(partition);
  if (isLinux && isHeldByEarlierVersion(dataDir, partition)) {
    await release();
    throw new PartitionLockedError(partition);
  }
  return { release };
}

/**
 * Takes a lock on systems without the program flock. The lock is a listening socket. If the socket file exists but no
 * process answers, the process that held the lock has ended.
 */
async function lockSocket(address: string): Promise<(() => Promise<void>) | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (await answers(address)) return undefined;
    unlinkSync(address);
    await listen(server, address);
  }
  server.unref();
  return () => new Promise((resolve) => server.close(() => resolve()));
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
