/**
 * Checks the fold of apps of hosts: an app comes and goes with its webhook secret, and a state is used up once.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listHostApps } from '../../../src/store/tables/host-apps.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { listSeals, replaceSeals } from '../../../src/store/tables/seals.ts';
import { listWebhookSecrets } from '../../../src/store/tables/webhook-secrets.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch } from '../../helpers/partition-records.ts';

const origin = 'https://scm.example';
const hour = 3_600_000;

function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  const run = async (command: object, at = epoch) => {
    const record = commandRecord(command as never, at);
    seq += 1;
    await foldRecords(directory, seq, record);
    return readResult(directory, record.id) as { ok: boolean; kind?: string; message?: string; value?: object };
  };
  const create = (appId = '1', secretId = `secret_${appId}`) => {
    const known = { origin, slug: 'tidings', name: 'Tidings', url: `${origin}/github-apps/tidings` };
    const app = { ...known, appId, sealed: `v1.key of ${appId}`, secretId, createdAt: 0 };
    const about = { id: secretId, origin, orgId: null, name: 'App Tidings', previous: [], createdAt: 0 };
    const secret = { ...about, sealed: `v1.secret of ${appId}`, rotatedAt: null };
    return run({ name: 'createHostApp', app, secret });
  };
  return { directory, run, create };
}

test('an app is stored with its webhook secret, and no result shows a sealed text', async (t) => {
  const { directory, create } = openDirectory(t);
  const { value } = await create();
  assert.deepEqual(value, {
    origin,
    id: '1',
    slug: 'tidings',
    name: 'Tidings',
    url: `${origin}/github-apps/tidings`,
    installUrl: `${origin}/github-apps/tidings/installations/new`,
    secretId: 'secret_1',
    createdAt: new Date(epoch).toISOString(),
  });
  assert.deepEqual(
    listWebhookSecrets(directory, null).map(({ id, orgId, createdAt }) => [id, orgId, createdAt]),
    [['secret_1', null, epoch]],
  );
  assert.doesNotMatch(JSON.stringify(rows(directory, 'results')), /v1\./);
});

test('a host has one app, and a refused one leaves nothing behind', async (t) => {
  const { directory, create } = openDirectory(t);
  await create('1');
  const second = await create('2');
  assert.deepEqual([second.ok, second.kind], [false, 'conflict']);
  assert.match(second.message ?? '', /already has the app Tidings\..* was not stored: delete it on the host/);
  assert.deepEqual(
    listHostApps(directory).map(({ appId }) => appId),
    ['1'],
  );
  assert.equal(listWebhookSecrets(directory, null).length, 1);
});

test('an app is refused while its host has the maximum of webhook secrets', async (t) => {
  const { directory, run, create } = openDirectory(t);
  for (const id of ['a', 'b', 'c', 'd']) {
    const secret = { id, origin, orgId: null, name: id, sealed: id, previous: [], createdAt: 0, rotatedAt: null };
    await run({ name: 'createWebhookSecret', secret });
  }
  assert.equal((await create()).kind, 'conflict');
  assert.equal(listHostApps(directory).length, 0);
});

test('removing an app ends its webhook secret, also if the secret was revoked before', async (t) => {
  const { directory, run, create } = openDirectory(t);
  await create();
  const { value } = await run({ name: 'removeHostApp', origin });
  assert.equal((value as { secretId: string }).secretId, 'secret_1');
  assert.deepEqual([listHostApps(directory), listWebhookSecrets(directory, null)], [[], []]);
  assert.equal((await run({ name: 'removeHostApp', origin })).kind, 'notFound');
  await create();
  await run({ name: 'revokeWebhookSecret', secretId: 'secret_1' });
  assert.equal((await run({ name: 'removeHostApp', origin })).ok, true);
});

test('a state is used up once, and its row goes after it has expired', async (t) => {
  const { directory, run } = openDirectory(t);
  const take = (stateId: string, at: number) => run({ name: 'takeAppState', stateId, until: epoch + hour }, at);
  assert.equal((await take('a', epoch)).ok, true);
  const again = await take('a', epoch + 1);
  assert.deepEqual(
    [again.kind, /state: expected a state that was not used/.test(again.message ?? '')],
    ['invalid', true],
  );
  assert.equal((await take('b', epoch + hour)).kind, 'invalid');
  assert.equal((await take('a', epoch + hour)).kind, 'invalid');
  assert.equal(rows(directory, 'hostAppStates').length, 0);
});

test('a new sealing key reseals the key of an app and its webhook secret', async (t) => {
  const { directory, create } = openDirectory(t);
  await create();
  const sealed = listSeals(directory).map((seal) => seal.sealed);
  assert.deepEqual(sealed.sort(), ['v1.key of 1', 'v1.secret of 1']);
  await directory.write(() => replaceSeals(directory, new Map(sealed.map((text) => [text, `new ${text}`]))));
  assert.deepEqual(
    listSeals(directory)
      .map((seal) => seal.sealed)
      .sort(),
    ['new v1.key of 1', 'new v1.secret of 1'],
  );
});
