/** Runs a separate process that holds the lock of a partition until it is killed. */
import { type ChildProcess, fork } from 'node:child_process';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../../src/store/lock.ts';
import { afterwards, kill } from './cleanup.ts';

/** Starts the process and waits until it holds the lock. The process is killed when the test ends. */
export async function startHolder(t: TestContext, dataDir: string, name: string): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['hold', dataDir, name]);
  afterwards(t, () => kill(child));
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}

if (process.argv[2] === 'hold') {
  await takeLock(process.argv[3] as string, process.argv[4] as string);
  process.on('disconnect', () => process.exit());
  process.send?.('held');
}
