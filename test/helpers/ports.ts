/** Reserves free ports and temporary folders for tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { afterwards } from './cleanup.ts';

/**
 * Test ports are below the range that the system uses for outgoing connections. This range begins at 32768, and at
 * 16000 on some machines. Within the range, an outgoing connection could take a port just before a server listens on
 * it.
 */
const [firstPort, blocks, blockSize] = [10_240, 90, 64];

/**
 * The block of ports of this process. The process listens on the first port of the block as long as the process runs.
 * No other test process can claim the block during that time.
 */
let block: Promise<Server> | undefined;
let taken = 0;

/** Returns a free port that no other test gets at the same time. */
export async function freePort(): Promise<number> {
  block ??= claimBlock();
  const { port: first } = (await block).address() as AddressInfo;
  for (let attempt = 1; attempt < blockSize; attempt++) {
    const port = first + 1 + (taken++ % (blockSize - 1));
    const server = await listen(port);
    if (!server) continue;
    await new Promise((closed) => server.close(closed));
    return port;
  }
  throw new Error(`All ports from ${first} to ${first + blockSize - 1} are in use.`);
}

async function claimBlock(): Promise<Server> {
  const start = process.pid % blocks;
  for (let attempt = 0; attempt < blocks; attempt++) {
    const server = await listen(firstPort + ((start + attempt) % blocks) * blockSize);
    if (server) return server.unref();
  }
  throw new Error('No block of ports is free.');
}

/** Listens on a port and returns the server; undefined when the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Makes a folder that is removed when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-test-'));
  afterwards(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
