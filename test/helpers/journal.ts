/**
 * Starts a real nats-server for integration tests, on a free port with a temporary folder. Also connects journals to
 * this server.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { nkeys } from 'nats';
import { createLogger } from '../../src/foundation/logger.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import type { NatsSettings } from '../../src/journal/credentials.ts';
import { makeJournalKeys, type NatsUser, usersOf } from '../../src/journal/keys.ts';
import type { JournalRole } from '../../src/journal/roles.ts';
import {
  localJournal,
  type NatsServer,
  type NatsServerOptions,
  startNatsServer,
} from '../../src/supervisor/nats-server.ts';
import { afterwards } from './cleanup.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

export const quiet = createLogger('test', 'silent');

/** A nats-server that a test can kill and start again. */
export interface TestNats {
  /** Connection settings of a user with every permission. */
  readonly settings: NatsSettings;
  readonly port: number;
  readonly dataDir: string;
  /**
   * Opens a separate connection with the permissions of a role, or with every permission. The connection closes when
   * the test ends.
   */
  connect(role?: JournalRole): Promise<Journal>;
  /** Kills the server with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Starts a nats-server, which stops when the test ends. */
export async function startNats(t: TestContext): Promise<TestNats> {
  const dataDir = join(temporaryFolder(t));
  const port = await freePort();
  const [options, everything] = [prepareNats(dataDir, port), makeUser(join(dataDir, 'test.nk'))];
  options.users = [...options.users, everything];
  let server: NatsServer = await startNatsServer(options);
  const settings = { ...localJournal(dataDir, port, 'cli'), natsCredentials: join(dataDir, 'test.nk') };
  const kill = () => killNats(server);
  afterwards(t, kill);
  return {
    settings,
    port,
    dataDir,
    connect: async (role) => {
      const chosen = role ? localJournal(dataDir, port, role) : settings;
      const journal = await connectJournal(chosen, { role: role ?? 'cli', name: 'test' }, quiet);
      afterwards(t, () => journal.close());
      return journal;
    },
    kill,
    start: async () => {
      server = await waitUntil('the port is free again', () => startNatsServer(options).catch(() => undefined));
    },
  };
}

/** Returns the start options of a server. Makes the server's keys if they are missing. */
export function prepareNats(dataDir: string, port: number): NatsServerOptions {
  makeJournalKeys(dataDir, (file, text) => writeFileSync(file, text, { mode: 0o600 }));
  return { dataDir, port, users: usersOf(dataDir), maxStore: 1_073_741_824 };
}

/** Makes a user with every permission and writes its seed to a file. */
function makeUser(file: string): NatsUser {
  const pair = nkeys.createUser();
  writeFileSync(file, pair.getSeed());
  return { nkey: pair.getPublicKey() };
}

/** Kills a server and waits until its process has ended. */
export async function killNats(server: NatsServer): Promise<void> {
  try {
    process.kill(server.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  await server.exited;
}
