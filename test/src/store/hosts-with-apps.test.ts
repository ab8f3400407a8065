/** Checks that a stored app counts from its storing to its removal, and that an app of the settings has priority. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { pino } from 'pino';
import { loadSettings } from '../../../config/load.ts';
import { createSealer, type Sealer } from '../../../src/foundation/seal.ts';
import { type HostAppRecord, hostAppSealedFor } from '../../../src/protocol/host-apps.ts';
import { hostsWithApps } from '../../../src/store/hosts-with-apps.ts';
import { removeHostApp, writeHostApp } from '../../../src/store/tables/host-apps.ts';
import { openTestPartition } from '../../helpers/partition.ts';

const sealer = createSealer(randomBytes(32));
const origin = 'https://github.com';

function appFor(host: string, by: Sealer = sealer): HostAppRecord {
  const known = { slug: 'tidings', name: 'Tidings', url: `${host}/apps/tidings`, secretId: 's', createdAt: 0 };
  const id = { origin: host, appId: '7' };
  return { ...id, ...known, sealed: by.seal('the key', hostAppSealedFor(id)) };
}

function fixture(t: Parameters<typeof openTestPartition>[0], env: Record<string, string> = {}) {
  const partition = openTestPartition(t, 'directory');
  const lines: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const hosts = hostsWithApps({ settings: loadSettings(env), directory: () => partition, sealer, logger });
  const write = (app: HostAppRecord) => partition.write(() => writeHostApp(partition, app));
  return { partition, hosts, write, lines };
}

test('a stored app counts at once, and no longer after its removal', async (t) => {
  const { partition, hosts, write } = fixture(t);
  assert.equal(hosts[0]?.app, undefined);
  await write(appFor(origin));
  assert.deepEqual(hosts[0]?.app, { id: '7', key: 'the key' });
  await partition.write(() => removeHostApp(partition, appFor(origin)));
  assert.equal(hosts[0]?.app, undefined);
});

test('an app of the settings has priority, and a host of another kind has no app', async (t) => {
  const gitea = 'https://git.example.com';
  const { hosts, write } = fixture(t, {
    TIDINGS_HOST_APP_ID: '1',
    TIDINGS_HOST_APP_KEY_FILE: '/etc/app.pem',
    TIDINGS_HOSTS: JSON.stringify([{ origin: gitea, kind: 'gitea' }]),
  });
  for (const host of [origin, gitea]) await write(appFor(host));
  assert.deepEqual(
    hosts.map(({ app }) => app),
    [{ id: '1', keyFile: '/etc/app.pem' }, undefined],
  );
});

test('a key that does not open is reported once, and the host has no app', async (t) => {
  const { hosts, write, lines } = fixture(t);
  await write(appFor(origin, createSealer(randomBytes(32))));
  assert.deepEqual([hosts[0]?.app, hosts[0]?.app], [undefined, undefined]);
  assert.equal(lines.length, 1);
  assert.match(lines[0] as string, /cannot decrypt the private key of an app/);
});
