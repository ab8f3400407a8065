/**
 * Changes the state of a partition on one node of three: of a node that is stopped, and of a lead that runs. Each node
 * finds out, replaces its store by itself, and has the same bytes as the others afterwards.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ClusterReport, PartitionReport } from '../../src/cluster/status.ts';
import { readDivergence } from '../../src/store/divergence.ts';
import { openPartition } from '../../src/store/partition.ts';
import { readDigest, writeDigest } from '../../src/store/tables/lead.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { noCluster } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Changes the state of a partition in a data directory, as a flipped bit does. */
async function corrupt(dataDir: string, name: string): Promise<void> {
  const partition = openPartition(dataDir, name);
  const digest = readDigest(partition) ?? assert.fail('there is no digest');
  await partition.write(() => writeDigest(partition, (digest ^ 1) >>> 0));
  await partition.close();
}

test('wrong states are found and repaired, and the other nodes go on', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats);
  await nodes.settled();

  /** Waits until a node has replaced its store, and found it equal. */
  const isRepaired = async (i: number, repairs: number): Promise<void> => {
    const { dataDir } = nodes.at(i);
    await waitUntil('the store was replaced and compared', () => readDivergence(dataDir, 'p00')?.state === 'sound');
    assert.equal(readDivergence(dataDir, 'p00')?.repairs.length, repairs);
    await waitUntil('nothing is wrong', async () => (await nodes.report()).faults.length === 0);
    for (const service of nodes.services) assert.equal(await service.metric('tidings_replica_diverged'), 0);
    for (const other of nodes.live)
      if (other !== i) assert.equal(readDivergence(nodes.at(other).dataDir, 'p00'), undefined);
  };

  await t.test('a node whose state was changed while it was stopped', async () => {
    const victim = nodes.indexOf('b');
    await nodes.stop(victim);
    await corrupt(nodes.at(victim).dataDir, 'p00');
    await nodes.restart(t, victim);
    await isRepaired(victim, 1);
    rmSync(join(nodes.at(victim).dataDir, 'partitions/p00/diverged.json'));
  });

  await t.test('a lead whose state is changed while it runs', async (each) => {
    const { leads, term } = partitionIn(await nodes.settled());
    const victim = nodes.indexOf(leads[0] ?? assert.fail());
    const begun = performance.now();
    await corrupt(nodes.at(victim).dataDir, 'p00');
    const next = await waitUntil('another node leads', async () => {
      const now = partitionIn(await nodes.report(nodes.live.find((i) => i !== victim)));
      return (now.term ?? 0) > (term ?? 0) && now.leads.some((node) => node !== leads[0]) && now;
    });
    each.diagnostic(`node ${next.leads} leads after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    await isRepaired(victim, 1);
  });
  await nodes.assertEqual();
});

function partitionIn({ partitions }: ClusterReport): PartitionReport {
  return partitions.find(({ name }) => name === 'p00') ?? assert.fail();
}
