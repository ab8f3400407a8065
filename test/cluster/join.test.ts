/**
 * Lets a fourth node join a cluster whose journal was purged: it fetches the partitions from another node, and serves what
 * the others serve. Meanwhile the others accept deliveries.
 */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryId, ulid } from '../../src/foundation/ids.ts';
import { type PartitionName, partitionNames, partitionOfRepository } from '../../src/foundation/partition-names.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { purgeStream, streamState } from '../../src/journal/topology.ts';
import { currentGeneration, generationFolder } from '../../src/store/generation.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { cellsOf, printTable, showProgress, spreadOf } from '../helpers/cluster/figures.ts';
import { type Attempt, PacedDeliveries } from '../helpers/cluster/paced-deliveries.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { isLong, noCluster } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { feed } from '../helpers/partition-owner.ts';
import { pullRecord, pullSnapshot, repositoryFields } from '../helpers/partition-records.ts';
import { randomText, seeded } from '../helpers/random.ts';

const megabytes = isLong ? 500 : 4;
/** Size of the text of a pull request. With its other fields, it takes two pages of the store. */
const [textBytes, storedBytes] = [7000, 8192];
const perSecond = isLong ? 300 : 20;
const beforeMs = isLong ? 30_000 : 2000;
const maxServesMs = 60_000;
/** The maximum of the 99th percentile of replies during the join, as a multiple of that before it. */
const maxFactor = 2;
const origin = 'https://scm.example';
const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n';

test('a node joins a cluster whose journal was purged', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const maxBytes = Math.max(64, 4 * megabytes) * 1_048_576;
  const nodes = await Nodes.start(t, nats, { TIDINGS_JOURNAL_MAX_BYTES: String(maxBytes) });
  const count = Number(nodes.at(0).env.TIDINGS_PARTITIONS);
  const journal = await nats.connect(0);
  const load = new PacedDeliveries(nodes);
  await load.run(10, 500);
  const records = await fill(journal, partitionNames(count).slice(1), (done) => {
    showProgress(`${done} of ${megabytes} MB are in the journal`);
  });
  await nodes.settled();
  // The service purges only what its snapshots contain.
  const { code, output } = await nodes.at(0).run('snapshot');
  assert.equal(code, 0, output);
  for (const name of partitionNames(count)) {
    const { lastSeq } = await streamState(journal, name);
    await purgeStream(journal, name, lastSeq - 1);
    assert.ok((await streamState(journal, name)).firstSeq > 1, `${name} was purged`);
  }

  const before = await load.run(perSecond, beforeMs);
  const mark = load.attempts.length;
  load.begin(perSecond);
  const begun = performance.now();
  const snapshots = () => partitionNames(count).map((name) => listSnapshots(nodes.at(0).dataDir, name));
  const offered = snapshots();
  const joined = await nodes.add(t);
  const servesMs = performance.now() - begun;
  const during = load.attempts.slice(mark);
  await load.end();

  const { body } = await joined.api('GET', '/api/repos?limit=100');
  assert.ok(PacedDeliveries.repoIds.every((id) => body.repos.some((each: { id: string }) => each.id === id)));
  assert.equal(await joined.metric('tidings_snapshot_fetches_total'), partitionNames(count).length);
  assert.deepEqual(snapshots(), offered, 'a snapshot that can be continued is not taken again');
  const sizes = partitionNames(count).map((name) => sizeOf(joined.dataDir, name));
  const size = sizes.reduce((sum, bytes) => sum + bytes, 0) / 1_048_576;
  printTable(t, [
    ['202 replies', 'count', 'p50 ms', 'p99 ms', 'max ms'],
    ['before the join', ...cellsOf(times(before))],
    ['during the join', ...cellsOf(times(during))],
  ]);
  t.diagnostic(`the node serves ${size.toFixed(0)} MB with ${records} records after ${(servesMs / 1000).toFixed(1)} s`);
  assert.deepEqual([load.faults, load.failed], [[], 0]);
  if (isLong) {
    assert.ok(size >= megabytes, `${size.toFixed(0)} MB`);
    assert.ok(servesMs <= maxServesMs, `${servesMs.toFixed(0)} ms`);
    assert.ok(times(during).p99 <= maxFactor * times(before).p99, 'the others are not slower than twice');
  }
  await nodes.settled();
  assert.deepEqual(await load.missing(), []);
  await nodes.assertEqual();
});

/**
 * Enqueues pull requests with long texts, the same number in each partition. Returns the number of records.
 * @param onProgress called with the megabytes that were enqueued, each time a tenth more is there
 */
async function fill(
  journal: Journal,
  names: readonly PartitionName[],
  onProgress: (megabytes: number) => void,
): Promise<number> {
  const random = seeded(1);
  const text = randomText(random, alphabet, 10 * textBytes);
  const total = Math.ceil((megabytes * 1_048_576) / storedBytes);
  const lanes = names.map((name) => ({ lane: feed(journal, name), repository: repositoryIn(name, names.length) }));
  for (let done = 0; done < total; ) {
    const round = Math.min(1000, total - done);
    const enqueued = Array.from({ length: round }, (_, i) => {
      const number = done + i + 1;
      const start = random(9 * textBytes);
      const pull = pullSnapshot(number, { body: text.slice(start, start + textBytes) });
      const { lane, repository } = lanes[number % lanes.length] as (typeof lanes)[number];
      const body = { event: 'pull_request', action: 'closed', pull } as const;
      return lane.enqueue({ ...pullRecord(number), id: ulid(), repository, body });
    });
    await Promise.all(enqueued);
    const tenth = (n: number) => Math.floor((10 * n) / total);
    if (tenth(done + round) > tenth(done)) onProgress(Math.round((megabytes * (done + round)) / total));
    done += round;
  }
  for (const { lane } of lanes) await lane.close();
  return total;
}

/** Returns a repository of a partition. */
function repositoryIn(name: PartitionName, count: number) {
  for (let nth = 1; ; nth += 1) {
    const hostId = String(nth);
    const id = repositoryId(origin, hostId);
    if (partitionOfRepository(id, count) === name)
      return repositoryFields({ id, hostId, fullName: `acme/filled-${nth}` });
  }
}

function sizeOf(dataDir: string, name: PartitionName): number {
  return statSync(join(generationFolder(dataDir, name, currentGeneration(dataDir, name)), 'data.mdb')).size;
}

function times(attempts: readonly Attempt[]) {
  return spreadOf(attempts.filter(({ status }) => status === 202).map(({ ms }) => ms));
}
