/**
 * Tests two machines on one NATS server: the second joins with a token, both accept webhooks and writes and show the same
 * data, and one of them leads each partition. A machine that does not fit is refused.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ClusterReport } from '../../src/cluster/status.ts';
import { clusterServer, noCluster } from '../helpers/cluster-options.ts';
import { startExternal } from '../helpers/external-nats.ts';
import { Machines } from '../helpers/machines.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('two machines serve the same data, and others are refused', { skip: noCluster }, async (t) => {
  const port = await startExternal(t, '', undefined, '', clusterServer?.path);
  const folder = temporaryFolder(t);
  const machines = new Machines(folder, port, {
    TIDINGS_PARTITIONS: '2',
    TIDINGS_LEAD_SECONDS: '12',
    TIDINGS_TIERS: '[{"name": "small", "apiPerMinute": 100, "apiOrgFactor": 0}]',
  });
  const envOf = machines.env.bind(machines);
  const cluster = machines.run.bind(machines);
  const start = (node: string, more: Record<string, string> = {}, waits = true) =>
    startService(t, { dataDir: join(folder, node), env: { ...envOf(node), ...more }, waits });

  const token = machines.makeToken('a');
  const early = cluster(envOf('b'), 'join', '--token', token);
  assert.match(early.output, /Node a, which made the token, is not running/);
  const copy = readFileSync(token);
  const a = await start('a');
  const joined = cluster(envOf('b'), 'join', '--token', token);
  assert.equal(joined.status, 0, joined.output);
  for (const secret of [a.adminKey, a.secret, readFileSync(join(folder, 'a', 'sealing-key'), 'utf8').trim()])
    assert.ok(!joined.output.includes(secret) && !a.log.includes(secret), 'no secret is shown');

  const snapshots = (partition: string) => join(folder, 'a', 'partitions', partition, 'snapshots');
  await waitUntil('a has taken a snapshot for the new machine', () =>
    ['directory', 'p00', 'p01'].every((name) => existsSync(snapshots(name)) && readdirSync(snapshots(name)).length > 0),
  );
  const b = await start('b');
  await t.test('a token works once, for a new data directory', () => {
    const used = join(folder, 'used.token');
    writeFileSync(used, copy);
    const again = cluster(envOf('c'), 'join', '--token', used);
    assert.deepEqual([again.status, existsSync(join(folder, 'c', 'admin-key'))], [1, false]);
    assert.match(again.output, /The token was used already/);
    assert.match(cluster(envOf('b'), 'join', '--token', used).output, /belongs to cluster \w+ already/);
    assert.match(cluster(envOf('b', 'd'), 'join', '--token', used).output, /A node with the name b is running/);
  });

  await t.test('a delivery to one machine is readable on the other, and a write too', async () => {
    const sent = await a.deliver('pull_request', pullPayload(1));
    assert.equal(sent.status, 202, JSON.stringify(sent.body));
    const repository = await waitUntil('b lists the repository', async () => {
      const { body } = await b.api('GET', '/api/repos');
      return body.repos[0] as { id: string } | undefined;
    });
    const made = await b.api('POST', '/api/keys', { name: 'made on b', org: 'acme', scopes: ['repos:read'] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await waitUntil('a accepts the key', async () => {
      const { status, body } = await a.api('GET', '/api/repos', undefined, made.body.key);
      return status === 200 && body.repos[0]?.id === repository.id;
    });
  });

  await t.test('exactly 100 of 400 requests pass, whichever machine gets them', async () => {
    const ask = (node: TestService, key: string) => node.api('GET', '/api/keys', undefined, key);
    const [acme] = (await a.api('GET', '/api/orgs')).body.organizations;
    assert.equal((await a.api('PATCH', `/api/orgs/${acme.id}`, { tier: 'small' })).status, 200);
    await waitUntil('b knows the tier', async () => {
      const { body } = await b.api('GET', '/api/orgs');
      return body.organizations[0].tier === 'small';
    });
    const made = await a.api('POST', '/api/keys', { name: 'limited', org: 'acme', scopes: ['*'] });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { key } = made.body;
    const countedAlone = async () =>
      (await a.metric('tidings_limits_local_total')) + (await b.metric('tidings_limits_local_total'));
    const before = await countedAlone();
    await waitUntil('b accepts the key', async () => (await ask(b, key)).status === 200);
    const replies = await Promise.all(Array.from({ length: 399 }, (_, i) => ask(i % 2 === 0 ? a : b, key)));
    const passed = 1 + replies.filter(({ status }) => status === 200).length;
    // If a machine stands still for a moment, the other one counts by itself.
    const alone = (await countedAlone()) - before;
    assert.ok(passed >= 100 && passed <= 100 + alone, `${passed} passed, ${alone} were counted alone`);
  });

  await t.test('each partition has one lead, and the states are equal', async () => {
    const report = await waitUntil('each partition has a lead', () => {
      const { output } = cluster(envOf('b'), 'status', '--json');
      const found = JSON.parse(output) as ClusterReport;
      return found.faults.length === 0 && found.partitions.every(({ nodes }) => nodes.length === 2) && found;
    });
    assert.deepEqual(
      report.nodes.map(({ node, ready }) => [node, ready]),
      [
        ['a', true],
        ['b', true],
      ],
    );
    for (const { leads } of report.partitions) assert.equal(leads.length, 1);
    assert.match(cluster(envOf('a'), 'upgrade').output, /folded by version 1, the highest/);
  });

  const leadsOf = (node: string) => {
    const { partitions } = JSON.parse(cluster(envOf('a'), 'status', '--json').output) as ClusterReport;
    return partitions.filter(({ leads }) => leads.includes(node)).length;
  };

  await t.test('a node hands over what it leads, on request and when it stops', async () => {
    const handOver = cluster(envOf('a'), 'hand-over', 'b');
    assert.equal(handOver.status, 0, handOver.output);
    await waitUntil('a leads all partitions', () => leadsOf('a') === 3);
    assert.equal(leadsOf('b'), 0);
    assert.match(cluster(envOf('a'), 'hand-over', 'x').output, /Node x did not answer for partition/);
    // The lease is 12 seconds, so the other node would still be waiting for its end.
    const begun = performance.now();
    const held = cluster(envOf('a'), 'hand-over');
    assert.equal(held.status, 1, 'b takes over nothing for ten minutes');
    assert.match(held.output, /It still leads directory, p00, p01|It still leads p00, p01, directory/);
    assert.ok(performance.now() - begun < 30_000);
    assert.equal(leadsOf('a'), 3);
  });

  await t.test('a machine with another secret does not start', async () => {
    await b.stop();
    await isRefused(await start('b', { TIDINGS_WEBHOOK_SECRETS: 'another secret' }, false), /the webhook secret: /);
    await a.stop();
    // No other node is running, so the directory decides.
    const other = { TIDINGS_WEBHOOK_SECRETS: 'another secret', TIDINGS_LOG_LEVEL: 'info' };
    const refused = await start('b', other, false);
    await isRefused(refused, /does not match the other nodes.*\n.*the webhook secret: /);
    assert.match(refused.log, /worker ready/);
    const lines = /partition is led by this process|gateway listens/;
    assert.doesNotMatch(refused.log, lines, 'it leads nothing and serves no one before it was compared');
  });

  await t.test('a machine that has left its cluster begins a new one with its data', async () => {
    rmSync(join(folder, 'a', 'cluster.json'));
    const { status, output } = cluster(envOf('a'), 'init');
    assert.equal(status, 0, output);
    const again = await start('a', { TIDINGS_WEBHOOK_SECRETS: 'a secret of the new cluster' });
    assert.equal(again.adminKey, a.adminKey);
    await isRefused(
      await start('b', {}, false),
      /the cluster: this data directory belongs to cluster .*, node a to cluster/,
    );
    await again.stop();
  });
});

async function isRefused(service: TestService, words: RegExp): Promise<void> {
  assert.equal(await service.exit(), 1, service.log);
  assert.match(service.log, words);
}
