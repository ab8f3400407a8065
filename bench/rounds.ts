/**
 * Runs paired rounds. A round is one run against the service, followed by one run against the floor (the server that
 * the service is compared with). Because the runs alternate, other activity on the machine affects service and floor
 * equally. A warm-up precedes the rounds and is not counted.
 */
import { cpus } from 'node:os';
import { createProgress } from '../src/cli/progress.ts';
import { cpuBetween, cpuSeconds, machineSeconds, type Processes } from './cpu.ts';
import type { Run } from './figures.ts';
import type { Load } from './load.ts';
import type { BenchContext } from './scenario.ts';

/** A server that the load can be sent to. */
export interface Target {
  url: string;
  pids: Processes;
  /**
   * Waits until the server has finished all work of the previous run, so that this work does not disturb the next run.
   */
  settle(): Promise<void>;
}

/** The two servers to compare, and the load. */
export interface Pairing {
  label: string;
  connections: number;
  load: Load;
  service: Target;
  floor: Target;
}

/**
 * The runs of all rounds, without the warm-up. `settleSeconds` has one value per run against the service: the time that
 * the service needed after the run to finish its work.
 */
export interface Paired {
  service: Run[];
  floor: Run[];
  /** All runs against the service, including the warm-up. */
  all: Run[];
  settleSeconds: number[];
}

export async function runPaired(pairing: Pairing, context: BenchContext): Promise<Paired> {
  const { seconds, rounds, warmUpSeconds } = context;
  const paired: Paired = { service: [], floor: [], all: [], settleSeconds: [] };
  const total = 2 * (warmUpSeconds + rounds * seconds);
  const progress = createProgress({ label: pairing.label, total, stream: process.stderr });
  const ticking = (length: number) => tickEachSecond(length, (done) => progress.advance(done));
  for (let round = 0; round <= rounds; round++) {
    const length = round === 0 ? warmUpSeconds : seconds;
    const run = await ticking(length)(runOnce(pairing, pairing.service, length));
    const settling = performance.now();
    await pairing.service.settle();
    const settleSeconds = (performance.now() - settling) / 1000;
    const floor = await ticking(length)(runOnce(pairing, pairing.floor, length));
    paired.all.push(run);
    if (round === 0) continue;
    paired.settleSeconds.push(settleSeconds);
    paired.service.push(run);
    paired.floor.push(floor);
  }
  progress.done();
  return paired;
}

async function runOnce({ load, connections }: Pairing, target: Target, seconds: number): Promise<Run> {
  const processes = { ...target.pids, load: load.pid };
  const before = { own: cpuSeconds(processes), machine: machineSeconds(), at: performance.now() };
  const result = await load.run({ url: target.url, connections, seconds });
  const cpu = cpuBetween(before.own, cpuSeconds(processes));
  const machine = machineSeconds();
  if (machine === undefined || before.machine === undefined) return { ...result, cpu, othersShare: 0 };
  const own = Object.values(cpu).reduce((sum, used) => sum + used, 0);
  const available = (cpus().length * (performance.now() - before.at)) / 1000;
  return { ...result, cpu, othersShare: Math.max(0, (machine - before.machine - own) / available) };
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
