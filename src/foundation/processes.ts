/**
 * Reads information about processes of the current user from /proc (Linux). Processes of other users are ignored, since
 * any user can run a program under any name.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** Returns the ids of all processes that run as the same user as this process. */
export function ownProcesses(): number[] {
  const own = process.geteuid?.();
  // Some sandboxes have no /proc, or only a part of it.
  const numbers = orNothing(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => orNothing(() => statSync(`/proc/${pid}`).uid, undefined) === own);
}

/** Returns the program of a process and its arguments; an empty list if the process has ended. */
export function argumentsOf(pid: number): string[] {
  return zeroEnded(`/proc/${pid}/cmdline`);
}

/** Returns a variable of the environment that a process was started with; undefined if the variable is not set. */
export function variableOf(pid: number, name: string): string | undefined {
  const start = `${name}=`;
  return zeroEnded(`/proc/${pid}/environ`)
    .find((text) => text.startsWith(start))
    ?.slice(start.length);
}

/** Returns the files and sockets that a process has open, such as `/path/file` and `socket:[12345]`. */
export function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return orNothing(() => readdirSync(folder), []).map((fd) => orNothing(() => readlinkSync(`${folder}/${fd}`), ''));
}

function zeroEnded(file: string): string[] {
  return orNothing(() => readFileSync(file, 'utf8'), '')
    .split('\0')
    .slice(0, -1);
}

/**
 * Returns the result of `read`, or `nothing` if the read fails. A process can end, or close a file, while its data is
 * read.
 */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read();
  } catch {
    return nothing;
  }
}
