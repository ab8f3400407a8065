/**
 * Checks who leads a partition. Two processes with stores of their own fold one stream. Claims in the stream decide
 * which of them leads, and a lead that falls silent is replaced.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ulid } from '../../src/foundation/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { ensureStream, streamState } from '../../src/journal/topology.ts';
import { readFoldVersion, readLead } from '../../src/store/tables/lead.ts';
import { readTime } from '../../src/store/tables/meta.ts';
import { foldVersion } from '../../workers/fold/lead.ts';
import { HandOver } from '../../workers/partition/hand-over.ts';
import { Lead, type LeadOptions } from '../../workers/partition/lead.ts';
import { PartitionOwner } from '../../workers/partition/owner.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { quiet } from '../helpers/journal.ts';
import { dump } from '../helpers/partition.ts';
import { type Bench, enqueueAndFold, feed, startBench } from '../helpers/partition-owner.ts';
import { claimRecord, pullRecord, tickRecord } from '../helpers/partition-records.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** One node: an owner with a store of its own, and its candidate for the lead. `clock` is its monotonic clock. */
interface Node {
  owner: PartitionOwner;
  lead: Lead;
  lane: Lane;
  clock: { ms: number };
  changes: string[];
  close(): Promise<void>;
}

const leaseMs = 15_000;

async function startNode(
  t: TestContext,
  { journal }: Bench,
  node: string,
  options: Partial<LeadOptions> = { leaseMs },
  name = 'p00',
  dataDir = join(temporaryFolder(t), 'data'),
): Promise<Node> {
  await ensureStream(journal, name, streamBytes);
  const clock = { ms: 0 };
  const changes: string[] = [];
  let lead: Lead | undefined;
  const owner = await PartitionOwner.open({
    ...{ dataDir, name, journal, logger: quiet },
    onCommitted: (_, heardTerm) => lead?.folded(heardTerm),
    onLost: (_, error) => void changes.push(error.name),
  });
  const lane = feed(journal, name);
  lead = new Lead({
    ...{ node, lane, logger: quiet, owner, now: () => clock.ms },
    onGained: () => void changes.push(`gained ${lead?.term}`),
    onLost: () => void changes.push('lost'),
    ...options,
  });
  const close = async () => {
    lead?.close();
    await lane.close();
    await owner.close();
  };
  afterwards(t, close);
  return { owner, lead, lane, clock, changes, close };
}

/** Starts two nodes, `one` and `two`, and waits until both know that `one` leads the partition. */
async function startPair(t: TestContext, given?: Bench, name = 'p00'): Promise<{ bench: Bench; one: Node; two: Node }> {
  const bench = given ?? (await startBench(t));
  const one = await startNode(t, bench, 'one', { leaseMs }, name);
  const two = await startNode(t, bench, 'two', { leaseMs }, name);
  one.lead.start();
  await waitUntil('the first node leads', () => one.lead.acts);
  await waitUntil('the other node has heard it', () => readLead(two.owner.partition)?.term === 1);
  return { bench, one, two };
}

/**
 * Waits until a node claims the partition of a lead that is silent. Its clock goes on meanwhile, because a node that
 * was frozen by a busy machine first reads the ticks of that time.
 */
async function claims({ lead, clock }: Node): Promise<void> {
  await waitUntil('it claims, because the lead stays silent', () => {
    clock.ms += 20;
    return lead.acts;
  });
}

test('on one machine, a process claims its partition at once, and its successor claims a higher term', async (t) => {
  const bench = await startBench(t);
  const dataDir = join(temporaryFolder(t), 'data');
  const first = await startNode(t, bench, 'local', { leaseMs: undefined }, 'p00', dataDir);
  first.lead.start();
  await waitUntil('the first process leads', () => first.lead.acts);
  assert.equal(first.lead.term, 1);
  await waitUntil('the fold version is raised', () => readFoldVersion(first.owner.partition) === foldVersion);
  first.clock.ms += 1e9;
  assert.ok(first.lead.acts, 'a lead without rivals never expires');
  await first.lead.tick();
  await first.close();
  const second = await startNode(t, bench, 'local', { leaseMs: undefined }, 'p00', dataDir);
  assert.equal(readLead(second.owner.partition)?.life, first.lead.life);
  assert.equal(second.lead.acts, false, 'the claim of the former process is not its own');
  second.lead.start();
  await waitUntil('the second process leads', () => second.lead.acts);
  assert.equal(second.lead.term, 2);
});

test('a node raises the fold version to 1, which every release for several machines knows, and no further', async (t) => {
  const bench = await startBench(t);
  const one = await startNode(t, bench, 'one');
  one.lead.start();
  await waitUntil('it leads', () => one.lead.acts);
  await waitUntil('the fold version is raised', () => readFoldVersion(one.owner.partition) === 1);
  assert.ok(foldVersion >= 1);
});

test('a process that starts with a backlog of claims leads when its own claim is folded', async (t) => {
  const bench = await startBench(t);
  await ensureStream(bench.journal, 'p00', streamBytes);
  const lane = feed(bench.journal);
  for (const term of [1, 2, 3]) await lane.enqueue(claimRecord(term, `former-${term}`));
  const node = await startNode(t, bench, 'local', { leaseMs: undefined });
  node.lead.start();
  await waitUntil('it leads', () => node.lead.acts);
  assert.ok((node.lead.term as number) > 3);
});

test('two nodes claim a partition that no one leads, one of them wins, and both have equal stores', async (t) => {
  const bench = await startBench(t);
  const [one, two] = [await startNode(t, bench, 'one'), await startNode(t, bench, 'two')];
  one.lead.start();
  two.lead.start();
  await waitUntil('one of them leads', () => one.lead.acts !== two.lead.acts);
  const [winner, loser] = one.lead.acts ? [one, two] : [two, one];
  assert.equal(winner.lead.term, 1);
  assert.equal(loser.lead.term, undefined);
  // The winner raises the fold version. The stores are compared when nothing more arrives.
  for (const { owner } of [one, two])
    await waitUntil('the fold version is raised', () => readFoldVersion(owner.partition) === 1);
  await enqueueAndFold(loser.owner, winner.lane, [pullRecord(1)]);
  await waitUntil('both are at one position', () => one.owner.seq === two.owner.seq);
  assert.equal(dump(one.owner.partition), dump(two.owner.partition));
});

test('a lead expires before others may claim, ticks renew it, and a silent lead is replaced', async (t) => {
  const { one, two } = await startPair(t);
  two.lead.start();
  one.clock.ms += leaseMs - 3001;
  assert.ok(one.lead.acts);
  one.clock.ms += 2;
  assert.equal(one.lead.acts, false, 'it stops 3 s before the end of the lease');
  two.clock.ms += leaseMs - 1000;
  await one.lead.tick();
  await waitUntil('the tick renews the lead', () => one.lead.acts);
  await waitUntil('the other node has heard the tick', () => two.owner.seq === one.owner.seq);
  two.clock.ms += leaseMs - 1000;
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal(readLead(two.owner.partition)?.term, 1, 'no one claims within the lease');
  two.clock.ms += 2000;
  await claims(two);
  await waitUntil('the first node has lost its lead', () => one.lead.term === undefined);
  assert.deepEqual(one.changes, ['gained 1', 'lost']);
  assert.deepEqual(two.changes, ['gained 2']);
});

test('the fold drops a tick of a lead that was replaced', async (t) => {
  const bench = await startBench(t);
  const [one, two] = [await startNode(t, bench, 'one'), await startNode(t, bench, 'two')];
  one.lead.start();
  await waitUntil('the first node leads', () => one.lead.acts);
  // The first node is frozen here: it does not fold the claim of the other node before it sends its tick.
  const lane = feed(bench.journal);
  await lane.enqueue(claimRecord(2, two.lead.life, 'two'));
  const at = Date.now() + 10_000_000;
  const { seq } = await lane.enqueue({ ...tickRecord(at), id: ulid(), term: 1 });
  for (const { owner } of [one, two]) {
    await waitUntil('the tick is read', () => owner.seq >= seq);
    assert.ok(readTime(owner.partition) < at);
  }
  assert.equal(two.lead.term, 2);
});

test('a lead is handed over without a gap, and the work of the former lead has ended before', async (t) => {
  const { bench, one, two } = await startPair(t);
  const handOvers = new Map<string, HandOver>();
  const steps: string[] = [];
  for (const [name, { owner, lead }] of Object.entries({ one, two })) {
    const handOver = new HandOver({ ...bench.journal, node: name }, quiet);
    handOvers.set(name, handOver);
    afterwards(t, () => handOver.stop());
    const endLeading = async () => void steps.push(`${name} ends, acts: ${lead.acts}`);
    handOver.add({ name: 'p00', owner, lead, endLeading, resumeLeading: () => void steps.push(`${name} resumes`) });
  }
  await bench.journal.connection.flush();
  assert.equal(await handOvers.get('two')?.handOver('p00'), false, 'only the lead can hand over');
  assert.equal(await handOvers.get('one')?.handOver('p00'), true);
  await waitUntil('the other node leads', () => two.lead.acts);
  await waitUntil('the first node does not lead', () => one.lead.term === undefined);
  assert.deepEqual(steps, ['one ends, acts: false']);
  assert.equal(readLead(one.owner.partition)?.node, 'two');
  handOvers.get('one')?.stop();
  await bench.journal.connection.flush();
  assert.equal(await handOvers.get('two')?.handOver('p00'), false, 'a process that stops is no candidate');
  assert.ok(two.lead.acts);
});

test('a lead that cannot be handed over resumes its work', async (t) => {
  const { bench, one, two } = await startPair(t);
  const steps: string[] = [];
  const [from, to] = ['one', 'two'].map((node) => new HandOver({ ...bench.journal, node }, quiet)) as [
    HandOver,
    HandOver,
  ];
  for (const handOver of [from, to]) afterwards(t, () => handOver.stop());
  // The journal accepts nothing while the work of the lead ends.
  const endLeading = () => one.lane.close();
  from.add({
    ...{ name: 'p00', endLeading },
    owner: one.owner,
    lead: one.lead,
    resumeLeading: () => steps.push('resumed'),
  });
  to.add({ ...{ name: 'p00', endLeading }, owner: two.owner, lead: two.lead, resumeLeading: () => {} });
  await bench.journal.connection.flush();
  assert.equal(await from.handOver('p00'), false);
  assert.deepEqual([steps, one.lead.acts], [['resumed'], true]);
});

test('a process that leads two partitions more than another hands one over', async (t) => {
  const bench = await startBench(t);
  const names = ['p00', 'p01', 'p02'];
  const from = new HandOver({ ...bench.journal, node: 'one' }, quiet);
  const to = new HandOver({ ...bench.journal, node: 'two' }, quiet);
  for (const handOver of [from, to]) afterwards(t, () => handOver.stop());
  const led: Node[] = [];
  for (const name of names) {
    const { one, two } = await startPair(t, bench, name);
    for (const [handOver, { owner, lead }] of [
      [from, one],
      [to, two],
    ] as const)
      handOver.add({ ...{ name, owner, lead }, endLeading: async () => {}, resumeLeading: () => {} });
    led.push(one);
  }
  await bench.journal.connection.flush();
  const count = () => led.filter(({ lead }) => lead.term !== undefined).length;
  await from.balance();
  await waitUntil('one is handed over', () => count() === 2);
  await from.balance();
  assert.equal(count(), 2, 'two to one is balanced');
});

test('a node whose clock is wrong hands its leads over, and gets none while another clock is right', async (t) => {
  const { bench, one, two } = await startPair(t);
  const offsets = { one: -31, two: 3600 };
  const handOverOf = (node: 'one' | 'two', { owner, lead }: Node): HandOver => {
    const handOver = new HandOver({ ...bench.journal, node }, quiet, async () => offsets[node]);
    afterwards(t, () => handOver.stop());
    handOver.add({ ...{ name: 'p00', owner, lead }, endLeading: async () => {}, resumeLeading: () => {} });
    return handOver;
  };
  const [from, to] = [handOverOf('one', one), handOverOf('two', two)];
  await bench.journal.connection.flush();
  await from.check();
  assert.ok(one.lead.acts, 'no node has a better clock, so the lead stays');
  offsets.two = 30;
  await to.check();
  await from.check();
  await waitUntil('the other node leads', () => two.lead.acts);
  await waitUntil('the first node does not lead', () => one.lead.term === undefined);
  assert.equal(await to.handOver('p00'), false, 'a node whose clock is wrong is no candidate');
  offsets.one = 0;
  await from.check();
  assert.equal(await to.handOver('p00'), true);
});

test('a lead whose fold does not move sends no further tick', async (t) => {
  const bench = await startBench(t);
  const one = await startNode(t, bench, 'one');
  one.lead.start();
  await waitUntil('it leads', () => one.lead.acts);
  await one.owner.close();
  await one.lead.tick();
  const { lastSeq } = await streamState(bench.journal, 'p00');
  one.clock.ms += leaseMs;
  for (let i = 0; i < 3; i++) await one.lead.tick();
  assert.equal((await streamState(bench.journal, 'p00')).lastSeq, lastSeq);
});

test('a node that was frozen reads the ticks of the lead before it claims', async (t) => {
  const bench = await startBench(t);
  const [one, two] = [await startNode(t, bench, 'one'), await startNode(t, bench, 'two')];
  one.lead.start();
  await waitUntil('the first node leads', () => one.lead.acts);
  await waitUntil('the fold version is raised', () => readFoldVersion(two.owner.partition) === 1);
  two.lead.start();
  const { lastSeq } = await streamState(bench.journal, 'p00');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2100);
  two.clock.ms += leaseMs + 1;
  await new Promise((resolve) => setTimeout(resolve, 1200));
  assert.equal((await streamState(bench.journal, 'p00')).lastSeq, lastSeq, 'it claims nothing yet');
  two.clock.ms += 5000;
  await claims(two);
});

test('a process that stops does not lead again, and a stopped partition is not handed to it', async (t) => {
  const { bench, one, two } = await startPair(t);
  const [from, to] = ['one', 'two'].map((node) => new HandOver({ ...bench.journal, node }, quiet)) as [
    HandOver,
    HandOver,
  ];
  for (const handOver of [from, to]) afterwards(t, () => handOver.stop());
  const work = { name: 'p00', endLeading: async () => {}, resumeLeading: () => {} };
  from.add({ ...work, owner: one.owner, lead: one.lead });
  to.add({ ...work, owner: two.owner, lead: two.lead });
  await bench.journal.connection.flush();
  two.lead.close();
  assert.equal(await from.handOver('p00'), false);
  assert.equal(await one.lead.cede({ node: 'two', life: two.lead.life }), true);
  await waitUntil('the claim is folded', () => readLead(two.owner.partition)?.node === 'two');
  assert.deepEqual(two.changes, []);
});

test('a lead that was lost during a hand-over can be gained again', async (t) => {
  const bench = await startBench(t);
  const one = await startNode(t, bench, 'one');
  one.lead.start();
  await waitUntil('it leads', () => one.lead.acts);
  one.lead.pause();
  await one.lane.enqueue(claimRecord(2, 'another', 'two'));
  await waitUntil('it has lost the lead', () => one.lead.term === undefined);
  await one.lane.enqueue(claimRecord(3, one.lead.life, 'one'));
  await waitUntil('it leads again', () => one.lead.acts);
});
