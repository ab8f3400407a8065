/**
 * Checks the fold of webhook secrets that are bound to a host or an organization: sealed secrets are stored, moved and
 * removed, and no result contains them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { WebhookSecretRecord } from '../../../src/protocol/commands.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { listWebhookSecrets, readWebhookSecret, webhookSecretsOf } from '../../../src/store/tables/webhook-secrets.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch } from '../../helpers/partition-records.ts';

const origin = 'https://scm.example';
const hour = 3_600_000;

async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  const run = async (command: object, at = epoch) => {
    const record = commandRecord(command as never, at);
    seq += 1;
    await foldRecords(directory, seq, record);
    return readResult(directory, record.id);
  };
  await run({ name: 'nameOrganisation', origin, login: 'acme' });
  const orgId = organizationByLogin(directory, origin, 'acme')?.id as string;
  const create = (id: string, fields: Partial<WebhookSecretRecord> = {}, at = epoch) => {
    const known = { id, origin, orgId, name: id, sealed: `v1.of ${id}`, previous: [], createdAt: 0, rotatedAt: null };
    return run({ name: 'createWebhookSecret', secret: { ...known, ...fields } }, at);
  };
  const rotate = (secretId: string, sealed: string, overlapMs: number, at: number) =>
    run({ name: 'rotateWebhookSecret', secretId, sealed, overlapMs }, at);
  return { directory, run, orgId, create, rotate };
}

test('stores secrets by host and organization, newest first', async (t) => {
  const { directory, create, orgId } = await openDirectory(t);
  await create('secret_1');
  await create('secret_2');
  await create('secret_3', { orgId: null });
  const ids = (of: string | null, where = origin) => webhookSecretsOf(directory, where, of).map(({ id }) => id);
  assert.deepEqual(ids(orgId), ['secret_2', 'secret_1']);
  assert.deepEqual(ids(null), ['secret_3']);
  assert.deepEqual(ids(null, `${origin}.other`), []);
  assert.equal(listWebhookSecrets(directory, null).length, 3);
  assert.equal(listWebhookSecrets(directory, orgId).length, 2);
});

test('refuses an unknown organization and one of another host', async (t) => {
  const { directory, create } = await openDirectory(t);
  for (const fields of [{ orgId: 'org_none' }, { origin: 'https://other.example' }]) {
    const result = await create('secret_1', fields);
    assert.deepEqual([result?.ok, (result as { kind?: string }).kind], [false, 'notFound']);
  }
  assert.equal(listWebhookSecrets(directory, null).length, 0);
});

test('a rotation keeps old texts until their overlap ends', async (t) => {
  const { directory, create, rotate } = await openDirectory(t);
  await create('secret_1', { sealed: 'first' });
  await rotate('secret_1', 'second', hour, epoch + 1);
  await rotate('secret_1', 'third', 2 * hour, epoch + 2);
  const { sealed, previous } = readWebhookSecret(directory, 'secret_1') as WebhookSecretRecord;
  assert.deepEqual(
    [sealed, previous],
    [
      'third',
      [
        { sealed: 'second', until: epoch + 2 + 2 * hour },
        { sealed: 'first', until: epoch + 1 + hour },
      ],
    ],
  );
  await rotate('secret_1', 'fourth', hour, epoch + 1 + hour);
  const later = readWebhookSecret(directory, 'secret_1') as WebhookSecretRecord;
  assert.deepEqual(
    later.previous.map((each) => each.sealed),
    ['third', 'second'],
    'what has ended goes',
  );
  await rotate('secret_1', 'fifth', 0, epoch + 2 + hour);
  const last = readWebhookSecret(directory, 'secret_1') as WebhookSecretRecord;
  assert.deepEqual([last.sealed, last.previous, last.rotatedAt], ['fifth', [], epoch + 2 + hour]);
});

test('counts the texts of one owner, including old ones', async (t) => {
  const { create, rotate } = await openDirectory(t);
  for (const id of ['secret_1', 'secret_2', 'secret_3']) assert.ok((await create(id))?.ok);
  assert.ok((await rotate('secret_1', 'new', hour, epoch))?.ok);
  assert.deepEqual((await create('secret_4')) as object, {
    ok: false,
    kind: 'conflict',
    message:
      'An organization or a host has at most 4 valid webhook secrets at a time, including old ones after a rotation. Revoke one, or rotate without overlap.',
  });
  assert.equal((await rotate('secret_2', 'new', hour, epoch))?.ok, false);
  assert.ok((await create('secret_5', { orgId: null }))?.ok, 'a whole host has its own count');
  assert.ok((await create('secret_4', {}, epoch + hour))?.ok, 'the overlap has ended');
});

test('a revoked secret leaves no rows', async (t) => {
  const { directory, create, run } = await openDirectory(t);
  await create('secret_1');
  const revoke = { name: 'revokeWebhookSecret', secretId: 'secret_1' };
  assert.deepEqual(await run(revoke), { ok: true, value: { id: 'secret_1', revokedAt: '2026-01-01T00:00:00.000Z' } });
  assert.deepEqual([rows(directory, 'webhookSecrets'), rows(directory, 'webhookSecretsByOwner')], [[], []]);
  assert.equal(((await run(revoke)) as { kind?: string }).kind, 'notFound');
});

test('no result contains a sealed text', async (t) => {
  const { directory, create, rotate } = await openDirectory(t);
  await create('secret_1');
  await rotate('secret_1', 'v1.another', hour, epoch);
  const results = JSON.stringify(rows(directory, 'results'));
  assert.match(results, /secret_1/);
  assert.doesNotMatch(results, /v1\.|sealed/);
});
