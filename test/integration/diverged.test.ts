/**
 * Tests what nodes do when the state of a partition differs between them: the minority stops and replaces its store, and of
 * two nodes that differ, neither serves. All nodes run in this process, each with its own data directory.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { registry } from '../../src/foundation/metrics.ts';
import { Freshness } from '../../src/journal/freshness.ts';
import { FoldedSignals } from '../../src/journal/signal.ts';
import { announcePositions } from '../../src/journal/snapshots.ts';
import { streamState } from '../../src/journal/topology.ts';
import { readDivergence } from '../../src/store/divergence.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { readDigest, readFoldVersion, readLead, writeDigest } from '../../src/store/tables/lead.ts';
import { readStreamIdentity } from '../../src/store/tables/meta.ts';
import { DivergedError, maxRepairs } from '../../workers/partition/repair.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { dump } from '../helpers/partition.ts';
import { type ComparingNode, startComparing } from '../helpers/partition-node.ts';
import { type Bench, enqueueAndFold, startBench } from '../helpers/partition-owner.ts';
import { pullRecord } from '../helpers/partition-records.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const leaseMs = 15_000;
const reachMs = 10_000;

/** Starts nodes. The first one leads. */
async function startNodes(t: TestContext, bench: Bench, ...names: string[]): Promise<ComparingNode[]> {
  const nodes: ComparingNode[] = [];
  for (const name of names) {
    const node = await startComparing(t, bench, name);
    nodes.push(node);
    if (nodes.length > 1) continue;
    await waitUntil('the first node leads', () => node.lead.acts);
    await waitUntil('the rules with digests are in force', () => readFoldVersion(node.owner.partition) > 0);
  }
  await tick(nodes[0] as ComparingNode, nodes);
  return nodes;
}

let number = 0;

/** Lets all nodes fold a change, and then a tick that names the digest of the lead after the change. */
async function tick(lead: ComparingNode, nodes: readonly ComparingNode[]): Promise<void> {
  number += 1;
  await enqueueAndFold(lead.owner, lead.lane, [pullRecord(number)]);
  const before = lead.owner.seq;
  await lead.lead.tick();
  for (const { owner } of nodes) await owner.reach(before + 1, reachMs);
}

/** Makes the state of a node wrong, as a flipped bit does. */
async function corrupt({ owner: { partition } }: ComparingNode): Promise<void> {
  const digest = readDigest(partition) ?? assert.fail('there is no digest');
  await partition.write(() => writeDigest(partition, (digest ^ 1) >>> 0));
}

/** Waits until a node has given its partition up. */
async function givenUp({ lost }: ComparingNode): Promise<DivergedError> {
  const error = await waitUntil('the node has given up', () => lost[0]);
  assert.ok(error instanceof DivergedError, String(error));
  return error;
}

async function isSound(...nodes: readonly ComparingNode[]): Promise<void> {
  for (const { standing } of nodes) await waitUntil('the state is sound', () => standing.state === 'sound');
}

/** Starts a node again with its data, as the supervisor restarts a worker. */
async function restart(t: TestContext, bench: Bench, node: string, stopped: ComparingNode): Promise<ComparingNode> {
  await stopped.close();
  return startComparing(t, bench, node, { dataDir: stopped.dataDir });
}

async function assertEqual(one: ComparingNode, other: ComparingNode): Promise<void> {
  await waitUntil('both are at one position', () => one.owner.seq === other.owner.seq);
  assert.ok(dump(one.owner.partition) === dump(other.owner.partition), 'all tables are equal');
}

/** Knows, as a gateway does, whether the partition of a node may be served. */
async function watchFreshness(
  t: TestContext,
  bench: Bench,
  node: string,
  { owner }: ComparingNode,
): Promise<Freshness> {
  const freshness = new Freshness(['p00'], 1e9);
  const signals = new FoldedSignals({ ...(await bench.nats.connect()), node }, (folded) => freshness.note(folded));
  afterwards(t, () => signals.close());
  await waitUntil('the partition is served', () => {
    owner.announce();
    return freshness.isFresh('p00');
  });
  return freshness;
}

test('of three nodes, a follower with a wrong state stops, fetches the journal or a snapshot, and is equal again', async (t) => {
  const bench = await startBench(t);
  const [a, b, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  const freshness = await watchFreshness(t, bench, 'b', b);
  await corrupt(b);
  await tick(a, [a, c]);
  const error = await givenUp(b);
  assert.match(error.message, /^The state of partition p00 at sequence \d+ differs from .*\(a, c\)\. The store is/);
  assert.ok(error.isRepairable);
  await isSound(a, c);
  assert.ok(a.lead.acts, 'the lead goes on');
  assert.equal(readLead(a.owner.partition)?.term, 1);
  await waitUntil('no one may read', () => !freshness.isFresh('p00'));
  assert.throws(() => freshness.assertFresh('p00'), /differ from those on other nodes/);
  assert.equal(readDivergence(b.dataDir, 'p00')?.state, 'diverged');
  const again = await restart(t, bench, 'b', b);
  assert.equal(readDivergence(b.dataDir, 'p00')?.state, 'repaired');
  assert.equal(again.owner.partition.generation, 2);
  await tick(a, [a, again, c]);
  await waitUntil('it was compared', () => readDivergence(b.dataDir, 'p00')?.state === 'sound');
  await assertEqual(again, a);
  await waitUntil('the partition is served', () => freshness.isFresh('p00'));
});

test('of three nodes, a lead with a wrong state hands the lead to a node with the right one', async (t) => {
  const bench = await startBench(t);
  const [a, b, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  await corrupt(a);
  await tick(a, [a, b, c]);
  await givenUp(a);
  await waitUntil('another node leads', () => b.lead.acts || c.lead.acts);
  await isSound(b, c);
  assert.equal(readLead(b.owner.partition)?.term, 2, 'no one has waited for the end of the lease');
  const [lead, other] = b.lead.acts ? [b, c] : [c, b];
  const again = await restart(t, bench, 'a', a);
  await tick(lead, [lead, other, again]);
  await waitUntil('it was compared', () => readDivergence(a.dataDir, 'p00')?.state === 'sound');
  await assertEqual(again, lead);
  assert.deepEqual([b.lost, c.lost], [[], []]);
});

test('of two nodes that differ, neither leads nor serves, until a third one decides', async (t) => {
  const bench = await startBench(t);
  const [a, b, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  const freshness = await watchFreshness(t, bench, 'a', a);
  await c.close();
  await corrupt(b);
  await tick(a, [a, b]);
  for (const { standing } of [a, b]) await waitUntil('it is undecided', () => standing.state === 'undecided');
  await waitUntil('no one may read', () => !freshness.isFresh('p00'));
  // All nodes of this test share the metric. Here, both of those that run say the same.
  assert.match(await registry.getSingleMetricAsString('tidings_replica_diverged'), /partition="p00"\} 1/);
  assert.equal(a.lead.term, undefined);
  assert.deepEqual([a.lost, b.lost], [[], []]);
  // A restart does not make either of them sure, and no one claims the partition.
  const again = [await restart(t, bench, 'a', a), await restart(t, bench, 'b', b)] as const;
  const { lastSeq } = await streamState(bench.journal, 'p00');
  for (const { clock, standing } of again) {
    clock.ms += 10 * leaseMs;
    assert.equal(standing.state, 'undecided');
  }
  const third = await startComparing(t, bench, 'c', { dataDir: c.dataDir });
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal((await streamState(bench.journal, 'p00')).lastSeq, lastSeq);
  third.clock.ms += 2 * leaseMs;
  // The clock goes on, because a node that was frozen by a busy machine first reads the ticks of that time.
  await waitUntil('the third node leads', () => {
    third.clock.ms += 20;
    return third.lead.acts;
  });
  await tick(third, [third, again[0]]);
  await isSound(again[0], third);
  await givenUp(again[1]);
  assert.equal(again[0].lead.isCandidate, true);
});

test('of two nodes that differ, a person decides by removing the store of one', async (t) => {
  const bench = await startBench(t);
  const [a, b] = (await startNodes(t, bench, 'a', 'b')) as [ComparingNode, ComparingNode];
  await corrupt(b);
  await tick(a, [a, b]);
  for (const { standing } of [a, b]) await waitUntil('it is undecided', () => standing.state === 'undecided');
  await b.close();
  rmSync(join(b.dataDir, 'partitions/p00'), { recursive: true });
  const again = await startComparing(t, bench, 'b', { dataDir: b.dataDir });
  await isSound(a, again);
  await waitUntil('it leads again', () => a.lead.acts);
  await tick(a, [a, again]);
  await assertEqual(again, a);
});

test('a lead in doubt begins nothing, and goes on as soon as a third node agrees with it', async (t) => {
  const bench = await startBench(t);
  const [a, b, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  await c.peers.close();
  await corrupt(b);
  await tick(a, [a, b, c]);
  await waitUntil('it is in doubt', () => a.standing.state !== 'sound');
  assert.equal(a.lead.acts, false);
  a.peers.note('p00', 'c', c.owner.named.at(-1) ?? assert.fail());
  a.standing.compare();
  assert.equal(a.standing.state, 'sound');
  assert.ok(a.lead.acts);
});

test('a wrong node takes the snapshot of a right node, and none of its own', async (t) => {
  const bench = await startBench(t);
  const [a, b, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  const all = [a, b, c];
  for (let round = 0; round < 2; round++) {
    await tick(a, all);
    for (const { keeper } of all) await keeper.snapshot();
  }
  await corrupt(b);
  await enqueueAndFold(a.owner, a.lane, [pullRecord(900)]);
  await b.owner.reach(a.owner.seq, reachMs);
  await b.keeper.snapshot();
  const wrong = listSnapshots(b.dataDir, 'p00').at(-1) ?? assert.fail();
  await bench.journal.manager.streams.purge('TIDINGS_P00', { seq: wrong.seq - 1 });
  await tick(a, [a, c]);
  await givenUp(b);
  await b.flush();
  await a.flush();
  assert.ok(!a.peers.offersOf('p00').some(({ node, offer }) => node === 'b' && offer.seq === wrong.seq));
  // The two nodes with the right state have newer snapshots, which the journal continues.
  await enqueueAndFold(a.owner, a.lane, [pullRecord(901)]);
  await a.keeper.snapshot();
  const again = await restart(t, bench, 'b', b);
  assert.match(again.waited.join('\n'), /p00: fetches a snapshot of node [ac], 100 %/);
  assert.deepEqual(
    listSnapshots(b.dataDir, 'p00').map(({ seq }) => seq),
    [listSnapshots(a.dataDir, 'p00').at(-1)?.seq],
  );
  await tick(a, [a, again, c]);
  await waitUntil('it was compared', () => readDivergence(b.dataDir, 'p00')?.state === 'sound');
  await assertEqual(again, a);
});

test('digests of another stream are not compared, and those of the same stream are', async (t) => {
  const bench = await startBench(t);
  const [a] = (await startNodes(t, bench, 'a')) as [ComparingNode];
  const { seq, value } = a.owner.named.at(-1) ?? assert.fail();
  const created = readStreamIdentity(a.owner.partition)?.created ?? assert.fail();
  const other = { ...(await bench.nats.connect()), node: 'b' };
  const announce = async (stream: string) => {
    const digests = [{ seq, value: (value ^ 1) >>> 0 }];
    const position = { partition: 'p00', created: stream, seq, holds: 0, offers: [], digests };
    announcePositions(other, { asks: false, partitions: [position] });
    await other.connection.flush();
    await a.flush();
  };
  await announce('another stream');
  assert.deepEqual([...a.peers.digestsOf('p00')], [['b', []]]);
  assert.equal(a.standing.state, 'sound');
  await announce(created);
  assert.equal(a.standing.state, 'doubted');
});

test('a node whose state is wrong again and again stops for good', async (t) => {
  const bench = await startBench(t);
  const [a, first, c] = (await startNodes(t, bench, 'a', 'b', 'c')) as [ComparingNode, ComparingNode, ComparingNode];
  let b = first;
  for (let repairs = 0; repairs <= maxRepairs; repairs++) {
    await tick(a, [a, b, c]);
    await corrupt(b);
    await tick(a, [a, c]);
    const error = await givenUp(b);
    assert.equal(error.isRepairable, repairs < maxRepairs);
    if (error.isRepairable) b = await restart(t, bench, 'b', b);
    else assert.match(error.message, /replaced 2 times within a day, so this machine has a fault/);
  }
  await assert.rejects(restart(t, bench, 'b', b), (error) => error instanceof DivergedError && !error.isRepairable);
  await isSound(a, c);
  assert.ok(a.lead.acts);
});
