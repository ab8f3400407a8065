/**
 * Tests the change of the sealing key. The file `sealing-key` lists the new key first and the former key second. At the
 * next start, the service seals all stored secrets again and keeps the digests unchanged. After that, the former key
 * can be removed from the file.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { directoryName } from '../../src/foundation/partition-names.ts';
import { Readers } from '../../src/store/readers.ts';
import { listSeals } from '../../src/store/tables/seals.ts';
import { addressDigest } from '../../src/store/tables/suppressions.ts';
import { openSealer } from '../../src/supervisor/first-start.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const acme = { id: 1001, full_name: 'acme/rocket', owner: { login: 'acme', id: 77 } };

/** Reads the directory partition from disk and returns all sealed values in this partition. */
async function seals(service: TestService): Promise<string[]> {
  const readers = new Readers(service.dataDir);
  const directory = readers.fresh(directoryName);
  const found = directory ? listSeals(directory).map(({ sealed }) => sealed) : [];
  await readers.close();
  return found;
}

test('a new key in the first line of the file replaces the sealing key', async (t) => {
  const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8' };
  const service = await startService(t, { env });
  await service.deliver('pull_request', pullPayload(1, {}, acme));
  const orgId = await waitUntil('the organization is known', async () => {
    const { body } = await service.api('GET', '/api/repos');
    return body.repos[0]?.orgId as string | undefined;
  });
  const made = await service.api('POST', '/api/webhook-secrets', { name: 'a', org: 'acme' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const rotated = await service.api('POST', `/api/webhook-secrets/${made.body.id}/rotate`, { overlapHours: 24 });
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
  const endpoint = { url: 'http://127.0.0.1:9/hook?token=x', org: 'acme' };
  assert.equal((await service.api('POST', '/api/webhook-endpoints', endpoint)).status, 201);
  const settingsOfChat = { settings: { webhookUrl: 'https://chat.example/hooks/secret-path' } };
  assert.equal((await service.api('PUT', `/api/channels/workspace_chat?orgId=${orgId}`, settingsOfChat)).status, 200);
  const before = await seals(service);
  assert.equal(before.length, 5);
  const settings = () => loadSettings({ TIDINGS_DATA_DIR: service.dataDir });
  const digest = addressDigest(openSealer(settings()), orgId, 'ada@example.org');
  await service.stop();

  const file = join(service.dataDir, 'sealing-key');
  const [former, fresh] = [readFileSync(file, 'utf8').trim(), randomBytes(32).toString('base64')];
  writeFileSync(file, `${fresh}\n${former}\n`);
  const again = await startService(t, { env, dataDir: service.dataDir });
  const sealer = openSealer(settings());
  const after = await waitUntil('everything is sealed with the new key', async () => {
    const found = await seals(again);
    return found.every((sealed) => sealer.isCurrent(sealed)) && found;
  });
  assert.equal(after.length, 5);
  assert.deepEqual(
    after.filter((sealed) => before.includes(sealed)),
    [],
  );
  await again.stop();

  writeFileSync(file, `${fresh}\n`);
  const alone = await startService(t, { env, dataDir: service.dataDir });
  const payload = JSON.stringify(pullPayload(2, {}, acme));
  const signature = `sha256=${createHmac('sha256', made.body.secret).update(payload).digest('hex')}`;
  const headers = { 'x-hub-signature-256': signature };
  assert.equal(
    (await alone.deliver('pull_request', pullPayload(2, {}, acme), headers)).status,
    202,
    'the former text too, within its overlap',
  );
  assert.equal(await alone.metric('tidings_seals_unreadable_total'), 0);
  assert.match(alone.tidings('doctor'), /✓ sealing key decrypts all 5 stored secrets/);
  assert.equal(addressDigest(openSealer(settings()), orgId, 'ada@example.org'), digest, 'unsubscriptions stay known');
});
