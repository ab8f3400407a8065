/**
 * Suspends the node that publishes for longer than its lease, and continues it. The fold drops the records that it then
 * sends as the lead, and the node answers nothing that is older than asked for.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Fault,
  leadSeconds,
  nextItemMs,
  progress,
  publishingNode,
  type Stage,
  seconds,
} from '../cluster-faults.ts';
import { rounds } from '../cluster-options.ts';
import { waitUntil } from '../wait-until.ts';

/** How long a node is suspended, in milliseconds. */
const frozenMs = (leadSeconds + 10) * 1000;

export const freezeNode: Fault = {
  title: 'records of a suspended lead are dropped when it wakes, and it answers nothing old',
  perSecond: 300,
  long: { deliveries: 100_000, readMs: 50 },
  async run(t, stage) {
    const all = rounds(1, 20);
    let dropped = 0;
    for (let round = 1; round <= all; round += 1) {
      const { ms, rejected, refusals } = await freezeOnce(stage);
      dropped += rejected;
      progress(
        t,
        `freeze ${round} of ${all}: effects went on after ${seconds(ms)}; after waking, ${rejected} records were dropped and ${refusals} reads refused`,
      );
    }
    assert.ok(dropped > 0, 'the fold has dropped records of a former lead');
  },
};

/**
 * Suspends the node that publishes once. Returns when effects went on, and what it did when it woke.
 * @param heldMs how long an attempt waits before its last check. The node is suspended meanwhile.
 */
export async function freezeOnce(
  stage: Stage,
  heldMs = 0,
): Promise<{ ms: number; rejected: number; refusals: number }> {
  const { nodes, load } = stage;
  const victim = await publishingNode(stage);
  const other = nodes.at((victim + 1) % nodes.services.length);
  const before = await other.metric('tidings_lead_rejected_total');
  if (heldMs > 0) {
    // The next attempt begins when an item has arrived, because publications are waiting.
    await nextItemMs(stage);
    await pause(heldMs / 2);
  }
  const begun = performance.now();
  nodes.freeze(victim, 'SIGSTOP');
  const ms = await nextItemMs(stage);
  await pause(Math.max(0, begun + frozenMs - performance.now()));
  nodes.freeze(victim, 'SIGCONT');
  let refusals = 0;
  await waitUntil('the node answers reads again', async () => {
    const status = await load.askNode(victim).catch(() => 0);
    if (status !== 200) refusals += 1;
    return status === 200;
  });
  await nodes.sound();
  return { ms, rejected: (await other.metric('tidings_lead_rejected_total')) - before, refusals };
}
