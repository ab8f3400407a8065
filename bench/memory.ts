/**
 * Reads the memory of processes from /proc. Resident memory counts every page that a process has in memory. Pages of a
 * mapped store are part of it, although the kernel can drop them at any time, and although several processes share
 * them. Therefore the parts are read as well. /proc exists on Linux only.
 */
import { readFileSync } from 'node:fs';
import type { Processes } from './cpu.ts';

/** Memory of one process in MB (1,000,000 bytes). */
export interface Memory {
  /** All resident pages. */
  resident: number;
  /** Resident pages, where a page that several processes share counts in parts (proportional set size). */
  proportional: number;
  /** Pages of the process itself, for example its heap, without pages of mapped files. */
  own: number;
}

/** Returns the memory of each process. Processes that cannot be read are left out. */
export function memoryOf(processes: Processes): Record<string, Memory> {
  const found: Record<string, Memory> = {};
  for (const [name, pid] of Object.entries(processes)) {
    const memory = readMemory(pid);
    if (memory) found[name] = memory;
  }
  return found;
}

/** Returns the sum of the memory of several processes. */
export function totalMemory(memories: Record<string, Memory>): Memory {
  const all = Object.values(memories);
  const sum = (part: keyof Memory) => all.reduce((total, memory) => total + memory[part], 0);
  return { resident: sum('resident'), proportional: sum('proportional'), own: sum('own') };
}

/** Returns one line of text with the memory of each process. */
export function memoryText(memories: Record<string, Memory>): string {
  const parts = Object.entries(memories).map(([name, { resident, proportional, own }]) => {
    return `${name} ${resident.toFixed(0)} (proportional ${proportional.toFixed(0)}, without files ${own.toFixed(0)})`;
  });
  return parts.join(', ') || 'unknown on this system';
}

/** Parses the text of `/proc/PID/smaps_rollup`. Its values are in units of 1,024 bytes. */
export function parseMemory(rollup: string): Memory {
  const megabytes = (field: string): number => {
    const kilobytes = new RegExp(`^${field}: +(\\d+) kB$`, 'm').exec(rollup)?.[1];
    return (Number(kilobytes ?? 0) * 1024) / 1e6;
  };
  return { resident: megabytes('Rss'), proportional: megabytes('Pss'), own: megabytes('Anonymous') };
}

function readMemory(pid: number): Memory | undefined {
  try {
    return parseMemory(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  } catch {
    return undefined;
  }
}
