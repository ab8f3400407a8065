/**
 * Replaces the program of a cluster node by node under load, first by a newer build and, before its fold rules are in
 * force, back. Nothing is lost or refused. A build that does not know the rules in force stops its partitions.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { Readers } from '../../src/store/readers.ts';
import { countDeadLetters } from '../../src/store/tables/dead-letters.ts';
import { readFoldVersion } from '../../src/store/tables/lead.ts';
import { type Build, makeBuilds } from '../helpers/cluster/builds.ts';
import { cellsOf, printTable, showProgress, spreadOf } from '../helpers/cluster/figures.ts';
import { PacedDeliveries } from '../helpers/cluster/paced-deliveries.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const perSecond = isLong ? 200 : 40;

test('nodes are upgraded one by one under load', { skip: noCluster }, async (t) => {
  const { older, newer, counter } = await makeBuilds(t);
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats, { TIDINGS_LEAD_SECONDS: '12' }, { program: older.program });
  const load = new PacedDeliveries(nodes);
  await load.run(10, 500);
  const writes = new Writes(nodes);
  load.begin(perSecond);
  writes.begin();
  const raises = newer.foldVersion > older.foldVersion;

  await t.test('the newer build takes over node by node, and the older one again', async (each) => {
    for (let round = 0; round < rounds(0, 3); round += 1) {
      await roll(t, each, nodes, newer);
      await roll(t, each, nodes, older);
    }
    await roll(t, each, nodes, newer, async (replaced) => {
      if (!raises || replaced === nodes.services.length) return;
      const { code, output } = await nodes.at(0).run('cluster', 'upgrade');
      assert.equal(code, 1, output);
      assert.match(output, new RegExp(`knows fold version ${older.foldVersion}, but another node knows`));
    });
    assert.deepEqual(
      versionsIn(nodes),
      versionsIn(nodes).map(() => older.foldVersion),
    );
  });

  const same = !raises && `both builds know fold version ${newer.foldVersion}`;
  await t.test('the fold rules are raised on all nodes at the same record', { skip: same }, async (each) => {
    const { code, output } = await nodes.at(1).run('cluster', 'upgrade');
    assert.equal(code, 0, output);
    assert.deepEqual(
      versionsIn(nodes),
      versionsIn(nodes).map(() => newer.foldVersion),
    );
    await pause(1000);
    await load.end();
    await writes.end();
    await nodes.settled();
    await nodes.assertEqual();
    if (counter === undefined) return;
    for (const [name, folded] of inStores(nodes, (store) => Number(store.tables.meta.get(counter) ?? 0))) {
      assert.ok(folded > 0, name);
      if (name.endsWith(' a')) each.diagnostic(`${name}: ${folded} messages were folded by the new rules`);
    }
  });

  await load.end();
  await writes.end();
  await t.test('nothing is lost, set aside or refused', async (each) => {
    await nodes.settled();
    assert.deepEqual([load.faults, load.failed, writes.faults], [[], 0, []]);
    assert.deepEqual(await load.missing(), []);
    for (const [name, letters] of inStores(nodes, countDeadLetters)) assert.equal(letters, 0, name);
    await nodes.assertEqual();
    const broken = load.attempts.filter(({ isOfStopped, status }) => isOfStopped && status !== 202);
    printTable(each, [
      ['requests', 'count', 'p50 ms', 'p99 ms', 'max ms'],
      ['deliveries', ...cellsOf(spreadOf(load.attempts.map(({ ms }) => ms)))],
      ['writes', ...cellsOf(spreadOf(writes.ms))],
    ]);
    each.diagnostic(`${broken.length} deliveries to a node that was stopping were repeated at another node`);
  });

  await t.test('a build that does not know the rules stops, and a newer one continues', { skip: same }, async () => {
    await refusesNewerRules(t, nodes, older);
    await nodes.restart(t, 2, newer.program);
    await nodes.settled();
    await nodes.assertEqual();
  });
});

/**
 * Stops each node as an operator does, and starts it with another build.
 * @param afterEach called with the number of nodes that run the build
 */
async function roll(
  t: TestContext,
  each: TestContext,
  nodes: Nodes,
  { program, version }: Build,
  afterEach: (replaced: number) => Promise<void> = async () => {},
): Promise<void> {
  const begun = performance.now();
  for (const i of nodes.services.keys()) {
    await nodes.stop(i);
    await nodes.restart(t, i, program);
    await afterEach(i + 1);
    showProgress(`node ${i} runs ${version}`);
  }
  await waitUntil('all nodes run the build', async () => {
    const { nodes: now } = await nodes.report();
    return now.length === nodes.services.length && now.every((node) => node.ready && node.version === version);
  });
  each.diagnostic(`all nodes run ${version} after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** Starts the last node with a build that does not know the rules in force, and stops it again. */
async function refusesNewerRules(t: TestContext, nodes: Nodes, { program, foldVersion }: Build): Promise<void> {
  const last = nodes.at(2);
  await nodes.stop(2);
  const { env, dataDir } = last;
  const old = await startService(t, { dataDir, env, program, waits: false });
  const alarms = await waitUntil('all partitions stop', () => alarmsOf(old), 120_000).catch((error: Error) =>
    assert.fail(`${error.message}\n${old.log}`),
  );
  for (const alarm of alarms) assert.match(alarm, /cause="version"/);
  assert.match(old.log, new RegExp(`knows the rules up to version ${foldVersion}`));
  const { status } = await fetch(`${old.opsUrl}/readyz`);
  assert.equal(status, 503);
  const served = await old.api('GET', '/api/repos').catch(() => undefined);
  assert.notEqual(served?.status, 200);
  await old.stop();
}

/** Returns the alarms of a node, if each partition has one. */
async function alarmsOf({ opsUrl }: TestService): Promise<string[] | false> {
  const text = await fetch(`${opsUrl}/metrics`).then(
    (reply) => reply.text(),
    () => '',
  );
  const found = [...text.matchAll(/^tidings_partition_alarm\{(.*)\} 1$/gm)].map((match) => match[1] as string);
  return found.length === partitionNames(2).length && found;
}

/** Returns the fold version of each partition on each node. */
function versionsIn(nodes: Nodes): number[] {
  return inStores(nodes, readFoldVersion).map(([, version]) => version);
}

/** Reads a value in the store of each partition on each node. */
function inStores(
  nodes: Nodes,
  readValue: (store: NonNullable<ReturnType<Readers['fresh']>>) => number,
): [name: string, value: number][] {
  return nodes.services.flatMap(({ dataDir, env }) => {
    const readers = new Readers(dataDir);
    const values = partitionNames(Number(env.TIDINGS_PARTITIONS)).map((name): [string, number] => {
      const store = readers.fresh(name) ?? assert.fail(`${env.TIDINGS_NODE} has no partition ${name}`);
      return [`${name} on node ${env.TIDINGS_NODE}`, readValue(store)];
    });
    void readers.close();
    return values;
  });
}

/** Writes and reads settings on all nodes in turn. */
class Writes {
  readonly faults: string[] = [];
  readonly ms: number[] = [];
  private readonly nodes: Nodes;
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(nodes: Nodes) {
    this.nodes = nodes;
  }

  begin(): void {
    this.running = this.write();
  }

  async end(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  private async write(): Promise<void> {
    const [repoId] = PacedDeliveries.repoIds;
    for (let nth = 0; !this.stopped; nth += 1) {
      const { live } = this.nodes;
      const i = live[nth % live.length] as number;
      const begun = performance.now();
      const body = { titles: { fix: `Mended ${nth}` } };
      const status = await this.nodes
        .at(i)
        .api('PUT', `/api/repos/${repoId}/settings`, body)
        .then((reply) => reply.status)
        .catch(() => 0);
      this.ms.push(performance.now() - begun);
      if (status !== 200 && this.nodes.live.includes(i))
        this.faults.push(`node ${i} replied ${status} to write ${nth}`);
      await pause(50);
    }
  }
}
