/**
 * webhook-latency: measures the time until the reply at fixed rates. The generator sends at even intervals, and a
 * latency counts from the time at which the request was due. A reply that is late therefore also shows in the latencies
 * of the requests that it delays.
 */
import { deliveryBytes } from '../deliveries.ts';
import { othersShare } from '../figures.ts';
import { type Buckets, bucketPercentile, bucketsBetween } from '../histogram.ts';
import {
  checkReplies,
  type Receivers,
  startDeliveries,
  startReceivers,
  subjectNamed,
  subjectsOf,
} from '../receivers.ts';
import { runRounds, sendWith, type Target } from '../rounds.ts';
import type { BenchContext, Figure, Line, Measured, Scenario, Subject } from '../scenario.ts';

/** Connections that the requests are spread over. At 1,000 per second, 64 requests are due in 64 ms. */
const connections = 64;
const replySeconds = 'tidings_webhook_reply_seconds';
/** Rates in deliveries per second, with the maximums in milliseconds that are judged. */
const loads: readonly { rate: number; p50?: number; p99?: number }[] = [
  { rate: 300 },
  { rate: 1_000, p50: 2, p99: 15 },
];

export const webhookLatency: Scenario = {
  name: 'webhook-latency',
  question: 'How long does the reply to a delivery take at a fixed rate?',
  run: async (context) => {
    const receivers = await startReceivers(context);
    const results: Measured[] = [];
    for (const load of loads) results.push(await measure(context, receivers, load));
    return results;
  },
};

async function measure(
  context: BenchContext,
  receivers: Receivers,
  { rate, p50, p99 }: (typeof loads)[number],
): Promise<Measured> {
  const { tidings, peer, floor, service, notes } = receivers;
  const { load, run } = await startDeliveries(context, service.secret, { repeats: false });
  const storedBefore = (await peer?.stored()) ?? 0;
  const targets: Target[] = [tidings(run), ...(peer ? [peer] : []), floor];
  const label = `webhook-latency, ${rate} per second`;
  const before = (await service.metrics()).buckets(replySeconds);
  const results = await runRounds(label, targets, sendWith(load, { connections, rate }), context, load.pid);
  const own = bucketsBetween(before, (await service.metrics()).buckets(replySeconds));
  const checked = await checkReplies(receivers, results, run, storedBefore);
  await load.stop();
  const subjects = subjectsOf(results, false);
  const ours = subjectNamed(subjects, 'tidings') as Subject;
  return {
    load: `${rate.toLocaleString('en-GB')} deliveries of ${(deliveryBytes() / 1000).toFixed(1)} KB per second over ${connections} connections`,
    connections,
    subjects,
    figures: [
      milliseconds('50 % of the replies within', ours.latency?.p50, p50),
      milliseconds('99 % of the replies within', ours.latency?.p99, p99),
      milliseconds('99.9 % of the replies within', ours.latency?.p99_9),
      ...ownFigures(own),
    ],
    othersShare: othersShare(results.flatMap(({ runs }) => runs)),
    faults: checked.faults,
    notes: [...notes, ...checked.notes],
  };
}

/** Returns the figures of the service's own histogram, which contains no time of the generator. */
function ownFigures(buckets: Buckets): Figure[] {
  return [50, 99, 99.9].map((percent) =>
    milliseconds(`by its own histogram, ${percent} % within`, (bucketPercentile(buckets, percent) ?? 0) * 1000),
  );
}

function milliseconds(name: string, value = 0, atMost?: number): Figure {
  const line: Line | null = atMost === undefined ? null : { atMost };
  return { name, value, unit: 'ms', line };
}
