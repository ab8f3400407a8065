/**
 * webhook-accept: measures the processor time per signed delivery, and the rate of deliveries, of the service, of the
 * peer and of the floor. After the runs, the scenario checks that the service folded every delivery with a 202 reply
 * exactly once.
 */
import { deliveryBytes, poolSize, repositoryCount } from '../deliveries.ts';
import { comparisonFigures, median, othersShare, ratio } from '../figures.ts';
import { startJournal } from '../peers.ts';
import {
  checkReplies,
  type Receivers,
  startDeliveries,
  startReceivers,
  subjectNamed,
  subjectsOf,
} from '../receivers.ts';
import { runRounds, type Sender, sendWith } from '../rounds.ts';
import type { BenchContext, Figure, Measured, Scenario, Subject } from '../scenario.ts';

/** A load, and the lines for it. A load without lines is shown and not judged. */
interface AcceptLoad {
  connections: number;
  /** Whether bodies repeat under new delivery ids. */
  repeats: boolean;
  /** Processor time per delivery, as a share of the peer's. */
  cpu?: Partial<Figure>;
  /** Rate of deliveries, as a multiple of the peer's. */
  rate?: Partial<Figure>;
  /** Processor time of the gateway per delivery, as a multiple of the floor's. */
  gateway?: Partial<Figure>;
}

const rate = { line: { atLeast: 1.8 }, stretch: 2.2 };
const gateway = { line: { atMost: 1.5 } };
const loads: readonly AcceptLoad[] = [
  { connections: 256, repeats: true, cpu: { line: { atMost: 0.45 }, stretch: 0.35 }, rate, gateway },
  { connections: 64, repeats: true, cpu: { line: { atMost: 0.55 }, stretch: 0.45 }, rate, gateway },
  { connections: 256, repeats: false, cpu: { line: { atMost: 0.55 } } },
  { connections: 64, repeats: false },
  { connections: 1, repeats: true },
];
/** A load that is not judged gets at most this number of rounds. */
const roundsWithoutLine = 3;

export const webhookAccept: Scenario = {
  name: 'webhook-accept',
  question:
    'How much processor time does a signed delivery of a merged pull request cost, and how many are accepted per second?',
  run: async (context) => {
    const receivers = await startReceivers(context);
    const journal = await startJournal(context);
    const results: Measured[] = [];
    for (const load of loads) results.push(await measure(context, receivers, journal, load));
    return results;
  },
};

/** The journal alone, which takes part in the loads that are judged. */
type Journal = Awaited<ReturnType<typeof startJournal>>;

async function measure(
  context: BenchContext,
  receivers: Receivers,
  journal: Journal,
  accept: AcceptLoad,
): Promise<Measured> {
  const { connections, repeats } = accept;
  const { tidings, peer, floor, service, notes } = receivers;
  const { load, run } = await startDeliveries(context, service.secret, { repeats });
  const storedBefore = (await peer?.stored()) ?? 0;
  const isJudged = accept.cpu !== undefined;
  const targets = [tidings(run), ...(peer ? [peer] : []), floor, ...(accept.repeats && isJudged ? [journal] : [])];
  const bodies = repeats ? `${poolSize.toLocaleString('en-GB')} repeating bodies` : 'bodies that never repeat';
  const clients = connections === 1 ? '1 connection' : `${connections} connections`;
  const label = `webhook-accept, ${clients}, ${bodies}`;
  const rounds = isJudged ? context.rounds : Math.min(context.rounds, roundsWithoutLine);
  const toServers = sendWith(load, { connections });
  const send: Sender = (target, seconds) =>
    target === journal ? journal.run(connections, seconds) : toServers(target, seconds);
  const results = await runRounds(label, targets, send, { ...context, rounds }, load.pid);
  const checked = await checkReplies(receivers, results, run, storedBefore);
  await load.stop();
  const subjects = subjectsOf(results, true);
  return {
    load: `${clients}, ${bodies}, ${(deliveryBytes() / 1000).toFixed(1)} KB each, ${repositoryCount} repositories`,
    connections,
    subjects,
    figures: figuresOf(subjects, accept),
    othersShare: othersShare(results.flatMap(({ runs }) => runs)),
    faults: checked.faults,
    notes: [
      ...notes,
      ...checked.notes,
      ...results
        .filter(({ target }) => target !== floor && target !== journal)
        .map(
          ({ target, settleSeconds }) =>
            `${target.name} had finished its work ${median(settleSeconds).toFixed(1)} s after the last reply of a round (median).`,
        ),
    ],
  };
}

function figuresOf(subjects: readonly Subject[], { cpu, rate, gateway }: AcceptLoad): Figure[] {
  const service = subjectNamed(subjects, 'tidings') as Subject;
  const floor = subjectNamed(subjects, 'floor') as Subject;
  const request = 'delivery';
  const share = (service.cpu.gateway ?? 0) / (floor.cpu.floor ?? 1);
  return [
    ...comparisonFigures(service, subjectNamed(subjects, 'peer'), { request, cpu, rate }),
    ratio('processor time of the gateway per delivery, of the floor', share, gateway),
  ];
}
