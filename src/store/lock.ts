/**
 * The lock of a partition on this machine: a listening socket that the system frees when its process dies, however it dies
 * (`docs/architecture.md` decision 28). LMDB's own lock does not stop two owners.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, unlinkSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** A lock that is held until it is released or the process ends. */
export interface PartitionLock {
  release(): Promise<void>;
}

/** Another process owns the partition. */
export class PartitionLockedError extends Error {
  constructor(partition: string) {
    super(`Partition ${partition} is owned by another process of this data directory.`);
  }
}

/**
 * Takes the lock of a partition.
 * @throws PartitionLockedError when another process holds it
 */
export async function takeLock(dataDir: string, partition: string): Promise<PartitionLock> {
  const address = lockAddress(dataDir, partition);
  const server = createServer((socket) => socket.destroy());
  try {
    await listen(server, address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    if (process.platform === 'linux' || (await answers(address))) throw new PartitionLockedError(partition);
    unlinkSync(address);
    await listen(server, address);
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Linux has sockets without a file; elsewhere the file of a dead owner is found by asking whether anyone answers. */
function lockAddress(dataDir: string, partition: string): string {
  if (process.platform !== 'linux') return join(dataDir, 'partitions', `${partition}.lock`);
  // By its real path: a link to the folder must not lead past the lock.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 24);
  return `\0tidings-${folder}-${partition}`;
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
