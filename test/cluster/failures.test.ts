/**
 * Kills, suspends and stops nodes of a cluster and kills its NATS servers, under load. Nothing that was acknowledged is lost, no receiver gets an item twice,
 * other nodes take over the partitions, and the stores of all nodes have the same bytes afterwards.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterReport } from '../../src/cluster/status.ts';
import { ClusterLoad } from '../helpers/cluster-load.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { startOfficeChat } from '../helpers/receivers/office-chat.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** The lease of a lead in seconds. The short form has the shortest one that is allowed. */
const leadSeconds = isLong ? 15 : 12;
/** The lease, and time for the claim, the catch-up and the first publication. */
const takeOverMs = (leadSeconds + 5) * 1000;
const env = {
  TIDINGS_EGRESS_ALLOW: '127.0.0.1',
  TIDINGS_EGRESS_ALLOW_HTTP: 'true',
  TIDINGS_LEAD_SECONDS: String(leadSeconds),
};

test('killed and suspended nodes lose and double nothing', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats, env);
  const load = new ClusterLoad(nodes, await startOfficeChat(t));
  await load.prepare();
  load.begin(30);

  await t.test('the leads of a killed node are taken over', async (each) => {
    const takeOvers: number[] = [];
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const victim = await publishingNode(nodes, load);
      await nodes.kill(victim);
      takeOvers.push(await nextItemMs(load));
      await nodes.restart(t, victim);
    }
    each.diagnostic(`effects went on after ${takeOvers.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(', ')}`);
    for (const ms of takeOvers) assert.ok(ms <= takeOverMs, `${ms} ms`);
  });

  await t.test('records of a suspended lead are dropped when it wakes', async (each) => {
    for (let round = 0; round < rounds(1, 20); round += 1) {
      const victim = await publishingNode(nodes, load);
      nodes.freeze(victim, 'SIGSTOP');
      await pause((leadSeconds + 10) * 1000);
      nodes.freeze(victim, 'SIGCONT');
      await waitUntil('the node has caught up', async () => (await nodes.report()).faults.length === 0);
      each.diagnostic(`round ${round + 1} of ${rounds(1, 20)}`);
    }
  });

  await t.test('a node that stops hands its leads over', async (each) => {
    for (let round = 0; round < rounds(1, 10); round += 1) {
      const victim = await publishingNode(nodes, load);
      const next = nextItemOfOtherMs(load, nodes.stop(victim));
      each.diagnostic(`the next item came ${((await next) / 1000).toFixed(1)} s after the stop`);
      assert.ok((await next) < leadSeconds * 1000, 'no one has waited for the end of the lease');
      await nodes.restart(t, victim);
    }
  });

  await t.test(
    'deliveries wait for the election after the death of a NATS server, and no lead changes',
    async (each) => {
      let quiet = 0;
      const all = rounds(1, 10);
      for (let round = 0; round < all; round += 1) {
        // A node with few leads gets one of another node within a minute. The long form waits until none is handed over.
        const before = isLong ? termsOf(await nodes.balanced()) : undefined;
        const { refused } = load;
        const leader = await nats.leaderOf(load.partition);
        await nats.kill(leader);
        await pause(10_000);
        await nats.start(leader);
        await nats.healed();
        const after = termsOf(await nodes.settled());
        if (before) assert.deepEqual(after, before);
        if (load.refused === refused) quiet += 1;
        each.diagnostic(`round ${round + 1} of ${all}: ${load.refused - refused} deliveries were refused`);
      }
      // A split vote makes an election longer than the deadline of an acknowledgement.
      if (isLong) assert.ok(quiet >= 0.8 * all, `without a refusal: ${quiet} of ${all}`);
    },
  );

  await load.end();
  await nodes.settled();
  t.diagnostic(JSON.stringify(await load.check()));
  await nodes.assertEqual();
});

/** Returns the node that publishes: the lead of the repository's partition. */
async function publishingNode(nodes: Nodes, load: ClusterLoad): Promise<number> {
  const at = await waitUntil('the partition has a lead', async () => {
    const { partitions } = await nodes.report();
    const leads = partitions.find(({ name }) => name === load.partition)?.leads ?? [];
    return leads.length === 1 && leads;
  });
  return nodes.indexOf(at[0] as string);
}

/** Returns the terms of the leads of all partitions. */
function termsOf({ partitions }: ClusterReport): unknown {
  return partitions.map(({ name, leads, term }) => [name, leads, term]);
}

/** Waits until a node has stopped, and then for the next item. Returns how long the item took. */
async function nextItemOfOtherMs(load: ClusterLoad, stopped: Promise<void>): Promise<number> {
  await stopped;
  return nextItemMs(load);
}

/** Waits for the next item at the receiver, and returns how long it took. */
async function nextItemMs(load: ClusterLoad): Promise<number> {
  const [begun, items] = [performance.now(), load.items];
  await waitUntil('the receiver gets another item', () => load.items > items, 60_000);
  return performance.now() - begun;
}
