/**
 * Measures the start of a service on a data directory that exists already: how long it takes until the service is ready
 * and has folded its journal.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { partitionNames } from '../src/foundation/partition-names.ts';
import { Readers } from '../src/store/readers.ts';
import { readCursor } from '../src/store/tables/meta.ts';
import { cpuSeconds } from './cpu.ts';
import type { BenchContext } from './scenario.ts';
import type { BenchService } from './service.ts';

/** Sequence of the last folded message by partition. */
export type Cursors = Readonly<Record<string, number>>;

/** A service, and when its start began, as a value of `performance.now()`. */
export interface Starting {
  service: BenchService;
  startedAt: number;
}

/** The end of a fold. `cpu` are the processor seconds of each process until then. */
export interface CaughtUp {
  /** Seconds from the start of the service until the first message was folded. */
  firstFoldedAt: number;
  /** Seconds from the start of the service until everything was folded. */
  seconds: number;
  cpu: Record<string, number>;
}

const readyMs = 300_000;
/** Maximum time without a folded message. */
const standstillMs = 60_000;
const pollMs = 25;

/** Makes an empty data directory. It is removed when the scenario ends. */
export function makeDataDir(context: BenchContext): string {
  const dataDir = mkdtempSync(join(context.folder, 'tidings-bench-'));
  context.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/** Waits until `/readyz` reports that the service is ready. Returns the seconds since the start began. */
export async function secondsUntilReady({ service, startedAt }: Starting): Promise<number> {
  for (;;) {
    const { status } = await fetch(`${service.opsUrl}/readyz`);
    const elapsed = performance.now() - startedAt;
    if (status === 200) return elapsed / 1000;
    if (elapsed > readyMs) throw new Error(`The service was not ready after ${readyMs / 1000} s`);
    await pause(pollMs);
  }
}

/**
 * Waits until every partition has folded its stream up to `goal`.
 * @param advance called with the number of messages that were folded since the last call
 * @throws Error if the fold makes no progress for a minute
 */
export async function caughtUp(
  { service, startedAt }: Starting,
  goal: Cursors,
  advance: (messages: number) => void = () => {},
): Promise<CaughtUp> {
  const readers = new Readers(service.settings.dataDir);
  let before = 0;
  let changedAt = performance.now();
  let firstFoldedAt = 0;
  try {
    for (;;) {
      const cursors = await readCursors(readers, service.settings.partitions);
      const folded = Object.values(cursors).reduce((sum, seq) => sum + seq, 0);
      const now = performance.now();
      const seconds = (now - startedAt) / 1000;
      if (folded !== before) {
        firstFoldedAt ||= seconds;
        changedAt = now;
        advance(folded - before);
        before = folded;
      }
      if (Object.entries(goal).every(([name, seq]) => (cursors[name] ?? 0) >= seq))
        return { firstFoldedAt, seconds, cpu: cpuSeconds(service.pids) };
      if (now - changedAt > standstillMs)
        throw new Error(`No message was folded in ${standstillMs / 1000} s, and some are left`);
      await pause(pollMs);
    }
  } finally {
    await readers.close();
  }
}

/** Reads the cursors of a data directory. A partition without a store has the cursor 0. */
export async function cursorsOf(dataDir: string, partitions: number): Promise<Cursors> {
  const readers = new Readers(dataDir);
  try {
    return await readCursors(readers, partitions);
  } finally {
    await readers.close();
  }
}

async function readCursors(readers: Readers, partitions: number): Promise<Cursors> {
  const cursors: Record<string, number> = {};
  for (const name of partitionNames(partitions)) {
    await readers.follow(name);
    const partition = readers.fresh(name);
    cursors[name] = partition ? readCursor(partition).seq : 0;
    readers.release(name);
  }
  return cursors;
}
