/**
 * Computes figures from runs: medians, percentiles, and the ratio of service to floor (the server that the service is
 * compared with). All functions are pure.
 */
import type { LoadResult } from './load.ts';

/** One run of the load, with the processor seconds that each process used during it. */
export interface Run extends LoadResult {
  cpu: Record<string, number>;
  /** Share of the machine's processors that other programs used, from 0 to 1. */
  othersShare: number;
}

/** Values of all rounds with their median and range. */
export interface Spread {
  median: number;
  min: number;
  max: number;
  rounds: number[];
}

export interface Percentiles {
  p50: number;
  p97_5: number;
  p99: number;
  p99_9: number;
  max: number;
}

/** The figures of all runs against one server. */
export interface Side {
  requestsPerSecond: Spread;
  /** Percentiles of the latency in milliseconds, computed from the replies of all rounds. */
  latency: Percentiles;
  answers: number;
  /** Processor time per request in microseconds, by process. */
  cpuPerRequest: Record<string, number>;
}

/** Returns the median. For an even count of values it is the mean of the middle two, and for no values it is 0. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/**
 * Returns a percentile of sorted values by nearest rank. It is the smallest value for which at least `percent` % of all
 * values are equal or smaller. The median (50 %) of 1, 2, 3 and 4 is 2.
 */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  // In floating point, 99.9 % of 1,000 is slightly more than 999. Without the subtraction, this value would be rounded
  // up to rank 1,000.
  const rank = Math.ceil((percent * sorted.length) / 100 - 1e-6);
  return sorted[Math.max(0, Math.min(sorted.length - 1, rank - 1))] ?? 0;
}

export function toSide(runs: readonly Run[]): Side {
  const rounds = runs.map((run) => run.latencies.length / run.seconds);
  const latencies = mergeSorted(runs);
  return {
    requestsPerSecond: { median: median(rounds), min: Math.min(...rounds), max: Math.max(...rounds), rounds },
    latency: percentilesOf(latencies),
    answers: latencies.length,
    cpuPerRequest: cpuPerRequest(runs, latencies.length),
  };
}

/** @param sorted smallest first, in milliseconds */
function percentilesOf(sorted: ArrayLike<number>): Percentiles {
  return {
    p50: percentile(sorted, 50),
    p97_5: percentile(sorted, 97.5),
    p99: percentile(sorted, 99),
    p99_9: percentile(sorted, 99.9),
    max: percentile(sorted, 100),
  };
}

/** Returns the largest share of the machine's processors that other programs used in any of the runs, from 0 to 1. */
export function othersShare(...runs: readonly Run[]): number {
  return Math.max(0, ...runs.map((run) => run.othersShare));
}

/** Returns the service's median of requests per second, divided by the floor's median. */
export function ratioOf(service: Side, floor: Side): number {
  return service.requestsPerSecond.median / floor.requestsPerSecond.median;
}

/** Lists the wrong replies of runs, one line per kind of fault. */
export function answerFaults(name: string, runs: readonly Run[], wantedStatus: number): string[] {
  const faults: string[] = [];
  const sum = (count: (run: Run) => number) => runs.reduce((total, run) => total + count(run), 0);
  const statuses = new Set(runs.flatMap((run) => Object.keys(run.statuses)));
  for (const status of statuses) {
    if (Number(status) === wantedStatus) continue;
    faults.push(`${name}: ${sum((run) => run.statuses[status] ?? 0)} replies with status ${status}`);
  }
  const errors = sum((run) => run.errors);
  const mismatches = sum((run) => run.mismatches);
  if (errors > 0) faults.push(`${name}: ${errors} broken connections or timeouts`);
  if (mismatches > 0) faults.push(`${name}: ${mismatches} replies with an unexpected body`);
  if (sum((run) => run.latencies.length) === 0) faults.push(`${name}: no replies`);
  return faults;
}

function mergeSorted(runs: readonly Run[]): Float64Array {
  const all = new Float64Array(runs.reduce((total, run) => total + run.latencies.length, 0));
  let at = 0;
  for (const run of runs) {
    all.set(run.latencies, at);
    at += run.latencies.length;
  }
  return all.sort();
}

function cpuPerRequest(runs: readonly Run[], answers: number): Record<string, number> {
  const total: Record<string, number> = {};
  for (const run of runs) {
    for (const [name, seconds] of Object.entries(run.cpu)) total[name] = (total[name] ?? 0) + seconds;
  }
  const entries = Object.entries(total).map(([name, seconds]) => [name, (seconds * 1e6) / Math.max(1, answers)]);
  return Object.fromEntries(entries);
}
