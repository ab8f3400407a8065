/**
 * A process of its own that reads a partition the way the gateway does: asked for the partition's time, it answers what a
 * fresh read says. `held` answers from a read that was never renewed, which shows what `fresh` is for.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readTime } from '../../src/store/meta.ts';
import { openReadOnly } from '../../src/store/partition.ts';
import { Readers } from '../../src/store/readers.ts';
import { afterwards, kill } from './cleanup.ts';

/** Asks the reader process. */
export interface ReaderProcess {
  time(): Promise<number>;
}

/** Starts the process; it ends with the test. */
export function startReader(t: TestContext, dataDir: string, name: string, mode: 'fresh' | 'held'): ReaderProcess {
  const child = fork(fileURLToPath(import.meta.url), ['read', dataDir, name, mode]);
  afterwards(t, () => kill(child));
  return { time: () => ask(child) };
}

function ask(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (time) => resolve(time as number));
    child.send('time', (error) => error && reject(error));
  });
}

function serve(dataDir: string, name: string, mode: string): void {
  const readers = new Readers(dataDir);
  const held = openReadOnly(dataDir, name);
  process.on('message', () => {
    const partition = mode === 'fresh' ? readers.fresh(name) : held;
    process.send?.(partition ? readTime(partition) : -1);
  });
}

if (process.argv[2] === 'read') serve(process.argv[3] as string, process.argv[4] as string, process.argv[5] as string);
