/**
 * Tests the settings loader: which source a value comes from, and which faults are reported. Also tests that secrets
 * are never printed.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defaultOf, loadSettings, SettingsError, settingEntries, settingsToEnv } from '../../config/load.ts';
import { nearest } from '../../config/nearest.ts';
import { partitionCountFile } from '../../config/partitions.ts';
import { temporaryFolder } from '../helpers/ports.ts';

const secret = 'correct-horse-battery';

function faultsOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    loadSettings(env);
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.faults;
  }
  return [];
}

function settingsFile(t: TestContext, text: string): string {
  const file = join(temporaryFolder(t), 'settings.json');
  writeFileSync(file, text);
  return file;
}

test('an empty environment gives the defaults', () => {
  const settings = loadSettings({});
  assert.equal(settings.port, 8080);
  assert.equal(settings.host, '127.0.0.1');
  assert.equal(settings.limitApiPerMinute, 100);
  assert.equal(settings.limitWebhooksPerHour, 1000);
  assert.deepEqual(settings.webhookSecrets, []);
  assert.ok(settings.dataDir.startsWith('/'), 'the data directory is absolute');
  assert.ok(Object.isFrozen(settings));
});

test('a write to the journal has more time on a node of a cluster, other defaults stay', () => {
  const url = { TIDINGS_NATS_URL: 'nats://a,nats://b,nats://c' };
  const deadlineOf = (env: NodeJS.ProcessEnv): number => loadSettings({ ...url, ...env }).ackDeadlineMs;
  assert.equal(deadlineOf({}), 2000);
  assert.equal(deadlineOf({ TIDINGS_NODE: 'a' }), 9000);
  assert.equal(deadlineOf({ TIDINGS_NODE: 'a', TIDINGS_ACK_DEADLINE_MS: '2000' }), 2000);
  const inCluster = settingEntries.filter((entry) => defaultOf(entry, 'a') !== defaultOf(entry, ''));
  assert.deepEqual(
    inCluster.map((entry) => [entry.env, defaultOf(entry, ''), defaultOf(entry, undefined), defaultOf(entry, 'a')]),
    [['TIDINGS_ACK_DEADLINE_MS', 2000, 2000, 9000]],
  );
});

test('the environment overrides the file', (t) => {
  const file = settingsFile(t, JSON.stringify({ port: 9000, partitions: 7, autoConnect: false }));
  const settings = loadSettings({ TIDINGS_CONFIG: file, TIDINGS_PORT: '9001' });
  assert.equal(settings.port, 9001);
  assert.equal(settings.partitions, 7);
  assert.equal(settings.autoConnect, false);
});

test('an empty variable counts as unset', () => {
  assert.equal(loadSettings({ TIDINGS_PORT: '', TIDINGS_WEBHOOK_SECRETS: '' }).port, 8080);
});

test('a new data directory has one partition per core, at least 2 and at most 8', (t) => {
  const cores = availableParallelism();
  const { partitions } = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t) });
  assert.equal(partitions, Math.min(8, Math.max(2, cores)));
});

test('a data directory keeps its number of partitions', (t) => {
  const dataDir = temporaryFolder(t);
  writeFileSync(partitionCountFile(dataDir), '11\n');
  assert.equal(loadSettings({ TIDINGS_DATA_DIR: dataDir }).partitions, 11);
  assert.equal(loadSettings({ TIDINGS_DATA_DIR: dataDir, TIDINGS_PARTITIONS: '5' }).partitions, 5);
});

test('lists and booleans are read from text', () => {
  const settings = loadSettings({
    TIDINGS_WEBHOOK_SECRETS: ` ${secret} , previous-secret `,
    TIDINGS_AUTO_CONNECT: 'false',
  });
  assert.deepEqual(settings.webhookSecrets, [secret, 'previous-secret']);
  assert.equal(settings.autoConnect, false);
});

test('all faults are reported together', () => {
  const faults = faultsOf({
    TIDINGS_PORT: 'eighty',
    TIDINGS_PARTITIONS: '65',
    TIDINGS_AUTO_CONNECT: 'yes',
    TIDINGS_HOST_ORIGIN: 'github.com',
    TIDINGS_LOG_LEVEL: 'loud',
    TIDINGS_NO_SUCH: '1',
  });
  const variables = ['PORT', 'PARTITIONS', 'AUTO_CONNECT', 'HOST_ORIGIN', 'LOG_LEVEL', 'NO_SUCH'];
  assert.equal(faults.length, variables.length);
  for (const variable of variables) {
    assert.ok(
      faults.some((fault) => fault.startsWith(`TIDINGS_${variable}`)),
      `no fault names ${variable}`,
    );
  }
});

test('only whole numbers in range are accepted', () => {
  for (const text of ['-1', '65536', '1.5', '1e3', '0x50', ' ', 'NaN', '99999999999999999999']) {
    assert.equal(faultsOf({ TIDINGS_PORT: text }).length, 1, `${JSON.stringify(text)} was accepted`);
  }
  assert.equal(loadSettings({ TIDINGS_PORT: ' 80 ' }).port, 80);
});

test('secrets are never printed', (t) => {
  const long = 'nats//secret-token@host';
  const inFile = JSON.stringify({ webhookSecrets: [secret, 5], natsUrl: long });
  const faults = [
    ...faultsOf({ TIDINGS_WEBHOOK_SECRETS: 'short1,short2' }),
    ...faultsOf({ TIDINGS_WEBHOOK_SECRETS: `${secret},${secret},${secret}` }),
    ...faultsOf({ TIDINGS_NATS_URL: long }),
    ...faultsOf({ TIDINGS_CONFIG: settingsFile(t, inFile) }),
    ...faultsOf({ TIDINGS_CONFIG: settingsFile(t, `{"webhookSecrets": ["${secret}" "x"]}`) }),
    ...faultsOf({ TIDINGS_CONFIG: settingsFile(t, `["${secret}"]`) }),
  ];
  assert.ok(faults.length >= 6);
  for (const fault of faults) assert.doesNotMatch(fault, /short|horse|battery|secret-token/);
});

test('a secret that child processes would split is refused', (t) => {
  for (const text of ['left-half,right-half', ' padded-secret', 'padded-secret ', 'short']) {
    const file = settingsFile(t, JSON.stringify({ webhookSecrets: [text] }));
    assert.equal(faultsOf({ TIDINGS_CONFIG: file }).length, 1, JSON.stringify(text));
  }
});

test('the error for a bad settings file names it', (t) => {
  const missing = join(temporaryFolder(t), 'missing.json');
  assert.match(faultsOf({ TIDINGS_CONFIG: missing })[0] ?? '', /missing\.json.*ENOENT/);
  assert.match(faultsOf({ TIDINGS_CONFIG: settingsFile(t, '{') })[0] ?? '', /not JSON/);
  assert.match(faultsOf({ TIDINGS_CONFIG: settingsFile(t, '[]') })[0] ?? '', /expected a JSON object/);
  assert.match(faultsOf({ TIDINGS_CONFIG: settingsFile(t, '{"prot": 1}') })[0] ?? '', /unknown setting "prot"/);
  assert.match(faultsOf({ TIDINGS_CONFIG: settingsFile(t, '{"port": null}') })[0] ?? '', /TIDINGS_PORT/);
});

test('a fault describes the expected value and its place', () => {
  const hosts = JSON.stringify([
    { origin: 'https://git.example', kind: 'gitea' },
    { origin: 'https://code.example/x', kind: 'gitlab', tokn: 'not-to-be-shown', appId: 'x' },
    { kind: 'forgejo' },
  ]);
  const said: [NodeJS.ProcessEnv, string][] = [
    [
      { TIDINGS_PORT: 'eighty' },
      'TIDINGS_PORT: expected a port number from 1 to 65535, or 0 for any free port, got "eighty". Port of the API and the webhook receiver; 0 = any free port.',
    ],
    [
      { TIDINGS_NATS_PORT: '0' },
      'TIDINGS_NATS_PORT: expected a port number from 1 to 65535, got 0. Port of the supervised nats-server, on loopback.',
    ],
    [
      { TIDINGS_PARTITIONS: '65' },
      'TIDINGS_PARTITIONS: expected a whole number from 0 to 64, got 65. Number of partitions, fixed at first start; 0 = number of cores, at least 2 and at most 8.',
    ],
    [
      { TIDINGS_HOST_KIND: 'gitlab' },
      'TIDINGS_HOST_KIND: expected one of github, gitea, forgejo, got "gitlab". Kind of the host: github, gitea or forgejo.',
    ],
    [
      { TIDINGS_LOG_LEVEL: 'loud' },
      'TIDINGS_LOG_LEVEL: expected one of fatal, error, warn, info, debug, trace, silent, got "loud". Least severe level of the log lines that the service writes.',
    ],
    [
      { TIDINGS_AUTO_CONNECT: 'yes' },
      'TIDINGS_AUTO_CONNECT: expected true or false, got "yes". Connect a repository when its first signed webhook arrives.',
    ],
    [
      { TIDINGS_PUBLIC_URL: 'notes.example.com' },
      'TIDINGS_PUBLIC_URL: expected an address that begins with https:// or http://, like https://notes.example.com, got "notes.example.com". Public address of the service, required for mail; empty = http://HOST:PORT.',
    ],
    [
      { TIDINGS_WEBHOOK_SECRET: 'a-secret-of-mine' },
      'TIDINGS_WEBHOOK_SECRET: no such setting. Did you mean TIDINGS_WEBHOOK_SECRETS?',
    ],
    [{ TIDINGS_HOSTKIND: 'gitea' }, 'TIDINGS_HOSTKIND: no such setting. Did you mean TIDINGS_HOST_KIND?'],
    [{ TIDINGS_ZZZZZZ: '1' }, 'TIDINGS_ZZZZZZ: no such setting. See: tidings settings'],
  ];
  for (const [env, fault] of said) assert.deepEqual(faultsOf(env), [fault]);
  const secret = 'a value that is not shown';
  const about = 'More hosts, a JSON list of {origin, kind, apiUrl, token, appId, appKeyFile}.';
  assert.deepEqual([...faultsOf({ TIDINGS_HOSTS: hosts })].sort(), [
    `TIDINGS_HOSTS[1].appId: expected the number of a GitHub App as a string of digits, got ${secret}. ${about}`,
    `TIDINGS_HOSTS[1].kind: expected one of github, gitea, forgejo, got ${secret}. ${about}`,
    `TIDINGS_HOSTS[1].origin: expected a web address without a path, like https://github.com, got ${secret}. ${about}`,
    `TIDINGS_HOSTS[1].tokn: no such field. Did you mean token? ${about}`,
    `TIDINGS_HOSTS[2].origin: expected a web address without a path, like https://github.com, got nothing. ${about}`,
  ]);
});

test('no fault shows a pattern', () => {
  for (const { env } of settingEntries) {
    for (const text of ['(', '[{"name": "(", "origin": "("}]']) {
      for (const fault of faultsOf({ [env]: text })) assert.doesNotMatch(fault, /[\^$]|\\d|\[A-Z/, fault);
    }
  }
});

test('a fault of the settings file names the file, the setting and the closest name', (t) => {
  const file = settingsFile(t, JSON.stringify({ port: 'eighty', hostKnd: 'gitea', TIDINGS_OPS_PORT: 1 }));
  assert.deepEqual(faultsOf({ TIDINGS_CONFIG: file }), [
    `${file}: unknown setting "hostKnd". Did you mean hostKind?`,
    `${file}: unknown setting "TIDINGS_OPS_PORT". Did you mean opsPort?`,
    `TIDINGS_PORT (port in ${file}): expected a port number from 1 to 65535, or 0 for any free port, got "eighty". Port of the API and the webhook receiver; 0 = any free port.`,
  ]);
});

test('a name that is far from all settings gets no suggestion', () => {
  const known = settingEntries.map(({ env }) => env);
  for (const { env } of settingEntries) {
    assert.equal(nearest(env, known), env);
    assert.equal(nearest(`${env}X`, known), env);
  }
  for (const wrong of ['TIDINGS_', 'TIDINGS_Q', 'TIDINGS_VOLUME_OF_THE_SPEAKERS', `TIDINGS_${'A'.repeat(1e6)}`])
    assert.equal(nearest(wrong, known), undefined, wrong.slice(0, 40));
});

test('settings that contradict each other are faults', () => {
  const contradictions: [NodeJS.ProcessEnv, RegExp][] = [
    [{ TIDINGS_BODY_BUDGET_BYTES: '1048576' }, /BODY_BUDGET_BYTES.*MAX_BODY_BYTES/],
    [{ TIDINGS_WAITING_BYTES: '65536' }, /WAITING_BYTES.*BATCH_BYTES/],
    [{ TIDINGS_PORT: '9464' }, /OPS_PORT/],
  ];
  for (const [env, expected] of contradictions) assert.match(faultsOf(env).join('\n'), expected);
  assert.deepEqual(faultsOf({ TIDINGS_PORT: '0', TIDINGS_OPS_PORT: '0' }), []);
});

test('the tier of the instance must exist', () => {
  assert.equal(loadSettings({}).instanceTier, 'standard');
  assert.equal(loadSettings({ TIDINGS_INSTANCE_TIER: 'unlimited' }).instanceTier, 'unlimited');
  const own = { TIDINGS_TIERS: '[{"name": "large"}]', TIDINGS_INSTANCE_TIER: 'large' };
  assert.equal(loadSettings(own).instanceTier, 'large');
  const [fault] = faultsOf({ TIDINGS_INSTANCE_TIER: 'large' });
  assert.equal(fault, 'TIDINGS_INSTANCE_TIER: expected one of standard, unlimited, got large');
});

test('settings are the same after a round trip through the environment', () => {
  const settings = loadSettings({
    TIDINGS_WEBHOOK_SECRETS: `${secret},previous-secret`,
    TIDINGS_PUBLIC_URL: 'https://notes.example.com',
    TIDINGS_AUTO_CONNECT: 'false',
    TIDINGS_WORKERS: '0',
  });
  assert.deepEqual(loadSettings(settingsToEnv(settings)), settings);
});

test('every setting has a variable and a description', () => {
  const variables = settingEntries.map((entry) => entry.env);
  assert.equal(new Set(variables).size, variables.length);
  for (const { env, description } of settingEntries) {
    assert.match(env, /^TIDINGS_[A-Z_]+$/);
    assert.ok(description.length > 10 && !description.endsWith('.'), env);
  }
});

test('settings of a NATS server need its address', () => {
  const file = '/etc/tidings/nats.creds';
  for (const variable of ['CREDENTIALS', 'TLS_CA']) {
    const faults = faultsOf({ [`TIDINGS_NATS_${variable}`]: file });
    assert.deepEqual(faults, [`TIDINGS_NATS_${variable}: expected together with TIDINGS_NATS_URL`]);
  }
  const url = { TIDINGS_NATS_URL: 'tls://nats.example:4222' };
  assert.match(faultsOf({ ...url, TIDINGS_NATS_TLS_CERT: file }).join(), /together with TIDINGS_NATS_TLS_KEY/);
  assert.match(faultsOf({ ...url, TIDINGS_NATS_TLS_KEY: file }).join(), /together with TIDINGS_NATS_TLS_KEY/);
  const both = { TIDINGS_NATS_URL: 'tls://ada:secret@nats.example:4222', TIDINGS_NATS_CREDENTIALS: file };
  assert.deepEqual(faultsOf(both), [
    'TIDINGS_NATS_CREDENTIALS: expected no value, because TIDINGS_NATS_URL already contains credentials',
  ]);
  assert.equal(loadSettings({ ...url, TIDINGS_NATS_CREDENTIALS: file }).natsCredentials, file);
});
