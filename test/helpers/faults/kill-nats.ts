/**
 * Kills the NATS server that leads the stream of a partition. Deliveries for the partition wait for the election, other
 * partitions are not interrupted, and no lead changes.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterReport } from '../../../src/cluster/status.ts';
import { type Fault, progress, type Stage, seconds } from '../cluster-faults.ts';
import { electedMs, isLong, rounds, uninterruptedMs } from '../cluster-options.ts';

/** How long the server is away, in milliseconds. */
const awayMs = 10_000;

export const killNats: Fault = {
  title: 'deliveries wait for the election after the death of a NATS server, and no lead changes',
  perSecond: 60,
  async run(t, stage) {
    const { load } = stage;
    const all = rounds(1, 10);
    let quiet = 0;
    for (let round = 1; round <= all; round += 1) {
      const { refused } = load;
      const { led, others } = await killOnce(stage);
      if (load.refused === refused) quiet += 1;
      progress(
        t,
        `kill ${round} of ${all}: ${seconds(led)} without a 202 on the stream that it led, ${seconds(others)} on others; ${load.refused - refused} deliveries refused`,
      );
      assert.ok(led <= electedMs, `${led} ms without a 202`);
      assert.ok(others <= uninterruptedMs, `${others} ms without a 202 on a stream of another server`);
    }
    // A split vote makes an election longer than the deadline of an acknowledgement.
    if (isLong) assert.ok(quiet >= 0.8 * all, `without a refusal: ${quiet} of ${all}`);
  },
};

/** Kills a server that leads one of the streams, and starts it again. Returns the longest times without a 202. */
async function killOnce({ nats, nodes, load }: Stage): Promise<{ led: number; others: number }> {
  const victim = await nats.leaderOf(load.partition);
  for (const partition of load.partitions)
    if (partition !== load.partition) await nats.lead(partition, (victim + 1) % nats.indexes.length);
  // A node with few leads gets one of another node within a minute. The long form waits until none is handed over.
  const before = isLong ? termsOf(await nodes.balanced()) : undefined;
  await load.progress(5);
  load.takeGaps();
  await nats.kill(victim);
  const begun = performance.now();
  await load.progress(5);
  const gaps = load.takeGaps();
  await pause(Math.max(0, begun + awayMs - performance.now()));
  await nats.start(victim);
  await nats.healed();
  const after = termsOf(await nodes.sound());
  if (before) assert.deepEqual(after, before);
  const led = gaps.get(load.partition) ?? 0;
  gaps.delete(load.partition);
  return { led, others: Math.max(0, ...gaps.values()) };
}

/** Returns the terms of the leads of all partitions. */
function termsOf({ partitions }: ClusterReport): unknown {
  return partitions.map(({ name, leads, term }) => [name, leads, term]);
}
