/**
 * Processes that a test holds still for a while, to see what goes on without them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/** Stops a process, until it gets SIGCONT. Until each of its threads has taken the signal, the others go on: that is waited for. */
export async function holdStill(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitUntil(`process ${pid} holds still`, () => threadStates(pid).every((state) => state === 'T'));
}

/** What each thread of a process does; undefined for one that has ended just now. */
function threadStates(pid: number): (string | undefined)[] {
  return readdirSync(`/proc/${pid}/task`).map((id) => {
    try {
      return /\) (\w)/.exec(readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  });
}
