/**
 * webhook-accept: compares two rates. One is the rate at which the service accepts signed deliveries. The other is the
 * rate of a receiver without the journal. The difference is the cost of the journal, with its fsync before every
 * acknowledgement. After the runs, the scenario checks that every delivery with a 202 reply was folded exactly once.
 */
import { randomBytes } from 'node:crypto';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { Readers } from '../../src/store/readers.ts';
import { deliveryKey, isFolded } from '../../src/store/tables/deliveries.ts';
import { deliveryBytes, deliveryId, repositoryCount } from '../deliveries.ts';
import { answerFaults, median, othersShare, type Run, ratioOf, toSide } from '../figures.ts';
import { type Load, startLoad } from '../load.ts';
import { type Program, startProgram } from '../program.ts';
import { runPaired, type Target } from '../rounds.ts';
import type { BenchContext, ComparedScenario, Comparison } from '../scenario.ts';
import { allFolded, type BenchService, environmentOf, startBenchService } from '../service.ts';

/**
 * Each load has a number of connections and a line: the lowest ratio of the service's rate to the floor's rate that
 * passes. Only the load with 256 connections has a line, because group commit is designed for this load. Group commit
 * writes many records as one journal message with one fsync. With 64 connections, a journal message contains only a
 * quarter of the records but costs as much as a full message. The ratio for 64 connections is therefore shown but not
 * judged.
 */
const loads: readonly (readonly [connections: number, line: number | null])[] = [
  [64, null],
  [256, 0.75],
];

export const webhookAccept: ComparedScenario = {
  name: 'webhook-accept',
  question:
    'How many signed deliveries of a merged pull request does the service accept per second, each on disk before its 202 reply, compared with the same ingress without the journal?',
  floor: 'the same receiver and HTTP server in its own process, without journal and fold, acknowledging immediately',
  run: async (context) => {
    const service = await startBenchService(context, 'https://github.com');
    const program = startProgram(new URL('../floors/ingress.js', import.meta.url), environmentOf(service));
    context.defer(program.stop);
    const { port } = await program.ask<{ port: number }>({});
    const run = randomBytes(4).toString('hex');
    const load = await startLoad({ kind: 'deliveries', secret: service.secret, run });
    context.defer(load.stop);
    const targets = { service: serviceTarget(service), floor: floorTarget(program, port) };
    const comparisons: Comparison[] = [];
    for (const [connections, line] of loads) {
      comparisons.push(await compare(context, { connections, line, load, run, service, targets }));
    }
    return comparisons;
  },
};

interface Stage {
  connections: number;
  line: number | null;
  load: Load;
  /** First part of every delivery id of this run. */
  run: string;
  service: BenchService;
  targets: { service: Target; floor: Target };
}

async function compare(context: BenchContext, stage: Stage): Promise<Comparison> {
  const { connections, line, load, targets } = stage;
  const label = `webhook-accept, ${connections} connections`;
  const paired = await runPaired({ label, connections, load, ...targets }, context);
  const service = toSide(paired.service);
  const floor = toSide(paired.floor);
  const kilobytes = (deliveryBytes() / 1000).toFixed(1);
  return {
    load: `POST of ${kilobytes} KB, ${connections} connections, pipelining 1, ${repositoryCount} repositories`,
    connections,
    service,
    floor,
    ratio: ratioOf(service, floor),
    line,
    othersShare: othersShare(...paired.service, ...paired.floor),
    faults: [
      ...answerFaults('service', paired.all, 202),
      ...answerFaults('floor', paired.floor, 202),
      ...(await foldFaults(stage, paired.all)),
    ],
    notes: [
      `The fold was finished ${median(paired.settleSeconds).toFixed(1)} s after the last reply of a round (median).`,
      `${acknowledged(paired.all)} deliveries with a 202 reply were looked up in the partitions, including those of the warm-up.`,
    ],
  };
}

/** Searches the partitions for every acknowledged delivery. Each delivery must be in exactly one partition. */
async function foldFaults({ run, service }: Stage, runs: readonly Run[]): Promise<string[]> {
  const readers = new Readers(service.settings.dataDir);
  const partitions = partitionNames(service.settings.partitions).flatMap((name) => readers.fresh(name) ?? []);
  let wrong = 0;
  for (const number of runs.flatMap(({ acknowledged }) => [...acknowledged])) {
    const key = deliveryKey(deliveryId(run, number), 'pull_request', '', 0);
    if (partitions.filter((partition) => isFolded(partition, key)).length !== 1) wrong += 1;
  }
  await readers.close();
  const repeated = await service.metric('tidings_duplicates_total', 'layer="delivery"');
  const deadLetters = await service.metric('tidings_fold_dead_letters_total');
  return [
    ...(wrong > 0 ? [`${wrong} of ${acknowledged(runs)} deliveries with a 202 were not folded exactly once`] : []),
    ...(repeated > 0 ? [`${repeated} deliveries were written to the journal twice`] : []),
    ...(deadLetters > 0 ? [`${deadLetters} deliveries became dead letters`] : []),
  ];
}

function acknowledged(runs: readonly Run[]): number {
  return runs.reduce((sum, run) => sum + run.acknowledged.length, 0);
}

function serviceTarget(service: BenchService): Target {
  return { url: service.url, pids: service.pids, settle: () => allFolded(service) };
}

function floorTarget(program: Program, port: number): Target {
  return { url: `http://127.0.0.1:${port}`, pids: { floor: program.pid }, settle: async () => {} };
}
