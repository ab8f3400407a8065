/** Stops the node that publishes, as an operator does. It hands its leads over, so no one waits for the end of a lease. */
import assert from 'node:assert/strict';
import { type Fault, leadSeconds, nextItemMs, progress, publishingNode, seconds } from '../cluster-faults.ts';
import { rounds } from '../cluster-options.ts';

export const stopNode: Fault = {
  title: 'a node that stops hands its leads over',
  perSecond: 300,
  async run(t, stage) {
    const all = rounds(1, 10);
    for (let round = 1; round <= all; round += 1) {
      const victim = await publishingNode(stage);
      await stage.nodes.stop(victim);
      const ms = await nextItemMs(stage);
      progress(t, `stop ${round} of ${all}: the next item came ${seconds(ms)} after the stop`);
      assert.ok(ms < leadSeconds * 1000, 'no one has waited for the end of the lease');
      await stage.nodes.restart(stage.t, victim);
    }
  },
};
