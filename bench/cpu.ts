/**
 * Reads the processor time of processes from /proc. With few cores, processor time is more reliable than elapsed time,
 * because other programs hardly affect it. /proc exists on Linux only.
 */
import { readFileSync } from 'node:fs';

/** Process ids by the name of the process. */
export type Processes = Record<string, number>;

/** Clock ticks per second, as `getconf CLK_TCK` prints them. The value is 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/**
 * Returns the processor seconds that each process has used so far, with all its threads and its ended children. A
 * child of Redis, for example, rewrites the append-only file.
 * @throws Error if a process has ended, because its time would be missing in the figures
 */
export function cpuSeconds(processes: Processes): Record<string, number> {
  if (process.platform !== 'linux') return {};
  return Object.fromEntries(
    Object.entries(processes).map(([name, pid]) => {
      const times = timesOf(pid);
      if (!times) throw new Error(`The process ${name} (${pid}) has ended`);
      return [name, times.own + times.children];
    }),
  );
}

/** Returns the processor seconds of this process's children that have ended. 0 on systems without /proc. */
export function endedChildrenSeconds(): number {
  return timesOf(process.pid)?.children ?? 0;
}

/** Returns the processor seconds of this process with all its threads, without its children. */
export function ownSeconds(): number {
  return timesOf(process.pid)?.own ?? 0;
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

function timesOf(pid: number): { own: number; children: number } | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads a line of `/proc/PID/stat`. Returns the seconds of the process with all its threads, and of the children that
 * it has waited for.
 */
export function parseStat(stat: string): { own: number; children: number } {
  // The program's name is in brackets and may contain blanks. The fields 12 to 15 after the name are the user time and
  // the system time, first of the process and then of its ended children.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const seconds = (index: number) => ((fields[index] ?? 0) + (fields[index + 1] ?? 0)) / ticksPerSecond;
  return { own: seconds(11), children: seconds(13) };
}
