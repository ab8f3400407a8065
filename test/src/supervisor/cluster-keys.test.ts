/**
 * Tests how the keys of a cluster get from the data directory of a node to that of a new machine, and what a data
 * directory must not contain before.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import type { Settings } from '../../../config/schema.ts';
import {
  clusterKeys,
  requireNewDataDir,
  storeClusterKeys,
  writeClusterFile,
} from '../../../src/supervisor/cluster-keys.ts';
import { identityInUse, identityOf, openSealer, prepareDataDir } from '../../../src/supervisor/first-start.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

function settingsOf(t: TestContext, env: Record<string, string> = {}, dataDir = temporaryFolder(t)): Settings {
  return loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_NODE: 'a', TIDINGS_NATS_URL: 'nats://127.0.0.1:1', ...env });
}

/** Makes the data directory of a first node. Returns its settings as the running service has them. */
function makeNode(t: TestContext, env: Record<string, string> = {}): Settings {
  const settings = settingsOf(t, { TIDINGS_PARTITIONS: '3', ...env });
  const { webhookSecrets } = prepareDataDir(settings, true);
  writeClusterFile(settings.dataDir, 'c1');
  return { ...settings, webhookSecrets: [...webhookSecrets] };
}

const names = ['admin-key', 'cluster.json', 'digest-key', 'partition-count', 'sealing-key', 'webhook-secret'];

test('a new machine gets the same identity, in files that only their owner can read', (t) => {
  const first = makeNode(t);
  const second = settingsOf(t);
  requireNewDataDir(second.dataDir);
  storeClusterKeys(second, clusterKeys(first));
  assert.deepEqual(readdirSync(second.dataDir).sort(), names);
  for (const name of names) {
    const file = join(second.dataDir, name);
    assert.equal(statSync(file).mode & 0o777, 0o600, name);
    const isEqual = readFileSync(file, 'utf8') === readFileSync(join(first.dataDir, name), 'utf8');
    assert.ok(isEqual, name);
  }
  const again = settingsOf(t, {}, second.dataDir);
  assert.equal(again.partitions, 3);
  const { webhookSecrets } = prepareDataDir(again);
  assert.deepEqual(identityOf({ ...again, webhookSecrets: [...webhookSecrets] }), identityOf(first));
});

test('keys that are set on both machines get no file', (t) => {
  const env = {
    TIDINGS_SEALING_KEY: randomBytes(32).toString('base64'),
    TIDINGS_WEBHOOK_SECRETS: 'a new secret,an old secret',
  };
  const first = makeNode(t, env);
  const second = settingsOf(t, env);
  storeClusterKeys(second, clusterKeys(first));
  assert.ok(!existsSync(join(second.dataDir, 'sealing-key')) && !existsSync(join(second.dataDir, 'webhook-secret')));
  assert.deepEqual(identityOf({ ...second, partitions: 3 }), identityOf(first));
});

test('all sealing keys and a changed digest key are handed over', (t) => {
  const first = makeNode(t);
  const file = join(first.dataDir, 'sealing-key');
  const sealed = openSealer(first).seal('text', ['place']);
  const mac = openSealer(first).mac('text', ['place']);
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n${readFileSync(file, 'utf8')}`);
  prepareDataDir(first);
  const second = settingsOf(t);
  storeClusterKeys(second, clusterKeys(first));
  const sealer = openSealer(second);
  assert.equal(sealer.open(sealed, ['place']), 'text');
  assert.equal(sealer.mac('text', ['place']), mac);
});

test('a machine whose settings contradict the keys stores nothing', (t) => {
  const first = makeNode(t);
  for (const [env, words] of [
    [{ TIDINGS_WEBHOOK_SECRETS: 'another secret' }, /the webhook secret: /],
    [{ TIDINGS_SEALING_KEY: randomBytes(32).toString('base64') }, /the digest key: /],
  ] as const) {
    const second = settingsOf(t, env);
    assert.throws(() => storeClusterKeys(second, clusterKeys(first)), words);
    assert.deepEqual(readdirSync(second.dataDir), []);
  }
});

test('a data directory with keys, stores or a cluster is not new', (t) => {
  const first = makeNode(t);
  assert.throws(() => requireNewDataDir(first.dataDir), /belongs to cluster c1 already/);
  rmSync(join(first.dataDir, 'cluster.json'));
  for (const name of names.filter((each) => each !== 'cluster.json')) {
    const dataDir = temporaryFolder(t);
    requireNewDataDir(dataDir);
    writeFileSync(join(dataDir, name), '');
    assert.throws(() => requireNewDataDir(dataDir), new RegExp(`${name} exists.*tidings cluster init`));
  }
  const stores = temporaryFolder(t);
  mkdirSync(join(stores, 'partitions'));
  requireNewDataDir(stores);
  mkdirSync(join(stores, 'partitions', 'p00'));
  assert.throws(() => requireNewDataDir(stores), /partitions exists/);
});

test('a node never makes a secret of its own', (t) => {
  for (const name of ['admin-key', 'sealing-key', 'webhook-secret']) {
    const node = makeNode(t);
    rmSync(join(node.dataDir, name));
    const settings = settingsOf(t, {}, node.dataDir);
    assert.throws(() => prepareDataDir(settings), new RegExp(`${name} is missing. Copy it from another node`));
    assert.ok(!existsSync(join(node.dataDir, name)));
  }
});

test('a running node knows a rotated admin key at once, and a new sealing key only after a start', (t) => {
  const node = makeNode(t);
  const before = identityOf(node);
  const inUse = identityInUse(node);
  const file = join(node.dataDir, 'sealing-key');
  writeFileSync(file, `${readFileSync(file, 'utf8')}${randomBytes(32).toString('base64')}\n`);
  assert.deepEqual(inUse?.(), before);
  assert.equal(identityOf(node)?.sealingKeys.length, 2);
  writeFileSync(join(node.dataDir, 'admin-key'), 'rn_live_another\n');
  assert.notEqual(inUse?.().adminKey, before?.adminKey);
  assert.deepEqual(inUse?.().sealingKeys, before?.sealingKeys);
});
