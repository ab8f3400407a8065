/**
 * Processor time of processes, from /proc: on few cores it tells more than the clock, since it does not depend on who else
 * runs. Elsewhere than on Linux there is none.
 */
import { readFileSync } from 'node:fs';

/** Processes by name. */
export type Processes = Record<string, number>;

/** `getconf CLK_TCK`, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Processor seconds of each process so far; processes that cannot be read are left out. */
export function cpuSeconds(processes: Processes): Record<string, number> {
  const seconds: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const used = readProcess(pid);
    if (used !== undefined) seconds[name] = used;
  }
  return seconds;
}

/** What each process used between two readings. */
export function cpuBetween(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
}

/** Processor seconds that the whole machine has spent on anything but idling; undefined where that cannot be read. */
export function machineSeconds(): number | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line
      .split(/ +/)
      .slice(1)
      .map(Number);
    return (user + nice + system + irq + softIrq + stolen) / ticksPerSecond;
  } catch {
    return undefined;
  }
}

function readProcess(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name comes in brackets and may hold blanks; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
