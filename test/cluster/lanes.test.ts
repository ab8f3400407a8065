/**
 * Tests lanes on a cluster of three nats-servers, one of which is killed, stopped or suspended under load. No
 * acknowledged record may be lost or stored twice. Every stream must acknowledge again after an election, and the streams
 * of the other servers must not be interrupted.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { electedMs, noCluster, rounds, uninterruptedMs } from '../helpers/cluster-options.ts';
import { LaneLoad } from '../helpers/lane-load.ts';
import { type NatsCluster, startCluster } from '../helpers/nats-cluster.ts';
import { assertSet, readIds } from '../helpers/set-check.ts';

const partitions = ['p00', 'p01', 'p02', 'p03'];
const streamBytes = 2_147_483_648;

/** A fault, and how the server is brought back. A fault resolves when the server has ended or stands still. */
interface Fault {
  title: string;
  times: number;
  begin: (cluster: NatsCluster, i: number) => Promise<void>;
  end: (cluster: NatsCluster, i: number) => Promise<void> | void;
  /** Whether the server hands its streams over, so that there should be no election. */
  inOrder: boolean;
}

const again = (cluster: NatsCluster, i: number) => cluster.start(i);
const faults: Fault[] = [
  { title: 'kill -9', times: rounds(1, 10), begin: (cluster, i) => cluster.kill(i), end: again, inOrder: false },
  { title: 'SIGTERM', times: rounds(0, 5), begin: (cluster, i) => cluster.stop(i), end: again, inOrder: true },
  {
    title: 'SIGSTOP, then SIGCONT',
    times: rounds(1, 5),
    begin: (cluster, i) => cluster.freeze(i),
    end: (cluster, i) => cluster.thaw(i),
    inOrder: false,
  },
  { title: 'lame duck', times: rounds(0, 3), begin: (cluster, i) => cluster.lameDuck(i), end: again, inOrder: true },
];

test('lanes lose no acknowledged record while servers of a cluster fail', { skip: noCluster }, async (t) => {
  const cluster = await startCluster(t);
  for (const partition of partitions) await cluster.makeStream(partition, streamBytes);
  // The load knows this server only, so this server does not fail.
  const journal = await cluster.connect(0);
  const loads = partitions.map((partition) => new LaneLoad(journal, partition));
  for (const load of loads) await load.progress(100);

  for (const fault of faults) {
    for (let round = 0; round < fault.times; round++) {
      const victim = 1 + (round % 2);
      await t.test(`${fault.title} of server ${victim}, round ${round + 1}`, (t) =>
        survive(t, { cluster, loads, fault, victim }),
      );
    }
  }

  await Promise.all(loads.map((load) => load.finish()));
  assert.deepEqual(
    loads.flatMap(({ refused }) => refused),
    [],
  );
  for (const { partition, acked } of loads) {
    const { lastSeq } = await cluster.replicated(partition);
    t.diagnostic(`${partition}: ${acked.size} records acknowledged in ${lastSeq} messages`);
    // The leader of a stream answers from its own files, so each server reads its own copy.
    for (const i of cluster.indexes) {
      await cluster.lead(partition, i);
      assertSet(acked, await readIds(await cluster.connect(i), partition));
    }
  }
});

interface Round {
  cluster: NatsCluster;
  loads: readonly LaneLoad[];
  fault: Fault;
  victim: number;
}

/** Makes a server the leader of two of the four streams, harms it, and measures how long each stream is interrupted. */
async function survive(t: TestContext, { cluster, loads, fault, victim }: Round): Promise<void> {
  const leaders = [victim, victim, 0, 3 - victim];
  for (const [i, { partition }] of loads.entries()) await cluster.lead(partition, leaders[i] as number);
  // A change of the leader can itself drop a message, which the lane sends again after a second.
  for (const load of loads) await load.progress(50);
  for (const load of loads) load.takeLongestGap();
  await fault.begin(cluster, victim);
  for (const { partition } of loads) assert.notEqual(await cluster.leaderOf(partition), victim);
  for (const load of loads) await load.progress(200);
  const gaps = loads.map((load) => load.takeLongestGap());
  await fault.end(cluster, victim);
  await cluster.healed();
  const healing = loads.map((load) => load.takeLongestGap());

  const led = loads.map((_, i) => leaders[i] === victim);
  const seconds = (values: readonly number[]) => values.map((ms) => (ms / 1000).toFixed(1)).join(', ');
  t.diagnostic(`longest time without an acknowledgement: ${seconds(gaps)} s, after the return ${seconds(healing)} s`);
  for (const [i, gap] of gaps.entries()) {
    const { partition } = loads[i] as LaneLoad;
    assert.ok(gap <= (led[i] ? electedMs : uninterruptedMs), `${partition}: ${Math.round(gap)} ms`);
    assert.ok((healing[i] as number) <= uninterruptedMs, `${partition} after the return: ${healing[i]} ms`);
  }
}
