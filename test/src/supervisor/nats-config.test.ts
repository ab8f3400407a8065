/**
 * Tests the configuration of the supervised nats-server, for several versions of the server.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { journalKeysFolder, makeJournalKeys, usersOf } from '../../../src/journal/keys.ts';
import { journalRoles } from '../../../src/journal/roles.ts';
import { natsConfig } from '../../../src/supervisor/nats-config.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('leaves out the options that older servers refuse', (t) => {
  const dataDir = temporaryFolder(t);
  makeJournalKeys(dataDir, writeFileSync);
  const has = (version: string) => {
    const text = natsConfig(dataDir, version, usersOf(dataDir));
    return [/^ +sync_interval: always$/m, /^ +handshake_first: true$/m, /^tls \{$/m].map((line) => line.test(text));
  };
  assert.deepEqual(has('2.9.10'), [false, false, true]);
  assert.deepEqual(has('2.10.3'), [true, false, true]);
  assert.deepEqual(has('2.10.4'), [true, true, true]);
  assert.deepEqual(has('2.12.1'), [true, true, true]);
});

test('names each role by its public key and holds no secret', (t) => {
  const dataDir = temporaryFolder(t);
  makeJournalKeys(dataDir, writeFileSync);
  const text = natsConfig(dataDir, '2.10.27', usersOf(dataDir));
  assert.equal(text.match(/"nkey": "U[A-Z2-7]{55}"/g)?.length, journalRoles.length);
  for (const file of readdirSync(journalKeysFolder(dataDir))) {
    const secret = readFileSync(join(journalKeysFolder(dataDir), file), 'utf8').trim();
    assert.ok(!text.includes(secret), file);
  }
});

test('makes missing key files, and each new key changes the configuration', (t) => {
  const dataDir = temporaryFolder(t);
  const folder = journalKeysFolder(dataDir);
  const make = () => makeJournalKeys(dataDir, writeFileSync).map((file) => file.slice(folder.length + 1));
  const seeds = journalRoles.map((role) => `${role}.nk`);
  assert.deepEqual(make(), [...seeds, 'server-key.pem', 'server-cert.pem']);
  assert.deepEqual(make(), []);
  const configs = [natsConfig(dataDir, '2.10.27', usersOf(dataDir))];
  for (const [file, made] of Object.entries({
    'worker.nk': ['worker.nk'],
    'server-key.pem': ['server-key.pem', 'server-cert.pem'],
    'server-cert.pem': ['server-key.pem', 'server-cert.pem'],
  })) {
    rmSync(join(folder, file));
    assert.deepEqual(make(), made);
    configs.push(natsConfig(dataDir, '2.10.27', usersOf(dataDir)));
  }
  assert.equal(new Set(configs).size, configs.length);
});
