/**
 * Reads the processor time of processes from /proc. With few cores, processor time is more reliable than elapsed time,
 * because other programs do not affect it. /proc exists on Linux only.
 */
import { readFileSync } from 'node:fs';

/** Process ids by the name of the process. */
export type Processes = Record<string, number>;

/** Clock ticks per second, as `getconf CLK_TCK` prints them. The value is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Returns the processor seconds that each process has used so far. Processes that cannot be read are left out. */
export function cpuSeconds(processes: Processes): Record<string, number> {
  const seconds: Record<string, number> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const used = readProcess(pid);
    if (used !== undefined) seconds[name] = used;
  }
  return seconds;
}

/** Returns the processor seconds that each process used between two readings. */
export function cpuBetween(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
}

/**
 * Returns the processor seconds that the whole machine has used, without idle time. Returns undefined if they cannot be
 * read.
 */
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
    // In `/proc/PID/stat`, the program's name is in brackets and may contain blanks. The 12th and the 13th field after
    // the name are the user time and the system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
