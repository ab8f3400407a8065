/**
 * Tests the metrics that the alert rules use: readiness, free disk space, the age of snapshots, and the response time
 * of the API. The metrics of the journal come from all processes.
 */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { test } from 'node:test';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Returns the values of a metric by partition. */
async function byPartition(service: TestService, name: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const lines = text.matchAll(new RegExp(`^${name}\\{partition="(\\w+)"\\} (\\S+)$`, 'gm'));
  return new Map([...lines].map(([, partition, value]) => [partition as string, Number(value)]));
}

test('readiness, journal, disk, snapshots and API replies are measured', async (t) => {
  const service = await startService(t, { env: { TIDINGS_PARTITIONS: '2' } });
  const since = Date.now() / 1000;
  assert.equal(await service.metric('tidings_ready'), 1);
  // The supervisor, the gateway and each worker.
  assert.ok((await service.metric('tidings_journal_connected')) >= 3);
  const free = await service.metric('tidings_disk_free_bytes');
  const { blocks, bsize } = statfsSync(service.dataDir);
  assert.ok(free > 0 && free <= blocks * bsize, `${free} bytes are free of ${blocks * bsize}`);
  const name = 'tidings_snapshot_last_timestamp_seconds';
  const before = await waitUntil('each partition reports its snapshots', async () => {
    const found = await byPartition(service, name);
    return found.size === 3 && found;
  });
  assert.deepEqual([...before.values()], [0, 0, 0]);
  service.tidings('snapshot');
  await waitUntil('the new snapshots are reported', async () => {
    const times = [...(await byPartition(service, name)).values()];
    // File systems round times down to ticks. The time of a new file can therefore be slightly earlier than the clock
    // time of the write.
    return times.length === 3 && times.every((time) => time > since - 2 && time < Date.now() / 1000 + 2);
  });
  await service.api('GET', '/api/repos');
  await service.api('GET', '/api/repos', undefined, 'rn_live_wrong');
  await service.api('POST', '/api/keys', {});
  assert.equal(await service.metric('tidings_api_reply_seconds_count'), 3);
});
