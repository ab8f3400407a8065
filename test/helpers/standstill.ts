/** Suspends a process, so that tests can check what works without it. */
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/**
 * Suspends a process until it gets SIGCONT. The stop signal reaches the threads of the process one after another. The
 * function therefore waits until all threads have stopped.
 */
export async function pauseProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitUntil(`process ${pid} has stopped`, () => threadStates(pid).every((state) => state === 'T'));
}

/** Returns the state of each thread of a process; undefined for a thread that has just ended. */
function threadStates(pid: number): (string | undefined)[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    try {
      return /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  });
}
