/**
 * Kills and suspends nodes of a cluster under load. Nothing that was acknowledged is lost, no receiver gets an item twice,
 * other nodes take over the partitions, and the stores of all nodes have the same bytes afterwards.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { ClusterLoad } from '../helpers/cluster-load.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { startOfficeChat } from '../helpers/receivers/office-chat.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.1', TIDINGS_EGRESS_ALLOW_HTTP: 'true' };
/** The lease of 15 s, and time for the claim, the catch-up and the first publication. */
const takeOverMs = 20_000;

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
      await pause(25_000);
      nodes.freeze(victim, 'SIGCONT');
      await waitUntil('the node has caught up', async () => (await nodes.report()).faults.length === 0);
      each.diagnostic(`round ${round + 1} of ${rounds(1, 20)}`);
    }
  });

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

/** Waits for the next item at the receiver, and returns how long it took. */
async function nextItemMs(load: ClusterLoad): Promise<number> {
  const [begun, items] = [performance.now(), load.items];
  await waitUntil('the receiver gets another item', () => load.items > items, 60_000);
  return performance.now() - begun;
}
