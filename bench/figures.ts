/**
 * From runs to figures: medians, percentiles, the ratio of service to floor. Pure.
 */
import type { LoadResult } from './load.ts';

/** One run of the load, and what its processes used meanwhile, in processor seconds. */
export interface Run extends LoadResult {
  cpu: Record<string, number>;
  /** Share of the machine's processors that went to everything else, from 0 to 1. */
  othersShare: number;
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
  requestsPerSecond: { median: number; min: number; max: number; rounds: number[] };
  /** Of the answers of all rounds together, in milliseconds. */
  latency: Percentiles;
  answers: number;
  /** Processor time a request, in microseconds, by process. */
  cpuPerRequest: Record<string, number>;
}

/** Median; the mean of the middle two for an even count, 0 for none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length % 2 === 1) return sorted[middle] as number;
  return ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** The value at or below which `percent` of the sorted values lie (nearest rank). */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  // 99.9 % of 1,000 is a little over 999 in floating point, and would be the rank after.
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

/** Largest share of the machine that others took in a run; from 0 to 1. */
export function othersShare(...runs: readonly Run[]): number {
  return Math.max(0, ...runs.map((run) => run.othersShare));
}

/** Ratio of the medians of requests per second. */
export function ratioOf(service: Side, floor: Side): number {
  return service.requestsPerSecond.median / floor.requestsPerSecond.median;
}

/** One line for each way in which answers were not as they must be. */
export function answerFaults(name: string, runs: readonly Run[], wantedStatus: number): string[] {
  const faults: string[] = [];
  const sum = (count: (run: Run) => number) => runs.reduce((total, run) => total + count(run), 0);
  const statuses = new Set(runs.flatMap((run) => Object.keys(run.statuses)));
  for (const status of statuses) {
    if (Number(status) === wantedStatus) continue;
    faults.push(`${name}: ${sum((run) => run.statuses[status] ?? 0)} answers with status ${status}`);
  }
  const errors = sum((run) => run.errors);
  const mismatches = sum((run) => run.mismatches);
  if (errors > 0) faults.push(`${name}: ${errors} broken connections or time-outs`);
  if (mismatches > 0) faults.push(`${name}: ${mismatches} answers with another body`);
  if (sum((run) => run.latencies.length) === 0) faults.push(`${name}: no answers`);
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
