/**
 * Computes figures from runs: medians, percentiles, latency curves, and processor time per request. All functions are
 * pure.
 */
import type { LoadResult } from './load.ts';
import type { Figure, Subject } from './scenario.ts';

/** One run of the load against one program, with the processor seconds that each process used. */
export interface Run
  extends Pick<LoadResult, 'seconds' | 'statuses' | 'errors' | 'mismatches' | 'latencies' | 'acknowledged'> {
  /** Number of requests that got a reply. `latencies` may contain fewer values if the generator only gives quantiles. */
  answers: number;
  /** Processor seconds by process, from the first request until all work is done. The load generator is `load`. */
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

export function spreadOf(rounds: readonly number[]): Spread {
  return { median: median(rounds), min: Math.min(...rounds), max: Math.max(...rounds), rounds: [...rounds] };
}

/** @param sorted smallest first, in milliseconds */
export function percentilesOf(sorted: ArrayLike<number>): Percentiles {
  return {
    p50: percentile(sorted, 50),
    p97_5: percentile(sorted, 97.5),
    p99: percentile(sorted, 99),
    p99_9: percentile(sorted, 99.9),
    max: percentile(sorted, 100),
  };
}

const curvePoints = 60;
/** Number of nines at the end of the curve: 4 is 99.99 %. */
const curveNines = 4;

/**
 * Returns points of the latency curve. They are denser towards the end, with the same number of points between 0 and
 * 90 %, 90 and 99 %, and so on.
 * @param sorted smallest first, in milliseconds
 */
export function curveOf(sorted: ArrayLike<number>): [percent: number, milliseconds: number][] {
  return Array.from({ length: curvePoints + 1 }, (_, i) => {
    const percent = 100 * (1 - 10 ** ((-i * curveNines) / curvePoints));
    return [percent, percentile(sorted, percent)];
  });
}

/** What distinguishes a subject beside its runs. */
export interface SubjectFacts {
  name: string;
  durability: string;
  /** Whether the rate is measured. It is not if the load has a fixed rate. */
  hasRate: boolean;
}

/** Returns the figures of a program from its runs, one run per round. */
export function toSubject({ name, durability, hasRate }: SubjectFacts, runs: readonly Run[]): Subject {
  const latencies = mergeSorted(runs);
  const perRequest = runs.map(cpuPerRequest);
  const processes = [...new Set(perRequest.flatMap((cpu) => Object.keys(cpu)))].filter((each) => each !== 'load');
  return {
    name,
    durability,
    perSecond: hasRate ? spreadOf(runs.map((run) => run.answers / run.seconds)) : null,
    latency: latencies.length > 0 ? percentilesOf(latencies) : null,
    curve: latencies.length > 0 ? curveOf(latencies) : null,
    cpu: Object.fromEntries(processes.map((each) => [each, median(perRequest.map((cpu) => cpu[each] ?? 0))])),
    cpuRounds: perRequest.map((cpu) => processes.reduce((sum, each) => sum + (cpu[each] ?? 0), 0)),
    generatorCpu: median(perRequest.map((cpu) => cpu.load ?? 0)),
  };
}

/** Returns the processor time per request over all processes in microseconds, as the median of the rounds. */
export function cpuOf({ cpuRounds }: Subject): number {
  return median(cpuRounds);
}

/** Returns the figures that compare the processor time and the rate of the service with those of another program. */
export function comparisonFigures(
  service: Subject,
  other: Subject | undefined,
  { request, cpu, rate }: { request: string; cpu?: Partial<Figure>; rate?: Partial<Figure> },
): Figure[] {
  if (!other) return [];
  const figures: Figure[] = [
    ratio(`processor time per ${request}, of the ${other.name}`, cpuOf(service) / cpuOf(other), cpu),
  ];
  if (service.perSecond && other.perSecond) {
    figures.push(ratio(`rate, of the ${other.name}`, service.perSecond.median / other.perSecond.median, rate));
  }
  return figures;
}

/** Makes a figure that is a ratio. Without `more` it has no line. */
export function ratio(name: string, value: number, more: Partial<Figure> = {}): Figure {
  return { name, value, unit: 'ratio', line: null, ...more };
}

/** Returns the largest share of the machine's processors that other programs used in any of the runs, from 0 to 1. */
export function othersShare(runs: readonly Run[]): number {
  return Math.max(0, ...runs.map((run) => run.othersShare));
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
  if (sum((run) => run.answers) === 0) faults.push(`${name}: no replies`);
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

function cpuPerRequest({ cpu, answers }: Run): Record<string, number> {
  const entries = Object.entries(cpu).map(([name, seconds]) => [name, (seconds * 1e6) / Math.max(1, answers)]);
  return Object.fromEntries(entries);
}
