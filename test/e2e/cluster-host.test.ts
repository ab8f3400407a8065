/**
 * Tests a new range on two machines. Only the lead of a partition asks the host, but a range that is created on any
 * machine contains what the host supplies.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { mergedBetween, theRepository } from '../helpers/backfill.ts';
import { clusterServer, noCluster } from '../helpers/cluster-options.ts';
import { startExternal } from '../helpers/external-nats.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { deliveriesOf } from '../helpers/host/deliveries.ts';
import { startHost } from '../helpers/host/server.ts';
import { Machines } from '../helpers/machines.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const tags = ['v1.0.0', 'v1.0.1', 'v2.0.0'];

test('a range on any machine contains the commits that only the host has', { skip: noCluster }, async (t) => {
  const port = await startExternal(t, '', undefined, '', clusterServer?.path);
  const host = await startHost(t, buildHistory({ numbers: 48 }), { token: 'secret-token' });
  const folder = temporaryFolder(t);
  const machines = new Machines(folder, port, {
    ...host.env,
    TIDINGS_PARTITIONS: '1',
    TIDINGS_WORKERS: '1',
    TIDINGS_RENDER_THREADS: '1',
    TIDINGS_TAG_SYNC_HOURS: '0',
  });
  const token = machines.makeToken('a');
  const start = (node: string) => startService(t, { dataDir: join(folder, node), env: machines.env(node) });
  const a = await start('a');
  const joined = machines.run(machines.env('b'), 'join', '--token', token);
  assert.equal(joined.status, 0, joined.output);
  const b = await start('b');
  for (const { event, payload } of deliveriesOf(host.history, host.place)) {
    const { ref } = payload as { ref?: string };
    if (event !== 'pull_request' && !(event === 'push' && tags.some((tag) => ref === `refs/tags/${tag}`))) continue;
    assert.equal((await a.deliver(event, payload)).status, 202);
  }
  const repoId = await theRepository(a);
  const merged = host.history.pulls.filter(({ mergedAt }) => mergedAt !== null).length;
  const numbers = { type: 'PR_BASED', repoId, fromPrNumber: 1, toPrNumber: 100 };
  for (const service of [a, b])
    await waitUntil('everything is folded', async () => {
      const known = (await service.api('GET', `/api/repos/${repoId}/tags`)).body.tags?.length === tags.length;
      return known && (await service.api('POST', '/api/ranges', numbers)).body.prCount === merged;
    });
  // One of the two machines leads the partition of the repository, and the other one does not.
  const pairs: [TestService, string, string][] = [
    [a, 'v1.0.0', 'v1.0.1'],
    [b, 'v1.0.1', 'v2.0.0'],
  ];
  for (const [service, fromTag, toTag] of pairs) {
    const { body } = await waitUntil('the host has answered in time', async () => {
      const since = performance.now();
      const answer = await service.api('POST', '/api/ranges', { type: 'TAG_BASED', repoId, fromTag, toTag });
      return performance.now() - since < 3000 && answer;
    });
    const expected = mergedBetween(host.history, fromTag, toTag).length;
    assert.deepEqual([body.resolution, body.prCount], ['compare', expected], `${fromTag}...${toTag}`);
  }
});
