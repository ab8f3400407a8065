/** Kills the node that publishes. The other nodes take its leads over, and serve all the time. */
import assert from 'node:assert/strict';
import { type Fault, leadSeconds, median, nextItemMs, progress, publishingNode, seconds } from '../cluster-faults.ts';
import { isLong, rounds } from '../cluster-options.ts';

/** The lease, and time for the claim, the catch-up and the first publication. */
const takeOverMs = (leadSeconds + 5) * 1000;
/** The long form also limits the median. */
const medianMs = (leadSeconds + 2) * 1000;

export const killNode: Fault = {
  title: 'the leads of a killed node are taken over',
  perSecond: 300,
  long: { deliveries: 100_000, readMs: 50 },
  async run(t, stage) {
    const { nodes } = stage;
    const times: number[] = [];
    const all = rounds(1, 20);
    for (let round = 1; round <= all; round += 1) {
      const victim = await publishingNode(stage);
      await nodes.kill(victim);
      const ms = await nextItemMs(stage);
      times.push(ms);
      progress(t, `kill ${round} of ${all}: effects went on after ${seconds(ms)}`);
      await nodes.restart(stage.t, victim);
    }
    progress(t, `effects went on after a median of ${seconds(median(times))}, at most ${seconds(Math.max(...times))}`);
    for (const ms of times) assert.ok(ms <= takeOverMs, `${ms} ms`);
    if (isLong) assert.ok(median(times) <= medianMs, `median ${median(times)} ms`);
  },
};
