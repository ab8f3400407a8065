/**
 * Tests the durability level that is claimed on a cluster of real nats-servers. `replicated` needs three replicas, and
 * servers that all say at their monitoring ports that they sync.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { findDurability } from '../../src/journal/monitor.ts';
import { streamState } from '../../src/journal/topology.ts';
import { noCluster } from '../helpers/cluster-options.ts';
import { type NatsCluster, startCluster } from '../helpers/nats-cluster.ts';
import { startService } from '../helpers/service.ts';

const streamBytes = 67_108_864;

/** Returns the level of a partition's stream and the faults, if the settings name these servers' monitoring ports. */
async function levelOf(cluster: NatsCluster, named: readonly number[], partition = 'p00') {
  const journal = await cluster.connect(0);
  const settings = { ...cluster.settings(0), natsMonitor: named.map((i) => cluster.monitor(i)) };
  const version = journal.connection.info?.version ?? '';
  const { level, faults } = await findDurability(settings, version, [await streamState(journal, partition)]);
  return { level, faults: faults.map((text) => text.replace(/127\.0\.0\.1:\d+/g, 'ADDRESS')) };
}

test('a cluster is replicated if all its servers sync and are asked', { skip: noCluster }, async (t) => {
  const cluster = await startCluster(t);
  await cluster.makeStream('p00', streamBytes);
  await cluster.makeStream('p01', streamBytes, 1);
  await cluster.replicated('p00');
  assert.deepEqual(await levelOf(cluster, [0, 1, 2]), { level: 'replicated', faults: [] });
  assert.deepEqual(await levelOf(cluster, [0, 1, 2], 'p01'), { level: 'power-loss', faults: [] });
  assert.deepEqual(await levelOf(cluster, []), { level: 'replicated-unsynced', faults: [] });
  const one = { level: 'replicated-unsynced', faults: ['TIDINGS_NATS_MONITOR does not name n1, which stores streams'] };
  assert.deepEqual(await levelOf(cluster, [0, 2]), one);
  assert.deepEqual(await levelOf(cluster, [0, 2, 2]), one);

  await cluster.freeze(2);
  await cluster.leaderOf('p00');
  assert.deepEqual(await levelOf(cluster, [0, 1, 2]), {
    level: 'replicated-unsynced',
    faults: ['the NATS server at http://ADDRESS does not answer within 2 seconds'],
  });
  await cluster.kill(2);
  assert.deepEqual(await levelOf(cluster, [0, 1, 2]), {
    level: 'replicated-unsynced',
    faults: ['the NATS server at http://ADDRESS does not answer: ECONNREFUSED'],
  });
});

test('the service and the doctor name a server of a cluster that does not sync', { skip: noCluster }, async (t) => {
  const cluster = await startCluster(t, { lazy: [1] });
  // The service keeps the replicas of streams that exist.
  for (const name of partitionNames(2)) await cluster.makeStream(name, streamBytes);
  const service = await startService(t, {
    env: {
      TIDINGS_NATS_URL: cluster.url(0),
      TIDINGS_NATS_MONITOR: cluster.indexes.map((i) => cluster.monitor(i)).join(','),
      TIDINGS_PARTITIONS: '2',
    },
  });
  assert.equal((await service.api('GET', '/api/about')).body.durability, 'replicated-unsynced');
  assert.equal(await service.metric('tidings_journal_durability'), 1);
  assert.match(service.log, /the NATS server n1 at http:\S+ does not call fsync before it acknowledges/);
  const { code, output } = await service.run('doctor', '--offline');
  assert.equal(code, 1);
  assert.match(output, /✓ NATS servers that call fsync before they acknowledge: n0 \(nats-server 2\.\S+\), n2 /);
  assert.match(output, /✗ the NATS server n1 at http:\S+ does not call fsync .* Set sync_interval: always/);
  assert.match(output, /! durability level: replicated-unsynced/);
});
