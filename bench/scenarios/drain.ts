/**
 * drain: sends 50,000 deliveries as fast as possible and measures the time until all of them are folded. The peer gets
 * the same deliveries, and its time ends when its queue is empty.
 */
import { deliveryBytes } from '../deliveries.ts';
import { comparisonFigures, median, othersShare } from '../figures.ts';
import { checkReplies, startDeliveries, startReceivers, subjectNamed, subjectsOf } from '../receivers.ts';
import { runRounds, sendWith } from '../rounds.ts';
import type { Figure, Scenario, Subject } from '../scenario.ts';

const usualCount = 50_000;
const connections = 256;
const mostRounds = 3;

export const drain: Scenario = {
  name: 'drain',
  question: 'How long does it take to receive and fold 50,000 deliveries?',
  run: async (context) => {
    const count = context.size ?? usualCount;
    const receivers = await startReceivers(context);
    const { tidings, peer, service, notes } = receivers;
    const { load, run } = await startDeliveries(context, service.secret, { repeats: false });
    const targets = [tidings(run), ...(peer ? [peer] : [])];
    const rounds = Math.min(context.rounds, mostRounds);
    const send = sendWith(load, { connections, count });
    const results = await runRounds('drain', targets, send, { ...context, rounds, warmUpSeconds: 0 }, load.pid);
    const checked = await checkReplies(receivers, results, run, 0);
    const subjects = subjectsOf(results, true);
    const ours = subjectNamed(subjects, 'tidings') as Subject;
    const figures = results.map(({ target, runs, settleSeconds }): Figure => {
      const times = runs.map(({ seconds }, i) => seconds + (settleSeconds[i] ?? 0));
      return { name: `time until all is done, ${target.name}`, value: median(times), unit: 's', line: null };
    });
    return [
      {
        load: `${count.toLocaleString('en-GB')} deliveries of ${(deliveryBytes() / 1000).toFixed(1)} KB, bodies that never repeat, ${connections} connections`,
        size: count,
        connections,
        subjects,
        figures: [...figures, ...comparisonFigures(ours, subjectNamed(subjects, 'peer'), { request: 'delivery' })],
        othersShare: othersShare(results.flatMap(({ runs }) => runs)),
        faults: checked.faults,
        notes: [...notes, ...checked.notes],
      },
    ];
  },
};
