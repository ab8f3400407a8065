/**
 * Runs a separate process that reads a partition as the gateway does. On request, the process replies with the time
 * that is stored in the partition. In mode `fresh`, the process uses a new read transaction each time. In mode
 * `current`, it uses a new one in each turn of the event loop. In mode `held`, the process keeps one read transaction.
 * The test of mode `held` shows why the other modes are needed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openReadOnly } from '../../src/store/partition.ts';
import { Readers } from '../../src/store/readers.ts';
import { readTime } from '../../src/store/tables/meta.ts';
import { afterwards, kill } from './cleanup.ts';
import { waitUntil } from './wait-until.ts';

export type ReaderMode = 'fresh' | 'current' | 'held';
type Times = [before: number, after: number];

/** Sends requests to the reader process. */
export interface ReaderProcess {
  time(): Promise<number>;
  /**
   * Reads the partition's stored time twice, before and after a commit, and returns both times. Both reads happen in
   * the same turn of the process's event loop. Within one turn, LMDB renews no read transaction automatically.
   */
  around(commit: () => Promise<void>): Promise<Times>;
}

/** Starts the process. It is killed when the test ends. */
export function startReader(t: TestContext, dataDir: string, name: string, mode: ReaderMode): ReaderProcess {
  const child = fork(fileURLToPath(import.meta.url), ['read', dataDir, name, mode]);
  afterwards(t, () => kill(child));
  return {
    time: () => ask(child, 'time'),
    around: async (commit) => {
      const answer = ask<Times>(child, 'around');
      await waitUntil('the reader has read', () => existsSync(signOf(dataDir, 'read')));
      await commit();
      writeFileSync(signOf(dataDir, 'committed'), '');
      return answer;
    },
  };
}

function ask<Answer = number>(child: ChildProcess, what: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => resolve(answer as Answer));
    child.send(what, (error) => error && reject(error));
  });
}

/**
 * Returns the path of a file with which the test process and the reader process signal each other. One process creates
 * the file, and the other process waits until the file exists. The reader process blocks its event loop while it waits.
 */
function signOf(dataDir: string, word: 'read' | 'committed'): string {
  return join(dataDir, `reader-${word}`);
}

function serve(dataDir: string, name: string, mode: string): void {
  const readers = new Readers(dataDir);
  const held = openReadOnly(dataDir, name);
  const time = (): number => {
    const partition = mode === 'held' ? held : mode === 'fresh' ? readers.fresh(name) : readers.current(name);
    return partition ? readTime(partition) : -1;
  };
  process.on('message', (what) => process.send?.(what === 'time' ? time() : timesAroundCommit(dataDir, time)));
}

function timesAroundCommit(dataDir: string, time: () => number): Times {
  const before = time();
  writeFileSync(signOf(dataDir, 'read'), '');
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (!existsSync(signOf(dataDir, 'committed'))) Atomics.wait(never, 0, 0, 5);
  return [before, time()];
}

if (process.argv[2] === 'read') serve(process.argv[3] as string, process.argv[4] as string, process.argv[5] as string);
