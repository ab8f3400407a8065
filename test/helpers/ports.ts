/**
 * Free ports and temporary folders for tests.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { afterwards } from './cleanup.ts';

/**
 * Below the ports from which the system takes those of outgoing connections (32768 and up, on some machines 16000 and up):
 * one that it gave to a client in the moment before a server listens would be lost to the server.
 */
const [firstPort, blocks, blockSize] = [10_240, 90, 64];

/** This process's block, claimed by listening on the first port of it for as long as the process lives. */
let block: Promise<Server> | undefined;
let taken = 0;

/** A free port that no other test is given meanwhile. */
export async function freePort(): Promise<number> {
  block ??= claimBlock();
  const { port: first } = (await block).address() as AddressInfo;
  for (let tries = 1; tries < blockSize; tries++) {
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
  for (let tries = 0; tries < blocks; tries++) {
    const server = await listen(firstPort + ((start + tries) % blocks) * blockSize);
    if (server) return server.unref();
  }
  throw new Error('No block of ports is free.');
}

/** A server on a port, or nothing where that is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** A folder that goes when the test ends. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-test-'));
  afterwards(t, () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
