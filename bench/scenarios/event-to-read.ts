/**
 * event-to-read: measures the time from sending a delivery until the API shows its content, while the service receives
 * 500 other deliveries per second. Each probe pushes a tag. Then the probe polls the API until the pushed tag is the
 * repository's newest tag.
 */
import { randomBytes } from 'node:crypto';
import { cpuBetween, cpuSeconds, machineSeconds } from '../cpu.ts';
import { deliveryBytes } from '../deliveries.ts';
import { answerFaults, type Run, toSide } from '../figures.ts';
import { type Load, type LoadResult, startLoad } from '../load.ts';
import { Prober, probesASecond } from '../prober.ts';
import type { BenchContext, ComparedScenario, Comparison } from '../scenario.ts';
import { allFolded, type BenchService, startBenchService } from '../service.ts';

const rate = 500;
const connections = 32;
/** Maximum for the 99th percentile of the probes' times, in milliseconds. The spec allows ten seconds. */
const limitMs = 250;

export const eventToRead: ComparedScenario = {
  name: 'event-to-read',
  question: `How long after a delivery is sent does the API show its content, at ${rate} deliveries per second?`,
  floor: 'the 202 reply to the same deliveries, which a sender gets before anything is folded',
  run: async (context) => {
    const service = await startBenchService(context, 'https://github.com');
    const run = randomBytes(4).toString('hex');
    const load = await startLoad({ kind: 'deliveries', secret: service.secret, run });
    context.defer(load.stop);
    const prober = new Prober(service);
    await prober.prepare();
    await load.run({ url: service.url, connections, seconds: context.warmUpSeconds, rate });
    return [await measure(context, service, load, prober)];
  },
};

async function measure(context: BenchContext, service: BenchService, load: Load, prober: Prober): Promise<Comparison> {
  const seconds = context.seconds * context.rounds;
  const processes = { ...service.pids, load: load.pid };
  const before = { own: cpuSeconds(processes), machine: machineSeconds() };
  const [result, probes] = await Promise.all([
    load.run({ url: service.url, connections, seconds, rate }),
    prober.probeFor(seconds),
  ]);
  const cpu = cpuBetween(before.own, cpuSeconds(processes));
  await allFolded(service);
  const sideOf = (latencies: number[]) => toSide([toRun(result, cpu, latencies)]);
  const sides = {
    service: sideOf(probes.map(({ readable }) => readable)),
    floor: sideOf(probes.map(({ accepted }) => accepted)),
  };
  const took = sides.service.latency.p99;
  const sent = result.latencies.length / result.seconds;
  return {
    load: `POST of ${(deliveryBytes() / 1000).toFixed(1)} KB, ${rate} per second over ${connections} connections; ${probesASecond} probes per second`,
    connections,
    ...sides,
    ratio: sides.floor.latency.p99 / took,
    line: null,
    othersShare: 0,
    faults: [
      ...answerFaults('service', [{ ...result, cpu, othersShare: 0 }], 202),
      ...(took > limitMs
        ? [`99 of 100 probes are readable within ${took.toFixed(0)} ms; the maximum is ${limitMs} ms`]
        : []),
      ...(sent < rate * 0.95 ? [`the generator sent ${sent.toFixed(0)} deliveries per second instead of ${rate}`] : []),
    ],
    notes: [
      `The rates are those of the probes. The load during the probes was ${sent.toFixed(0)} deliveries per second.`,
      'The ratio compares 99th percentiles: time to the 202 reply, divided by time until readable.',
    ],
  };
}

/**
 * Makes the result of a run from the latencies of the probes. The processor time of the probes alone cannot be
 * measured. Therefore, the result contains the processor time of the whole load, scaled down to the number of probes.
 * The probes themselves add little to this time.
 */
function toRun(result: LoadResult, cpu: Record<string, number>, latencies: number[]): Run {
  const share = latencies.length / Math.max(1, result.latencies.length);
  const perDelivery = Object.entries(cpu).map(([name, seconds]) => [name, seconds * share]);
  return { ...result, latencies: Float64Array.from(latencies), cpu: Object.fromEntries(perDelivery), othersShare: 0 };
}
