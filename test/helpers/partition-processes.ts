/**
 * Finds the processes of a data directory by their environment variables. Tests use this to check that a stopped
 * service leaves no process running.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/** Returns the ids of all running processes that were started with this data directory, including the supervisor. */
export function processesOf(dataDir: string): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => pid !== process.pid && read(pid, 'environ').includes(dataDir));
}

/** Waits until the processes have ended on their own. */
export async function ended(pids: readonly number[]): Promise<void> {
  await waitUntil(`processes ${pids.join(', ')} end`, () => pids.every((pid) => read(pid, 'cmdline') === ''));
}

/** Returns the content of a file in `/proc`; empty for a process that has ended. */
function read(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
