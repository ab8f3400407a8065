/**
 * Changes the state of a partition on one node of three while the node is stopped. The node finds out when it is back,
 * replaces its store by itself, and has the same bytes as the others afterwards.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('a node whose state was changed is found and repaired, and the others go on', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats);
  const { partitions } = await nodes.settled();
  const victim = nodes.indexOf('b');
  const { dataDir } = nodes.at(victim);
  await nodes.stop(victim);
  await corrupt(dataDir, 'p00');
  await nodes.restart(t, victim);
  await waitUntil('the store was replaced and compared', () => readDivergence(dataDir, 'p00')?.state === 'sound');
  assert.equal(readDivergence(dataDir, 'p00')?.repairs.length, 1);
  await waitUntil('nothing is wrong', async () => (await nodes.report()).faults.length === 0);
  await nodes.assertEqual();
  for (const name of partitions.map((partition) => partition.name))
    for (const i of nodes.live)
      if (i !== victim) assert.equal(readDivergence(nodes.at(i).dataDir, name), undefined, 'only one node was wrong');
});
