/**
 * webhook-to-read: measures the time from sending a delivery until the API shows its content, while the service
 * receives 500 other deliveries per second. Each probe pushes a tag. Then the probe polls the API until the pushed tag
 * is the repository's newest tag.
 */
import { deliveryBytes } from '../deliveries.ts';
import { othersShare, percentile } from '../figures.ts';
import { Prober, probesASecond } from '../prober.ts';
import { checkReplies, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, type Sender } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { startBenchService } from '../service.ts';

const rate = 500;
const connections = 32;
const limitMs = 100;

export const webhookToRead: Scenario = {
  name: 'webhook-to-read',
  question: `How long after a delivery is sent does the API show its content, at ${rate} deliveries per second?`,
  run: async (context) => {
    const service = await startBenchService(context, 'https://github.com');
    const { load, run } = await startDeliveries(context, service.secret, { repeats: false });
    const prober = new Prober(service);
    await prober.prepare();
    const accepted: number[] = [];
    const send: Sender = async ({ url }, seconds) => {
      const [result, probes] = await Promise.all([
        load.run({ url, connections, seconds, rate }),
        prober.probeFor(seconds),
      ]);
      accepted.push(...probes.map((probe) => probe.accepted));
      // The processor time is per delivery of the load, and the latencies are those of the probes.
      const latencies = Float64Array.from(probes, ({ readable }) => readable);
      return { ...result, answers: result.latencies.length, latencies };
    };
    const results = await runRounds('webhook-to-read', [serviceTarget(service, run)], send, context, load.pid);
    const checked = await checkReplies({ service, peer: undefined }, results, run, 0);
    const subjects = subjectsOf(results, false);
    const p99 = subjects[0]?.latency?.p99 ?? 0;
    return [
      {
        load: `${rate} deliveries of ${(deliveryBytes() / 1000).toFixed(1)} KB per second over ${connections} connections; ${probesASecond} probes per second`,
        connections,
        subjects,
        figures: [
          { name: '99 % of the probes are readable within', value: p99, unit: 'ms', line: { atMost: limitMs } },
          { name: 'median time until readable', value: subjects[0]?.latency?.p50 ?? 0, unit: 'ms', line: null },
          {
            name: '99 % of the probes have their 202 within',
            value: percentile(Float64Array.from(accepted).sort(), 99),
            unit: 'ms',
            line: null,
          },
        ],
        othersShare: othersShare(results.flatMap(({ runs }) => runs)),
        faults: checked.faults,
        notes: [
          ...checked.notes,
          'The processor time includes the requests of the probes, which poll until the tag is readable.',
        ],
      },
    ];
  },
};
