/**
 * mixed: sends deliveries in which 5 % have a wrong signature, mixed with 20 % reads. Every request must get its
 * status, no accepted delivery may be lost, and no forged one may be stored.
 */
import { answerFaults, othersShare, percentile, type Run } from '../figures.ts';
import { foldFaults } from '../folded.ts';
import type { LoadResult, Mixture, Replies } from '../load.ts';
import { acknowledgedIn, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, type Sender, sendWith } from '../rounds.ts';
import { authorization, makeDraft, startSampleService } from '../sample-draft.ts';
import type { BenchContext, Figure, Measured, Scenario } from '../scenario.ts';

const connections = 64;
const shares = { forgedPercent: 5, readPercent: 20 };

export const mixed: Scenario = {
  name: 'mixed',
  question: `How does the service handle deliveries with ${shares.forgedPercent} % forged signatures and ${shares.readPercent} % reads?`,
  run: async (context) => [await measure(context)],
};

async function measure(context: BenchContext): Promise<Measured> {
  const service = await startSampleService(context);
  const path = await makeDraft(service);
  const mixture: Mixture = { ...shares, path, headers: authorization(service) };
  const { load, run } = await startDeliveries(context, service.secret, { repeats: false, mixture });
  const results: LoadResult[] = [];
  const send = sendWith(load, { connections });
  const counting: Sender = async (target, seconds) => {
    const result = await send(target, seconds);
    results.push(result);
    const answers =
      result.latencies.length + result.forgedReplies.latencies.length + result.readReplies.latencies.length;
    return { ...result, answers };
  };
  const [measured] = await runRounds('mixed', [serviceTarget(service, run)], counting, context, load.pid);
  if (!measured) throw new Error('The service was not measured');
  const { faults, checked } = await foldFaults(service, [
    { run, acknowledged: acknowledgedIn(measured.all), forged: results.flatMap(({ forged }) => [...forged]) },
  ]);
  const forged = results.map(({ forgedReplies }) => forgedReplies);
  const reads = results.map(({ readReplies }) => readReplies);
  return {
    load: `${connections} connections; ${shares.readPercent} % reads of a draft, ${shares.forgedPercent} % deliveries with a wrong signature`,
    connections,
    subjects: subjectsOf([measured], true),
    figures: [withinFigure('99 % of the deliveries within', results), withinFigure('99 % of the reads within', reads)],
    othersShare: othersShare(measured.runs),
    faults: [
      ...answerFaults('deliveries', measured.all, 202),
      ...answerFaults('deliveries with a wrong signature', toRuns(forged), 401),
      ...answerFaults('reads', toRuns(reads), 200),
      ...faults,
    ],
    notes: [
      `${checked} deliveries with a 202 reply were looked up in the partitions, and so were ${forged.reduce((sum, { latencies }) => sum + latencies.length, 0)} forged ones.`,
      'The processor time is per request of any kind.',
    ],
  };
}

function withinFigure(name: string, replies: readonly Replies[]): Figure {
  const sorted = Float64Array.from(replies.flatMap(({ latencies }) => [...latencies])).sort();
  return { name, value: percentile(sorted, 99), unit: 'ms', line: null };
}

function toRuns(replies: readonly Replies[]): Run[] {
  return replies.map(({ statuses, latencies }) => ({
    seconds: 0,
    statuses,
    latencies,
    answers: latencies.length,
    errors: 0,
    mismatches: 0,
    acknowledged: new Uint32Array(),
    cpu: {},
    othersShare: 0,
  }));
}
