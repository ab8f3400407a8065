/** Tests that the service reports one version everywhere: that of package.json. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { startService } from '../helpers/service.ts';

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
