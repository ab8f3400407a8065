/**
 * Tests that the service reports one version everywhere, that of package.json, and what it does with data of a newer
 * version.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { openPartition } from '../../src/store/partition.ts';
import { writeFoldVersion } from '../../src/store/tables/lead.ts';
import { foldVersion } from '../../workers/fold/lead.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

test('the service reports the version of its package', async (t) => {
  const service = await startService(t, { env: { TIDINGS_LOG_LEVEL: 'info' } });
  assert.match(version, /^\d+\.\d+\.\d+/);

  await t.test('/healthz of both ports reports the version', async () => {
    for (const url of [service.url, service.opsUrl]) {
      const response = await fetch(`${url}/healthz`);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.deepEqual([response.status, await response.json()], [200, { status: 'ok', version }]);
    }
  });

  await t.test('tidings_build_info appears once for any number of processes', async () => {
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
    const labels = `version="${version}",node="${process.versions.node}"`;
    assert.deepEqual(metrics.match(/^tidings_build_info.*$/gm), [`tidings_build_info{${labels}} 1`]);
  });

  await t.test('the first line of the log contains the version', () => {
    const [first = ''] = service.log.split('\n');
    const { msg, ...fields } = JSON.parse(first);
    assert.deepEqual([msg, fields.version, fields.node], ['starting', version, process.versions.node]);
  });

  await t.test('the OpenAPI document has this version and the version of the API (spec 9)', async () => {
    const { info } = (await service.api('GET', '/api/openapi.json')).body;
    assert.deepEqual([info.version, info['x-api-version']], [version, '1.0']);
  });
});

test('a data directory of newer fold rules stops every partition with an alarm', async (t) => {
  const first = await startService(t, { env: { TIDINGS_PARTITIONS: '1' } });
  await first.stop();
  const names = partitionNames(1);
  for (const name of names) {
    const partition = openPartition(first.dataDir, name);
    await partition.write(() => writeFoldVersion(partition, foldVersion + 1));
    await partition.close();
  }
  const service = await startService(t, { dataDir: first.dataDir, env: { TIDINGS_PARTITIONS: '1' }, waits: false });
  await waitUntil('each partition has its alarm', async () => {
    const reply = await fetch(`${service.opsUrl}/metrics`).catch(() => undefined);
    const text = (await reply?.text()) ?? '';
    return names.every((name) => text.includes(`tidings_partition_alarm{partition="${name}",cause="version"} 1`));
  });
  assert.match(service.log, /Install a newer version of Tidings on this node\./);
  const { status } = await fetch(`${service.opsUrl}/readyz`);
  assert.equal(status, 503);
  assert.equal(await service.metric('tidings_child_restarts_total'), 0);
});
