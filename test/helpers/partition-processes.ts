/**
 * The processes of a data directory, found by their environment: what a service leaves behind when it ends.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { waitUntil } from './wait-until.ts';

/** Every living process that was started with this data directory, the supervisor included. */
export function processesOf(dataDir: string): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return all.map(Number).filter((pid) => pid !== process.pid && read(pid, 'environ').includes(dataDir));
}

/** Waits until the processes have ended by themselves. */
export async function ended(pids: readonly number[]): Promise<void> {
  await waitUntil(`processes ${pids.join(', ')} end`, () => pids.every((pid) => read(pid, 'cmdline') === ''));
}

/** A dead process that nobody has waited for yet reads as empty. */
function read(pid: number, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
