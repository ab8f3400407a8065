/**
 * What Linux tells of the processes of our own user. Those of other users count for nothing: anybody can give a program any name.
 */
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

/** Numbers of the processes of the user that this one runs as. */
export function ownProcesses(): number[] {
  const own = process.geteuid?.();
  // Some sandboxes have no such folder, or a part of it.
  const numbers = orNothing(() => readdirSync('/proc'), []).filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((pid) => orNothing(() => statSync(`/proc/${pid}`).uid, undefined) === own);
}

/** The program of a process and its arguments; empty when it has ended. */
export function argumentsOf(pid: number): string[] {
  return zeroEnded(`/proc/${pid}/cmdline`);
}

/** A variable of the environment that a process was started with. */
export function variableOf(pid: number, name: string): string | undefined {
  const start = `${name}=`;
  return zeroEnded(`/proc/${pid}/environ`)
    .find((text) => text.startsWith(start))
    ?.slice(start.length);
}

/** The files and sockets that a process has open, as the system names them. */
export function openFilesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return orNothing(() => readdirSync(folder), []).map((fd) => orNothing(() => readlinkSync(`${folder}/${fd}`), ''));
}

function zeroEnded(file: string): string[] {
  return orNothing(() => readFileSync(file, 'utf8'), '')
    .split('\0')
    .slice(0, -1);
}

/** Processes end and files are closed while they are looked at. */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read();
  } catch {
    return nothing;
  }
}
