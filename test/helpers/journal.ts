/**
 * A real nats-server for integration tests, on a free port over a temporary folder, and a journal connected to it.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import { createLogger } from '../../src/logger.ts';
import { localNatsUrl, type NatsServer, startNatsServer } from '../../src/nats-server.ts';
import { afterwards } from './cleanup.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

export const quiet = createLogger('test', 'silent');

/** A nats-server that a test can kill and start again. */
export interface TestNats {
  readonly url: string;
  readonly dataDir: string;
  /** A connection of its own that closes with the test. */
  connect(): Promise<Journal>;
  /** Ends the server without warning. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a nats-server; it ends with the test. */
export async function startNats(t: TestContext): Promise<TestNats> {
  const dataDir = join(temporaryFolder(t));
  const port = await freePort();
  const options = { dataDir, port, token: 'ttesttoken', maxStore: 1_073_741_824 };
  let server: NatsServer = await startNatsServer(options);
  const url = localNatsUrl(port, options.token);
  const kill = () => killNats(server);
  afterwards(t, kill);
  return {
    url,
    dataDir,
    connect: async () => {
      const journal = await connectJournal(url, 'test', quiet);
      afterwards(t, () => journal.close());
      return journal;
    },
    kill,
    start: async () => {
      server = await waitUntil('the port is free again', () => startNatsServer(options).catch(() => undefined));
    },
  };
}

/** Ends a server, if it has not ended, and waits until it has. */
export async function killNats(server: NatsServer): Promise<void> {
  try {
    process.kill(server.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
  await server.exited;
}
