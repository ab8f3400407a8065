/** Tests the command line with a running service and without one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { settingEntries } from '../../config/load.ts';
import { sampleHistory, sampleRepository } from '../../demo/history/index.ts';
import { commands } from '../../src/cli/commands.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { capturedOf, type StreamedDelivery } from '../helpers/orders.ts';
import { pullPayload, tagPayload } from '../helpers/payloads.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** Removes the time of a key's last use from a reply, because every request changes that time. */
function withoutUse(reply: object): unknown {
  return JSON.parse(JSON.stringify(reply, (field, value) => (field === 'lastUsedAt' ? undefined : value)));
}

/** Returns a regular expression that matches one line of a list: the given name, blanks, and the given text. */
function lineOf(name: string, text: string): RegExp {
  const escaped = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^  ${name} +${escaped}$`, 'm');
}

/** Runs a command and waits for its end. Accepts any exit code. */
function run(env: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    env,
    encoding: 'utf8',
    timeout: 300_000,
  });
  return { status, stdout, stderr };
}

test('the command line works with a service', async (t) => {
  // Each tick changes a time in the reply about retention, which a command and a request must print alike.
  const service = await startService(t, { env: { TIDINGS_TICK_SECONDS: '3600' } });
  const tidings = (...args: string[]) => run(service.env, ...args);

  await t.test('a key is made, listed and revoked', () => {
    const made = tidings('keys', 'create', '--org', 'acme', '--name', 'ci "x"', '--scopes', 'repos:read');
    assert.equal(made.status, 0);
    const [, key = '', id = ''] =
      /^(rn_live_\w{36})\n\nThe id of this key is (key_\w+)\. The key is shown only once/.exec(made.stdout) ?? [];
    const listed = tidings('keys', 'list').stdout;
    assert.ok(listed.includes(`${id}  rn_live_…${key.slice(-4)}  acme  "ci \\"x\\""  active`), listed);
    assert.equal(listed.includes(key), false, 'a key is shown once');
    assert.deepEqual(tidings('keys', 'revoke', id), { status: 0, stdout: `${id} is revoked.\n`, stderr: '' });
    assert.match(tidings('keys', 'list').stdout, new RegExp(`${id}.*revoked \\d{4}-`));
    assert.equal(tidings('keys', 'revoke', id).status, 0, 'revoking again changes nothing');
  });

  await t.test('hostile names control no terminal in any list', async () => {
    const hostile = 'a\u009b31m\u202e\u2028b';
    const created = [
      await service.api('POST', '/api/keys', { name: hostile, org: 'acme' }),
      await service.api('POST', '/api/webhook-secrets', { name: hostile, org: 'acme' }),
      await service.api('POST', '/api/webhook-endpoints', { url: 'https://hooks.example/a', org: 'acme' }),
    ];
    assert.deepEqual(
      created.map(({ status }) => status),
      [201, 201, 201],
    );
    const mail = { host: 'mail.example', from: 'a@example.org', fromName: hostile, recipients: ['b@example.org'] };
    const { orgId } = (await service.api('GET', '/api/keys')).body.keys.find(
      ({ name }: { name: string }) => name === hostile,
    );
    assert.equal((await service.api('PUT', `/api/channels/email?orgId=${orgId}`, { settings: mail })).status, 200);
    assert.equal(tidings('keys', 'create', '--name', hostile, '--org', `x${hostile}`, '--quiet').status, 0);
    const lists: [number, string[]][] = [
      [3, ['keys', 'list']],
      [1, ['webhook-secrets', 'list']],
      [1, ['channels', 'list', '--org', 'acme']],
      [1, ['orgs', 'list']],
      [0, ['webhooks', 'list']],
      [0, ['repos', 'list']],
      [0, ['dead-letters', 'list']],
    ];
    for (const [names, command] of lists) {
      const { status, stdout, stderr } = tidings(...command);
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u2028-\u202e]/u, command.join(' '));
      assert.equal(stdout.split('a\\u009b31m\\u202e\\u2028b').length - 1, names, stdout);
    }
    const { stderr } = tidings('keys', 'revoke', hostile);
    assert.doesNotMatch(stderr.replaceAll('\n', ''), /[\p{Cc}\u2028-\u202e]/u);
  });

  await t.test('the command line reports which keys ended with a key and which remain', async () => {
    const [key = '', , text = ''] = tidings('keys', 'create', '--org', 'acme', '--name', 'maker').stdout.split('\n');
    const id = /key_\w+/.exec(text)?.[0] as string;
    const child = (await service.api('POST', '/api/keys', { name: 'child' }, key)).body;
    const fresh = /key_\w+/.exec(tidings('keys', 'rotate', id).stdout)?.[0] as string;
    assert.deepEqual(tidings('keys', 'revoke', id).stdout.split('\n'), [
      `${id} is revoked.`,
      'Number of keys that this key created and that ended with it: 1.',
      `Its successor ${fresh} stays valid. If you do not recognize the successor, revoke it too.`,
      '',
    ]);
    const listed = tidings('keys', 'list').stdout;
    assert.match(listed, new RegExp(`${child.id}.* ended with ${id}  created`));
    assert.match(listed, new RegExp(`${fresh}.* active  created`));
  });

  await t.test('lists print what the API replies, with all items', async () => {
    const { webhookEndpoints } = (await service.api('GET', '/api/webhook-endpoints')).body;
    const [{ id: endpointId, orgId }] = webhookEndpoints;
    const lists: [string[], string][] = [
      [['keys', 'list'], '/api/keys?limit=100'],
      [['orgs', 'list'], '/api/orgs?limit=100'],
      [['repos', 'list'], '/api/repos?limit=100'],
      [['webhook-secrets', 'list'], '/api/webhook-secrets?limit=100'],
      [['webhooks', 'list'], '/api/webhook-endpoints?limit=100'],
      [['webhooks', 'events'], '/api/webhook-events?limit=100'],
      [['webhooks', 'list', '--org', 'acme'], '/api/webhook-endpoints?limit=100'],
      [['webhooks', 'deliveries', endpointId], `/api/webhook-endpoints/${endpointId}/deliveries?limit=100`],
      [['channels', 'list', '--org', 'acme'], `/api/channels?orgId=${orgId}&limit=100`],
      [['retention', 'show'], '/api/retention'],
    ];
    for (const [command, path] of lists) {
      const printed = tidings(...command, '--json');
      assert.equal(printed.status, 0, printed.stderr);
      const reply = (await service.api('GET', path)).body;
      assert.deepEqual(withoutUse(JSON.parse(printed.stdout)), withoutUse(reply), command.join(' '));
      assert.doesNotMatch(printed.stdout.replaceAll('\n', ''), /[\p{Cc}\u2028-\u202e]/u, command.join(' '));
    }
    assert.deepEqual(JSON.parse(tidings('dead-letters', 'list', '--json').stdout), { deadLetters: [], total: 0 });
    const { findings } = JSON.parse(tidings('doctor', '--offline', '--json').stdout);
    assert.ok(findings.some(({ verdict, text }: Finding) => verdict === 'ok' && text.startsWith('service runs')));
  });

  await t.test('a list shows more items than a page of the API', async () => {
    for (let i = 0; i < 25; i++) await service.api('POST', '/api/keys', { name: `nth ${i}`, org: 'acme' });
    const { keys, ...rest } = JSON.parse(tidings('keys', 'list', '--json').stdout);
    assert.ok(rest.total > 20);
    assert.equal(keys.length, rest.total);
    assert.deepEqual([rest.hasMore, rest.nextOffset], [false, null]);
  });

  await t.test('a quiet command prints the key only', () => {
    assert.match(tidings('keys', 'create', '--instance', '--name', 'a', '--quiet').stdout, /^rn_live_\w{36}\n$/);
  });

  await t.test('unknown keys and organizations are refused', () => {
    assert.match(tidings('keys', 'revoke', 'key_x').stderr, /^API key "key_x" is not found or not accessible\.\n$/);
    assert.match(
      tidings('keys', 'create', '--name', 'a', '--org', 'org_x').stderr,
      /Organization "org_x" is not found/,
    );
  });

  await t.test('the deliveries in a file are sent', async () => {
    const deliveries = [
      { event: 'pull_request', delivery: 'cli-1', body: pullPayload(1) },
      { event: 'push', delivery: 'cli-2', body: tagPayload('v1', 1) },
      { event: 'ping', delivery: 'cli-3', body: {} },
    ];
    const file = join(temporaryFolder(t), 'history.jsonl.gz');
    writeFileSync(file, gzipSync(deliveries.map((each) => `${JSON.stringify(each)}\n`).join('')));
    const sent = tidings('send', file);
    assert.equal(sent.status, 0, sent.stderr);
    assert.match(sent.stdout, /^3 deliveries in .*\n {2}200 {2}1\n {2}202 {2}2\n$/);
    await waitUntil('the repository is listed', async () => (await service.api('GET', '/api/repos')).body.total === 1);
    const forged = tidings('send', file, '--secret', 'not-the-secret');
    assert.deepEqual([forged.status, /401 {2}3/.test(forged.stdout)], [1, true]);
  });

  await t.test(
    'the dump of a repository is the same with and without a service, and equals a fold of its deliveries',
    async (t) => {
      const history = sampleHistory() as readonly StreamedDelivery[];
      const file = join(temporaryFolder(t), 'history.jsonl');
      writeFileSync(file, history.map((delivery) => JSON.stringify(delivery)).join('\n'));
      assert.equal(tidings('send', file).status, 0);
      const { fullName: name } = sampleRepository;
      const expected = await capturedOf(t, history, Date.now());
      await waitUntil('all of it is folded', () => tidings('dump', name).stdout === expected);
      const unknown = tidings('dump', 'acme/nowhere');
      assert.deepEqual([unknown.status, unknown.stdout], [3, '']);
      assert.match(unknown.stderr, /^Repository "acme\/nowhere" is not known here/);
      assert.equal(tidings('dump').status, 2);
    },
  );

  await t.test('repositories are listed, unselected and selected', async () => {
    const { fullName: name } = sampleRepository;
    assert.match(tidings('repos', 'list').stdout, new RegExp(`^repo_\\w{28}  connected {5}${name}$`, 'm'));
    assert.equal(tidings('repos', 'unselect', name).stdout, `${name} is unselected: its events are dropped.\n`);
    assert.match(tidings('repos', 'list').stdout, new RegExp(`  unselected {4}${name}$`, 'm'));
    assert.equal(tidings('repos', 'select', name).stdout, `${name} is connected.\n`);
    assert.match(tidings('repos', 'select', 'acme/nowhere').stderr, /^Repository "acme\/nowhere" is not known here/);
    assert.equal(tidings('repos', 'choose', name).status, 2);
  });

  await t.test('the doctor reports the durability level power-loss', () => {
    const { status, stdout } = tidings('doctor');
    assert.equal(status, 0, stdout);
    assert.match(stdout, /✓ durability level: power-loss/);
    assert.match(stdout, /✓ service runs, journal on nats-server 2\./);
    for (const name of ['directory', 'p00', 'p03']) assert.match(stdout, new RegExp(`✓ stream of ${name}: `));
    assert.doesNotMatch(stdout, /✗/);
  });

  await t.test('the doctor reports a different partition count', () => {
    const { status, stdout } = run({ ...service.env, TIDINGS_PARTITIONS: '2' }, 'doctor');
    assert.equal(status, 1);
    assert.match(stdout, /✗ .* was created with 4 partitions: set TIDINGS_PARTITIONS to 4/);
  });

  await t.test('a different partition count prevents the start', async () => {
    assert.equal(await service.stop(), 0);
    const { status, stderr } = run({ ...service.env, TIDINGS_PARTITIONS: '8' }, 'start');
    assert.equal(status, 1);
    assert.match(stderr, /TIDINGS_PARTITIONS: .* was created with 4 partitions, got 8\. Set it to 4/);
    assert.doesNotMatch(stderr, /^ +at /m);
  });
});

test('the command line works without a service', async (t) => {
  const folder = temporaryFolder(t);
  const env = {
    PATH: process.env.PATH ?? '',
    TIDINGS_DATA_DIR: join(folder, 'data'),
    TIDINGS_NATS_PORT: String(await freePort()),
  };

  await t.test('an invalid command exits with 2', () => {
    const wrong: [string[], RegExp][] = [
      [['nonsense'], /There is no command "nonsense"\. Run: tidings help/],
      [['constructor'], /There is no command "constructor"/],
      [['kyes', 'list'], /There is no command "kyes"\. Did you mean keys\? Run: tidings help$/m],
      [['keys'], /keys create, list, rotate or revoke/],
      [['keys', 'create'], /--name/],
      [['keys', 'create', '--name', 'a'], /--org ORGANIZATION, or --instance/],
      [['keys', 'create', '--name', 'a', '--org', 'o', '--instance'], /--org ORGANIZATION, or --instance/],
      [
        ['keys', 'create', '--name', 'a', '--org', 'o', '--scopes', 'all'],
        /--scopes: unknown scope all; expected one or more of drafts:read/,
      ],
      [['keys', 'create', '--nam', 'a'], /"--nam"\. Did you mean --name\?/],
      [['keys', 'revoke'], /KEY_ID/],
      [['webhook-secrets'], /webhook-secrets create, list, rotate or revoke/],
      [['webhook-secrets', 'create', 'a-secret-on-the-command-line'], /--secret-file/],
      [['webhook-secrets', 'rotate'], /SECRET_ID/],
      [['webhook-secrets', 'rotate', 'secret_x', '--overlap', '1.5'], /--overlap: expected whole hours from 0 to 720/],
      [['webhook-secrets', 'rotate', 'secret_x', '--overlap', '721'], /--overlap/],
      [['webhook-secrets', 'revoke'], /SECRET_ID/],
      [['send'], /FILE\.jsonl/],
      [['send', 'x.jsonl', '--concurrency', '0'], /--concurrency: expected a positive integer/],
      [['send', 'x.jsonl'], /No webhook secret found: expected --secret/],
      [['dead-letters', 'burn'], /list or replay/],
      [['retention', 'burn'], /retention show, sweep or approve/],
      [['restore'], /tidings restore PARTITION\|all/],
      [['restore', 'p99'], /Expected the name of a partition \(directory, p00/],
    ];
    for (const [args, message] of wrong) {
      const { status, stdout, stderr } = run(env, ...args);
      assert.equal(status, 2, args.join(' '));
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      assert.match(stderr, /Run: tidings help/);
      assert.doesNotMatch(stderr, /a-secret-on-the-command-line/);
      assert.equal(stdout, '');
    }
  });

  await t.test('a command that needs the service reports that it is missing', () => {
    const asking = [
      ['keys', 'list'],
      ['webhook-secrets', 'list'],
      ['dead-letters', 'list'],
      ['retention', 'show'],
      ['snapshot'],
    ];
    for (const args of asking) {
      const { status, stderr } = run(env, ...args);
      assert.equal(status, 1);
      assert.match(stderr, /The service with the data directory .*data is not running\. Start it with: npm start/);
    }
  });

  await t.test('a file that cannot be sent is named', () => {
    for (const name of ['missing.jsonl', 'missing.jsonl.gz']) {
      const { status, stderr } = run(env, 'send', join(folder, name), '--secret', 'x');
      assert.equal(status, 1);
      assert.match(stderr, /^ENOENT.*missing\.jsonl/);
      assert.doesNotMatch(stderr, /^ +at /m);
    }
  });

  await t.test('all invalid settings are shown', () => {
    const { status, stderr } = run(
      { ...env, TIDINGS_PORT: 'x', TIDINGS_WEBHOOK_SECRETS: 'tiny', TIDINGS_TYPO: '1' },
      'start',
    );
    assert.equal(status, 1);
    for (const name of ['TIDINGS_PORT', 'TIDINGS_WEBHOOK_SECRETS', 'TIDINGS_TYPO'])
      assert.ok(stderr.includes(name), name);
    assert.doesNotMatch(stderr, /tiny|^ +at /m);
  });

  await t.test('help and settings list every command and setting', () => {
    const { status, stdout, stderr } = run(env, '--help');
    assert.deepEqual([status, stderr, run(env).stdout], [0, '', stdout]);
    for (const [name, { help }] of Object.entries(commands)) assert.match(stdout, lineOf(name, help));
    const table = run(env, 'settings').stdout;
    const listed = JSON.parse(run(env, 'settings', '--json').stdout).settings;
    assert.deepEqual(
      listed.map(({ name }: { name: string }) => name),
      settingEntries.map(({ env: name }) => name),
    );
    for (const entry of settingEntries) assert.ok(table.includes(`| \`${entry.env}\` |`), entry.env);
  });

  await t.test('a command shows its arguments', () => {
    const { status, stdout, stderr } = run(env, 'keys', 'create', '--name', 'x', '-h');
    assert.deepEqual([status, stderr], [0, '']);
    assert.match(stdout, /tidings keys create --name NAME \(--org ORGANIZATION \| --instance\)/);
  });

  await t.test('the version is the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
    assert.deepEqual(run(env, '--version'), { status: 0, stdout: `tidings ${version}\n`, stderr: '' });
  });

  await t.test('the doctor works before the first start', () => {
    const { status, stdout } = run(env, 'doctor');
    assert.equal(status, 0, stdout);
    assert.match(stdout, /! data directory .* does not exist yet: the first start creates it/);
    assert.match(stdout, /! service is not running/);
  });
});
