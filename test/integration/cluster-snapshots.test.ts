/**
 * Tests how the nodes of a cluster share one journal: a purge waits for all nodes, a node that was overtaken fetches a
 * snapshot, and an erasure leaves no byte on any node. All nodes run in this process, each with its own data directory.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { dayMs } from '../../src/foundation/days.ts';
import { registry } from '../../src/foundation/metrics.ts';
import { JournalHoleError } from '../../src/journal/follow.ts';
import { announcePositions, answerPieces } from '../../src/journal/snapshots.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { streamState } from '../../src/journal/topology.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { SnapshotCatalogue, SnapshotPieces } from '../../src/store/snapshot-offers.ts';
import { beginAttempt } from '../../src/store/tables/effect-attempts.ts';
import { readOwner } from '../../src/store/tables/meta.ts';
import { countErasures, readTrace } from '../../src/store/tables/retention.ts';
import { PartitionLostError } from '../../workers/partition/restore.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { filesWith } from '../helpers/files-with.ts';
import { dump } from '../helpers/partition.ts';
import { type PartitionNode, startNode } from '../helpers/partition-node.ts';
import { type Bench, enqueueAndFold, keep, startBench } from '../helpers/partition-owner.ts';
import { eventRecord, pullRecord, pullSnapshot, tickRecord } from '../helpers/partition-records.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const minute = 60_000;
const mebibyte = 1_048_576;

/** Enqueues merged pull requests, one message each, and waits until all nodes have folded them. */
async function merge(
  nodes: readonly [PartitionNode, ...PartitionNode[]],
  from: number,
  to: number,
  body = '',
): Promise<void> {
  const [{ owner, lane }] = nodes;
  for (let number = from; number <= to; number++) {
    const pull = pullSnapshot(number, { body });
    await enqueueAndFold(owner, lane, [eventRecord({ event: 'pull_request', action: 'closed', pull })]);
  }
  for (const node of nodes) await node.owner.reach(owner.seq, 10_000);
}

async function firstSeq({ journal }: Bench): Promise<number> {
  return (await streamState(journal, 'p00')).firstSeq;
}

/** Waits until a node has heard the current positions of the others. */
async function hears(node: PartitionNode, floor: number): Promise<void> {
  await waitUntil(`the floor is ${floor}`, async () => (await node.peers.floor(node.owner))?.all === floor);
}

function assertEqual(one: PartitionNode, other: PartitionNode): void {
  assert.equal(one.owner.seq, other.owner.seq);
  assert.ok(dump(one.owner.partition) === dump(other.owner.partition), 'all tables are equal');
}

/** Names of files and folders that a fetch has not finished. */
function unfinished({ dataDir }: { dataDir: string }): string[] {
  return readdirSync(join(dataDir, 'partitions/p00/snapshots')).filter((name) => name.endsWith('.new'));
}

/** Closes node `b`, and waits until `a` has heard its last announcement. */
async function goAway(b: PartitionNode, a: PartitionNode): Promise<void> {
  await b.close();
  await b.flush();
  await a.flush();
}

/** Closes node `b`, and lets `a` purge what `b` still needs, as happens when `b` is away for more than a day. */
async function overtake(a: PartitionNode, b: PartitionNode, to: number): Promise<void> {
  await goAway(b, a);
  await a.pass(dayMs + 2 * minute);
  await merge([a], a.owner.seq + 1, to);
  await a.keeper.snapshot();
  await merge([a], to + 1, to + 3);
  await a.keeper.snapshot();
}

test('the lead purges only what every live node has in two snapshots', async (t) => {
  const bench = await startBench(t);
  const a = await startNode(t, bench, 'a', { leads: true });
  const b = await startNode(t, bench, 'b');
  for (const last of [3, 6, 9]) {
    await merge([a, b], last - 2, last);
    await a.keeper.snapshot();
  }
  assert.equal(await firstSeq(bench), 1, 'the lead has not listened for a minute');
  await a.pass(minute);
  await hears(a, 0);
  await a.keeper.snapshot();
  assert.equal(await firstSeq(bench), 1, 'the other node has no snapshot');
  await b.keeper.snapshot();
  await merge([a, b], 10, 12);
  await b.keeper.snapshot();
  await b.pass(minute);
  await b.keeper.snapshot();
  assert.equal(await firstSeq(bench), 1, 'a node that does not lead purges nothing');
  await hears(a, 9);
  await a.keeper.snapshot();
  assert.equal(await firstSeq(bench), 10);
});

test('a node that was overtaken by a purge returns with a snapshot of another node', async (t) => {
  const bench = await startBench(t);
  const a = await startNode(t, bench, 'a', { leads: true });
  const b = await startNode(t, bench, 'b');
  await merge([a, b], 1, 3);
  await b.keeper.snapshot();
  await beginAttempt(a.owner.partition, 77);
  await overtake(a, b, 20);
  assert.ok((await firstSeq(bench)) > 4, 'the journal does not continue the store of b');
  // A worker that meets the gap while it runs is started again. Another hole needs a person.
  const first = await firstSeq(bench);
  assert.ok(await a.peers.isOvertaken('p00', new JournalHoleError('p00', 4, first)));
  assert.ok(!(await a.peers.isOvertaken('p00', new JournalHoleError('p00', first, first + 1))));
  const again = await startNode(t, bench, 'b', { dataDir: b.dataDir });
  await again.owner.reach(a.owner.seq, 10_000);
  assertEqual(again, a);
  assert.match(again.waited.join('\n'), /p00: fetches a snapshot of node a, 100 %/);
  assert.equal(again.owner.partition.generation, 2);
  // The other node's owner and its attempts are not taken over.
  const { local } = again.owner.partition.tables;
  assert.notEqual(readOwner(again.owner.partition), readOwner(a.owner.partition));
  assert.deepEqual([...local.getKeys({})].sort(), ['owner', 'stream']);
  assert.deepEqual(unfinished(again), []);
  // The snapshot of the time before is gone. With its next snapshots, the node takes part in purges again.
  assert.equal(listSnapshots(again.dataDir, 'p00').length, 1);
  await merge([a, again], 40, 42);
  await again.keeper.snapshot();
  assert.equal(await again.peers.holdsOf(again.owner), listSnapshots(again.dataDir, 'p00')[0]?.seq);
});

test('a new node fetches a snapshot if it saves much, and replays the journal otherwise', async (t) => {
  const bench = await startBench(t);
  const a = await startNode(t, bench, 'a', { leads: true });
  await merge([a], 1, 8);
  await a.keeper.snapshot();
  const c = await startNode(t, bench, 'c');
  const d = await startNode(t, bench, 'd', { limits: { worthMessages: 7 } });
  for (const node of [c, d]) await node.owner.reach(8, 10_000);
  assertEqual(c, a);
  assertEqual(d, a);
  assert.deepEqual([listSnapshots(c.dataDir, 'p00').length, listSnapshots(d.dataDir, 'p00').length], [0, 1]);
  assert.equal(c.waited.length, 0);
  // A process that was killed during a fetch leaves a folder. The next start removes it.
  await c.close();
  mkdirSync(join(c.dataDir, 'partitions/p00/snapshots/fetching-0123.new'), { recursive: true });
  const again = await startNode(t, bench, 'c', { dataDir: c.dataDir });
  assert.deepEqual(unfinished(again), []);
});

test('a partition is lost only if no other node offers a snapshot that the journal continues', async (t) => {
  const bench = await startBench(t);
  const a = await startNode(t, bench, 'a', { leads: true });
  await overtake(a, await startNode(t, bench, 'b'), 9);
  await a.peers.close();
  await assert.rejects(startNode(t, bench, 'c', { limits: { waitMs: 300 } }), PartitionLostError);
});

/** Makes a store of several mebibytes on two nodes, with a purged journal. Node `a` has the newer snapshot. */
async function makeLargeStore(
  t: TestContext,
  bench: Bench,
  bytesPerSecond: number,
): Promise<[PartitionNode, PartitionNode]> {
  const a = await startNode(t, bench, 'a', { leads: true, bytesPerSecond });
  const b = await startNode(t, bench, 'b');
  await merge([a, b], 1, 20, 'long '.repeat(40_000));
  for (const last of [22, 24]) {
    await merge([a, b], last - 1, last);
    await a.keeper.snapshot();
    await b.keeper.snapshot();
  }
  await merge([a, b], 25, 26);
  await a.pass(minute);
  await hears(a, 22);
  await a.keeper.snapshot();
  assert.equal(await firstSeq(bench), 23);
  return [a, b];
}

test('a node that dies while it sends a snapshot is replaced by another one', async (t) => {
  const bench = await startBench(t);
  const [a, b] = await makeLargeStore(t, bench, 2 * mebibyte);
  const starting = startNode(t, bench, 'c');
  await waitUntil('the fetch has begun', async () =>
    /_progress\{partition="p00"\} 0\.\d/.test(
      await registry.getSingleMetricAsString('tidings_snapshot_fetch_progress'),
    ),
  );
  await a.peers.close();
  const c = await starting;
  await c.owner.reach(b.owner.seq, 10_000);
  assertEqual(c, b);
  assert.match(c.waited.join('\n'), /of node a, \d+ %[\s\S]*of node b, /);
  assert.deepEqual(unfinished(c), []);
  assert.doesNotMatch(await registry.getSingleMetricAsString('tidings_snapshot_fetch_progress'), /partition=/);
});

test('a fetch continues where it stopped if no other node has a snapshot', async (t) => {
  const bench = await startBench(t);
  const [a, b] = await makeLargeStore(t, bench, mebibyte);
  await goAway(b, a);
  const offer = (await new SnapshotCatalogue(a.dataDir, 'p00').list()).at(-1) ?? assert.fail();
  const journal = { ...(await bench.nats.connect()), node: 'd' };
  const pieces = new SnapshotPieces(a.dataDir, 'p00');
  const asked: number[] = [];
  afterwards(t, () => pieces.close());
  answerPieces(journal, 'p00', async ({ sha256, offset, length }) => {
    asked.push(offset);
    // The second request fails, as on a node whose disk does not answer.
    return offset > 0 && asked.length === 2 ? undefined : pieces.read(sha256, offset, length);
  });
  const position = { partition: 'p00', created: offer.created, seq: offer.seq, holds: 0 };
  const timer = setInterval(
    () => announcePositions(journal, { asks: false, partitions: [{ ...position, offers: [offer] }] }),
    20,
  );
  afterwards(t, () => clearInterval(timer));
  await a.peers.close();
  const c = await startNode(t, bench, 'c');
  await c.owner.reach(a.owner.seq, 10_000);
  assertEqual(c, a);
  assert.deepEqual(asked.slice(0, 4), [0, mebibyte, mebibyte, 2 * mebibyte]);
});

test('the state of an earlier stream is fetched, although the journal begins at its first message', async (t) => {
  const bench = await startBench(t);
  const a = await startNode(t, bench, 'a', { leads: true });
  await merge([a], 1, 3);
  await a.keeper.snapshot();
  await a.close();
  await bench.journal.manager.streams.delete(streamOf('p00'));
  const again = await startNode(t, bench, 'a', { dataDir: a.dataDir, leads: true });
  await merge([again], 4, 5);
  const c = await startNode(t, bench, 'c');
  await c.owner.reach(again.owner.seq, 10_000);
  // The new node appends a message to make sure that the stream was replaced.
  await again.owner.reach(c.owner.seq, 10_000);
  assertEqual(c, again);
  await again.keeper.snapshot();
  const d = await startNode(t, bench, 'd');
  await d.owner.reach(again.owner.seq, 10_000);
  assertEqual(d, again);
  assert.equal([...d.owner.partition.tables.pulls.getKeys({})].length, 5);
});

test('a snapshot with a wrong byte, or at another position than offered, is refused', async (t) => {
  const bench = await startBench(t);
  const [a, b] = await makeLargeStore(t, bench, 1000 * mebibyte);
  const offers = await new SnapshotCatalogue(a.dataDir, 'p00').list();
  const offer = offers.at(-1) ?? assert.fail();
  // Two more nodes offer what seems to be a newer snapshot. One sends a wrong byte, the other the true bytes.
  const journals = { flips: await bench.nats.connect(), lies: await bench.nats.connect() };
  for (const [node, connected] of Object.entries(journals)) {
    const journal = { ...connected, node };
    const pieces = new SnapshotPieces(a.dataDir, 'p00');
    afterwards(t, () => pieces.close());
    answerPieces(journal, 'p00', async ({ sha256, offset, length }) => {
      const piece = await pieces.read(sha256, offset, length);
      if (piece && node === 'flips' && offset > 0) piece[piece.length >> 1] = (piece[piece.length >> 1] ?? 0) ^ 1;
      return piece;
    });
    const position = { partition: 'p00', created: offer.created, seq: 999, holds: 999 };
    const false_ = { ...offer, seq: node === 'flips' ? 999 : 998 };
    const timer = setInterval(
      () => announcePositions(journal, { asks: false, partitions: [{ ...position, offers: [false_] }] }),
      20,
    );
    afterwards(t, () => clearInterval(timer));
  }
  const c = await startNode(t, bench, 'c');
  await c.owner.reach(b.owner.seq, 10_000);
  assertEqual(c, b);
  assert.match(c.waited.join('\n'), /of node flips[\s\S]*of node lies[\s\S]*of node a/);
  assert.deepEqual(unfinished(c), []);
  assert.match(await registry.getSingleMetricAsString('tidings_snapshot_fetches_total'), /outcome="refused"\} 2/);
});

/** Enqueues padding until the stream accepts no record. */
async function fillUp({ owner, lane }: PartitionNode): Promise<void> {
  for (let size = mebibyte / 4; size >= 1; size = Math.floor(size / 2)) {
    const record = () => ({ ...tickRecord(Date.now()), padding: ' '.repeat(size) });
    const isTaken = () =>
      enqueueAndFold(owner, lane, [record()])
        .then(() => true)
        .catch(() => false);
    while (await isTaken());
  }
}

test('a full stream is relieved although no node leads', async (t) => {
  const bench = await startBench(t);
  const maxBytes = 8 * mebibyte;
  const a = await startNode(t, bench, 'a', { maxBytes });
  const b = await startNode(t, bench, 'b', { maxBytes });
  await fillUp(a);
  await b.owner.reach(a.owner.seq, 10_000);
  await assert.rejects(a.lane.enqueue(tickRecord(Date.now())));
  for (const node of [a, b]) await node.pass(minute);
  await hears(a, 0);
  await a.keeper.relieve();
  assert.equal(await firstSeq(bench), 1, 'the other node has no snapshots yet');
  await a.keeper.relieve();
  assert.equal(listSnapshots(a.dataDir, 'p00').length, 2);
  await hears(b, 0);
  await b.keeper.relieve();
  const { bytes } = await streamState(bench.journal, 'p00');
  assert.ok(bytes < maxBytes / 2, `${bytes} bytes are left`);
  await merge([a, b], 1, 2);
});

test('a nearly full stream is purged before a node that is away, and the node then fetches a snapshot', async (t) => {
  const bench = await startBench(t);
  const maxBytes = 8 * mebibyte;
  const a = await startNode(t, bench, 'a', { maxBytes, leads: true });
  const b = await startNode(t, bench, 'b', { maxBytes });
  await merge([a, b], 1, 2);
  await a.pass(minute);
  await hears(a, 0);
  await goAway(b, a);
  await a.pass(2 * minute);
  const padding = ' '.repeat(mebibyte / 4);
  const swell = async (mebibytes: number) => {
    for (let i = 0; i < mebibytes * 4; i++)
      await enqueueAndFold(a.owner, a.lane, [{ ...tickRecord(Date.now()), padding }]);
  };
  await swell(5);
  await a.keeper.relieve();
  assert.equal(await firstSeq(bench), 1, 'over half of the maximum, the stream waits for the node that is away');
  await swell(2);
  await a.keeper.relieve();
  const { bytes } = await streamState(bench.journal, 'p00');
  assert.ok(bytes < maxBytes / 2, `${bytes} bytes are left`);
  assert.match(await registry.getSingleMetricAsString('tidings_journal_overrun_total'), /partition="p00"\} 1/);
  const again = await startNode(t, bench, 'b', { dataDir: b.dataDir, maxBytes });
  await again.owner.reach(a.owner.seq, 10_000);
  assertEqual(again, a);
});

test('no byte of erased data is left on any node, nor in the journal', async (t) => {
  const bench = await startBench(t);
  const marker = 'planted-in-a-title';
  const a = await startNode(t, bench, 'a', { leads: true, pollMs: 50 });
  const b = await startNode(t, bench, 'b', { pollMs: 50 });
  const old = { at: Date.now() - 400 * dayMs };
  for (let number = 1; number <= 20; number++) {
    const pull = pullSnapshot(number, { title: `${marker} ${number}`, body: `${marker} `.repeat(50) });
    await enqueueAndFold(a.owner, a.lane, [eventRecord({ event: 'pull_request', action: 'closed', pull }, old)]);
  }
  await enqueueAndFold(a.owner, a.lane, [pullRecord(41, { at: Date.now() })]);
  await b.owner.reach(a.owner.seq, 10_000);
  for (const node of [a, b]) for (const _ of [1, 2]) await node.keeper.snapshot();
  for (const node of [a, b]) await node.pass(minute);
  const traces = () =>
    [a.dataDir, b.dataDir, join(bench.nats.dataDir, 'nats/jetstream')].map((f) => filesWith(f, marker));
  await keep(t, bench, a.owner).sweep();
  await b.owner.reach(a.owner.seq, 10_000);
  assert.ok(countErasures(a.owner.partition) > 0);
  assert.ok(traces().every((names) => names.length > 0));
  // The regular snapshot of the lead begins the removal. The other node follows, and the lead purges for both.
  await a.keeper.snapshot();
  const isClean = ({ owner: { partition } }: PartitionNode) =>
    readTrace(partition, 'purged') === countErasures(partition);
  await waitUntil('both nodes have removed all traces', () => isClean(a) && isClean(b));
  assert.deepEqual(traces(), [[], [], []]);
  assertEqual(a, b);
  assert.deepEqual([a.lost, b.lost], [[], []]);
});
