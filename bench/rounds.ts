/**
 * Runs interleaved rounds. In each round, every program that is compared gets one run, and another program begins each
 * round. Other activity on the machine therefore affects all of them equally. A warm-up precedes the rounds and is not
 * counted.
 */
import { cpus } from 'node:os';
import { createProgress } from '../src/cli/progress.ts';
import { cpuBetween, cpuSeconds, machineSeconds, type Processes } from './cpu.ts';
import type { Run } from './figures.ts';
import type { Load, LoadJob, LoadResult } from './load.ts';
import type { BenchContext } from './scenario.ts';

/** A program that the load can be sent to. */
export interface Target {
  name: string;
  durability: string;
  url: string;
  /** Addresses that the connections are spread over, instead of `url`. */
  urls?: readonly string[];
  pids: Processes;
  /**
   * Waits until the program has finished all work of a run. This work is part of the processor time, and it must not
   * disturb the next run.
   */
  settle(result: LoadResult): Promise<void>;
}

/** Sends one run of the load to a target. */
export type Sender = (target: Target, seconds: number) => Promise<SentLoad>;

/**
 * The result of a run of any generator. `answers` is missing if there is one latency per reply. `cpu` is the processor
 * time of the generator in seconds, if the generator is not a process that stays.
 */
export type SentLoad = LoadResult & { answers?: number; cpu?: number };

/** The runs of one target. */
export interface TargetRuns {
  target: Target;
  /** One run per round, without the warm-up. */
  runs: Run[];
  /** All runs, including the warm-up. */
  all: Run[];
  /** Time that the target needed after each run to finish its work, in seconds. */
  settleSeconds: number[];
}

/** Returns a sender that uses a load program. */
export function sendWith(load: Load, job: Omit<LoadJob, 'url' | 'urls' | 'seconds'>): Sender {
  return ({ url, urls }, seconds) =>
    load.run({ ...job, url, ...(urls && { urls }), ...(job.count === undefined && { seconds }) });
}

/**
 * Runs the warm-up and all rounds.
 * @param generator process id of the load generator, if it is a process that stays
 */
export async function runRounds(
  label: string,
  targets: readonly Target[],
  send: Sender,
  context: Pick<BenchContext, 'seconds' | 'rounds' | 'warmUpSeconds'>,
  generator?: number,
): Promise<TargetRuns[]> {
  const { seconds, rounds, warmUpSeconds } = context;
  const results = targets.map((target): TargetRuns => ({ target, runs: [], all: [], settleSeconds: [] }));
  const total = targets.length * (warmUpSeconds + rounds * seconds);
  const progress = createProgress({ label, total, stream: process.stderr });
  for (let round = 0; round <= rounds; round++) {
    const length = round === 0 ? warmUpSeconds : seconds;
    for (let turn = 0; turn < results.length; turn++) {
      const each = results[(round + turn) % results.length] as TargetRuns;
      const ticking = tickEachSecond(length, (done) => progress.advance(done));
      const { run, settleSeconds } = await ticking(measureRun(each.target, () => send(each.target, length), generator));
      each.all.push(run);
      if (round === 0) continue;
      each.runs.push(run);
      each.settleSeconds.push(settleSeconds);
    }
  }
  progress.done();
  return results;
}

/** Runs the load once and measures the processor time until the target has finished all work. */
export async function measureRun(
  target: Pick<Target, 'pids' | 'settle'>,
  send: () => Promise<SentLoad>,
  generator?: number,
): Promise<{ run: Run; settleSeconds: number; result: LoadResult }> {
  const processes = { ...(generator !== undefined && { load: generator }), ...target.pids };
  const before = { own: cpuSeconds(processes), machine: machineSeconds(), at: performance.now() };
  const result = await send();
  const sentAt = performance.now();
  await target.settle(result);
  const settleSeconds = (performance.now() - sentAt) / 1000;
  const cpu = cpuBetween(before.own, cpuSeconds(processes));
  if (result.cpu !== undefined) cpu.load = result.cpu;
  const own = Object.values(cpu).reduce((sum, used) => sum + used, 0);
  const available = (cpus().length * (performance.now() - before.at)) / 1000;
  const machine = machineSeconds();
  const others = machine === undefined || before.machine === undefined ? 0 : machine - before.machine - own;
  const answers = result.answers ?? result.latencies.length;
  return { run: { ...result, answers, cpu, othersShare: Math.max(0, others / available) }, settleSeconds, result };
}

/**
 * Advances the progress display by one every second while a run lasts. At the end of the run, the display advances by
 * the remaining seconds.
 */
function tickEachSecond(length: number, advance: (seconds: number) => void) {
  return async <T>(work: Promise<T>): Promise<T> => {
    let ticks = 0;
    const timer = setInterval(() => {
      if (ticks + 1 > length) return;
      ticks += 1;
      advance(1);
    }, 1000);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      advance(length - ticks);
    }
  };
}
