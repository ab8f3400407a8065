/**
 * Measures how soon the nodes of a cluster show a delivery after its 202 reply, also after the death of a NATS server. A
 * read on another node that names the position of a write never shows an older state.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Positions } from '../../sdk/positions.ts';
import { cellsOf, median, printTable, showProgress, spreadOf } from '../helpers/cluster/figures.ts';
import { FollowerLag } from '../helpers/cluster/follower-lag.ts';
import { PacedDeliveries } from '../helpers/cluster/paced-deliveries.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { read, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** The rates, each with the maximum of the 99th percentile in milliseconds, which the long form checks. */
const rates = [
  { perSecond: 100, maxP99: 150 },
  { perSecond: 500, maxP99: 700 },
];
const measuredMs = isLong ? 60_000 : 2000;
/** An election takes up to nine seconds. */
const [maxAfterKill, maxMedianAfterKill] = [10_500, 7000];
const pairs = isLong ? 10_000 : 200;
const maxReadP99 = 250;

test('followers show deliveries soon, and no read is older than asked for', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats);
  const lag = new FollowerLag(t, nodes);
  const load = new PacedDeliveries(nodes, (accepted) => lag.add(accepted));
  await load.run(10, 1000);
  await lag.settled();

  await t.test('a delivery is readable on every node after its reply', async (each) => {
    const rows = [['per second', 'deliveries', 'p50 ms', 'p99 ms', 'max ms']];
    const late: string[] = [];
    for (const { perSecond, maxP99 } of rates) {
      await load.run(perSecond, measuredMs);
      const spread = spreadOf(await lag.settled());
      rows.push([String(perSecond), ...cellsOf(spread)]);
      showProgress(`${spread.count} deliveries at ${perSecond} per second`);
      assert.ok(spread.count > (perSecond * measuredMs) / 2000, `${spread.count} deliveries`);
      if (spread.p99 > maxP99) late.push(`p99 at ${perSecond}/s: ${spread.p99.toFixed(0)} ms`);
    }
    printTable(each, rows);
    if (isLong) assert.deepEqual(late, []);
  });

  const kills = rounds(0, 10);
  const only = kills === 0 && 'only in the long form: --long or --rounds=N';
  await t.test('a killed NATS server delays followers by one election', { skip: only }, async (each) => {
    const rows = [['killed server', 'deliveries', 'p50 ms', 'p99 ms', 'max ms']];
    const maxima: number[] = [];
    for (let round = 0; round < kills; round += 1) {
      const victim = round % nats.indexes.length;
      load.begin(50);
      await nats.kill(victim);
      await waitUntil('deliveries are accepted for ten seconds', acceptedFor(load, 10_000));
      await load.end();
      const spread = spreadOf(await lag.settled());
      rows.push([`n${victim}`, ...cellsOf(spread)]);
      maxima.push(spread.max);
      await nats.start(victim);
      await nats.healed();
      showProgress(`kill ${round + 1} of ${kills}: at most ${spread.max.toFixed(0)} ms`);
    }
    printTable(each, rows);
    if (!isLong) return;
    assert.ok(Math.max(...maxima) <= maxAfterKill, `max ${Math.max(...maxima).toFixed(0)} ms`);
    assert.ok(median(maxima) <= maxMedianAfterKill, `median ${median(maxima).toFixed(0)} ms`);
  });

  await t.test('a read that names a position shows the write', async (each) => {
    await writeAndRead(each, nodes, pairs);
  });

  assert.equal(load.failed, 0);
  await nodes.settled();
  assert.deepEqual(await load.missing(), []);
  await t.test('the check finds a delivery that no node has', async () => {
    const [accepted] = load.accepted;
    load.accepted.splice(0, 1, { ...(accepted as NonNullable<typeof accepted>), key: 'lost' });
    assert.deepEqual(await load.missing(), ['a lost', 'b lost', 'c lost']);
  });
  await nodes.assertEqual();
});

/** Returns whether deliveries were accepted since a time. */
function acceptedFor(load: PacedDeliveries, ms: number): () => boolean {
  const begun = performance.now();
  const before = load.accepted.length;
  return () => performance.now() - begun > ms && load.accepted.length > before;
}

/**
 * Writes on one node and reads on another one. Each of four clients replaces the settings of a repository of its own.
 * The last tenth of the reads name no position, which shows how often a state is older then.
 */
async function writeAndRead(t: TestContext, nodes: Nodes, count: number): Promise<void> {
  const ms: number[] = [];
  const found = { stale: 0, refused: 0, staleUnasked: 0 };
  const repoIds = PacedDeliveries.repoIds;
  const unasked = Math.ceil(count / 10);
  const client = async (at: number): Promise<void> => {
    const path = `/api/repos/${repoIds[at]}/settings`;
    for (let nth = at; nth < count + unasked; nth += repoIds.length) {
      const [writer, reader] = [nodes.at(nth % 3), nodes.at((nth + 1) % 3)];
      const positions = new Positions();
      const title = `Mended ${nth}`;
      const written = await send(writer, 'PUT', path, {}, { titles: { fix: title } });
      assert.equal(written.status, 200, JSON.stringify(written.body));
      positions.note(written.headers.get('tidings-position'));
      const asks = nth < count;
      const begun = performance.now();
      const answer = await send(reader, 'GET', path, asks ? positions.headers() : {});
      if (asks) ms.push(performance.now() - begun);
      if (nth % 1000 === 999) showProgress(`${nth + 1} of ${count + unasked} reads`);
      if (answer.status !== 200) found.refused += 1;
      else if (answer.body.titles.fix !== title) found[asks ? 'stale' : 'staleUnasked'] += 1;
    }
  };
  await Promise.all(repoIds.map((_, at) => client(at)));
  printTable(t, [
    ['reads that name a position', 'stale', 'refused', 'p50 ms', 'p99 ms', 'max ms'],
    [String(count), String(found.stale), String(found.refused), ...cellsOf(spreadOf(ms)).slice(1)],
  ]);
  t.diagnostic(`${found.staleUnasked} of ${unasked} reads without a position were older than the write`);
  assert.deepEqual([found.stale, found.refused], [0, 0]);
  if (isLong) assert.ok(spreadOf(ms).p99 <= maxReadP99, `p99 ${spreadOf(ms).p99.toFixed(0)} ms`);
}

async function send(service: TestService, method: string, path: string, more: object, body?: object) {
  const headers = {
    authorization: `Bearer ${service.adminKey}`,
    ...(body && { 'content-type': 'application/json' }),
    ...more,
  };
  return read(await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
}
