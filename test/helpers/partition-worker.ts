/**
 * Runs a real worker process without a supervisor, so that a test can kill and start the worker quickly. The worker
 * uses a journal of the test.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadSettings, settingsToEnv } from '../../config/load.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import type { ChildMessage, SupervisorMessage } from '../../src/supervisor/child-program.ts';
import { afterwards } from './cleanup.ts';
import type { Bench } from './partition-owner.ts';
import { streamBytes } from './partition-stream.ts';

const program = fileURLToPath(new URL('../../workers/partition/main.js', import.meta.url));

const names = ['directory', 'p00'];

/** A worker that owns the partitions `directory` and `p00`. */
export interface TestWorker {
  readonly pid: number;
  /** Resolves when the worker reports that it is ready. */
  readonly ready: Promise<void>;
  kill(): Promise<void>;
  /** Stops the worker as the supervisor does; resolves with the exit code. */
  stop(): Promise<number | null>;
}

export function startWorker(t: TestContext, { nats, journal, dataDir }: Bench): TestWorker {
  mkdirSync(dataDir, { recursive: true });
  const settings = loadSettings({
    TIDINGS_DATA_DIR: dataDir,
    TIDINGS_SEALING_KEY: '0'.repeat(64),
    TIDINGS_PARTITIONS: '1',
    TIDINGS_JOURNAL_MAX_BYTES: String(streamBytes),
    TIDINGS_RENDER_THREADS: '1',
    TIDINGS_LOG_LEVEL: 'silent',
  });
  const env = { PATH: process.env.PATH ?? '', ...settingsToEnv({ ...settings, ...nats.settings }) };
  // The worker waits for its streams. In a service, the supervisor makes them.
  for (const name of names) ensureStream(journal, name, streamBytes).catch(() => {});
  const child: ChildProcess = fork(program, names, { env, stdio: 'inherit' });
  child.send({ type: 'begin', durability: 'power-loss', mayLead: true } satisfies SupervisorMessage);
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const ready = new Promise<void>((resolve, reject) => {
    child.on('message', (message: ChildMessage) => {
      if (message.type === 'ready' && message.ready) resolve();
    });
    void exited.then((code) => reject(new Error(`the worker ended with ${code}`)));
  });
  ready.catch(() => {});
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  afterwards(t, kill);
  return {
    pid: child.pid as number,
    ready,
    kill,
    stop: () => {
      child.send({ type: 'stop' });
      return exited;
    },
  };
}
