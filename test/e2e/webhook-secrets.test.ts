/**
 * Tests webhook secrets of hosts and organizations: which deliveries a secret verifies from its creation to its
 * revocation. Also tests that a secret is never stored in plain text.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { faultsIn } from '../helpers/log.ts';
import { issuePayload, pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { talk } from '../helpers/raw-socket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const github = 'https://github.com';
const gitea = 'https://git.example';
// With only one partition, two repositories are separated by their ids alone.
const env = { TIDINGS_HOSTS: JSON.stringify([{ origin: gitea, kind: 'gitea' }]), TIDINGS_PARTITIONS: '1' };
const acme = { id: 1001, full_name: 'acme/rocket', owner: { login: 'acme', id: 77 } };
const umbrella = { id: 2002, full_name: 'umbrella/lab', owner: { login: 'umbrella', id: 88 } };

/** Sends a delivery signed with a given secret. */
function deliver(service: TestService, secret: string, event: string, payload: unknown): Promise<Answer> {
  const digest = createHmac('sha256', secret).update(JSON.stringify(payload)).digest('hex');
  return service.deliver(event, payload, { 'x-hub-signature-256': `sha256=${digest}` });
}

/** Runs a command with a text as its standard input. */
function tidings(service: TestService, input: string, ...args: string[]) {
  return spawnSync(process.execPath, [program, ...args], { env: service.env, encoding: 'utf8', input });
}

function installation(account: object, repositories: object[] = []) {
  return { action: 'created', installation: { id: 8, account }, repositories };
}

/** Returns how many deliveries had the given outcome, according to the metrics. */
async function outcomes(service: TestService, outcome: string): Promise<number> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^tidings_webhooks_received_total\{([^}]*)\} (\d+)$/gm)];
  return counts
    .filter(([, labels]) => labels?.includes(`outcome="${outcome}"`))
    .reduce((sum, each) => sum + Number(each[2]), 0);
}

test('organizations and hosts have webhook secrets', async (t) => {
  const service = await startService(t, { env });
  const texts: string[] = [];
  const create = async (body: object, key?: string): Promise<{ id: string; secret: string }> => {
    const { status, body: made } = await service.api('POST', '/api/webhook-secrets', body, key);
    assert.equal(status, 201, JSON.stringify(made));
    texts.push(made.secret);
    return made;
  };
  const status = async (secret: string, event: string, payload: unknown) =>
    (await deliver(service, secret, event, payload)).status;
  const repositories = async () => (await service.api('GET', '/api/repos?limit=100')).body.repos;
  const own = await create({ org: 'acme', name: 'hooks' });

  await t.test('a secret is shown once', async () => {
    assert.match(own.secret, /^[0-9a-f]{64}$/);
    const { webhookSecrets, total } = (await service.api('GET', '/api/webhook-secrets')).body;
    assert.equal(total, 1);
    const { orgId, createdAt, ...rest } = webhookSecrets[0];
    assert.match(orgId, /^org_/);
    assert.ok(Date.parse(createdAt) > 0);
    assert.deepEqual(rest, { id: own.id, name: 'hooks', host: github, rotatedAt: null, overlapEndsAt: null });
  });

  await t.test('events of the secret’s organization pass', async () => {
    assert.equal(await status(own.secret, 'pull_request', pullPayload(1, {}, acme)), 202);
    await waitUntil('the repository is listed', async () => (await repositories()).length === 1);
    assert.equal(await status(own.secret, 'issues', issuePayload(2, {}, acme)), 202, 'its owner is now known by id');
    assert.equal(await status(own.secret, 'star', { action: 'created', repository: acme }), 200);
  });

  await t.test('pings pass with and without an owner', async () => {
    assert.equal(await status(own.secret, 'ping', {}), 200);
    assert.equal(await status(own.secret, 'ping', { zen: 'Keep it simple.', organization: { login: 'acme' } }), 200);
    assert.equal(await status(own.secret, 'ping', { organization: { login: 'umbrella', id: 88 } }), 401);
  });

  await t.test('events of others get the 401 of a bad signature', async () => {
    const other = await create({ org: 'Umbrella' });
    assert.equal(await status(other.secret, 'pull_request', pullPayload(1, {}, umbrella)), 202);
    await waitUntil('the repository is listed', async () => (await repositories()).length === 2);
    const before = await repositories();
    const bad = await deliver(service, 'not-a-secret-at-all', 'pull_request', pullPayload(3, {}, acme));
    const foreign: Record<string, [string, object]> = {
      'the other organization': ['pull_request', pullPayload(3, {}, umbrella)],
      'its repository under our owner': ['pull_request', pullPayload(3, {}, { ...umbrella, owner: acme.owner })],
      'its repository under our name': [
        'pull_request',
        pullPayload(3, {}, { ...umbrella, full_name: 'acme/lab', owner: acme.owner }),
      ],
      'its name over our repository': ['pull_request', pullPayload(3, {}, { ...acme, full_name: 'umbrella/lab' })],
      'its login with our id': [
        'pull_request',
        pullPayload(3, {}, { id: 5, full_name: 'umbrella/x', owner: { login: 'Umbrella', id: 77 } }),
      ],
      'our login with its id': [
        'pull_request',
        pullPayload(3, {}, { id: 5, full_name: 'acme/x', owner: { login: 'acme', id: 88 } }),
      ],
      'no owner but our name': [
        'pull_request',
        pullPayload(3, {}, { ...umbrella, full_name: 'acme/lab', owner: null }),
      ],
      'the longest login': [
        'pull_request',
        pullPayload(3, {}, { id: 5, full_name: 'acme/x', owner: { login: 'a'.repeat(255), id: 77 } }),
      ],
      'a transfer to us': ['repository', { action: 'transferred', repository: { ...umbrella, owner: acme.owner } }],
      'an installation of another account': ['installation', installation(umbrella.owner)],
      'a rename to its login': [
        'installation_target',
        { action: 'renamed', installation: { id: 8 }, account: { id: 77, login: 'umbrella' } },
      ],
    };
    for (const [name, [event, payload]] of Object.entries(foreign)) {
      const answer = await deliver(service, own.secret, event, payload);
      assert.deepEqual([answer.status, answer.body], [401, bad.body], name);
    }
    // Another tenant claims repository 2002, and the host has not confirmed the claim. The claim delays only this
    // repository, not the rest of the installation.
    const taking = installation(acme.owner, [
      { id: 1001, full_name: 'acme/rocket' },
      { id: 2002, full_name: 'acme/lab' },
    ]);
    const { id: rocketId } = before.find(({ fullName }: { fullName: string }) => fullName.startsWith('acme/'));
    await service.api('PATCH', `/api/repos/${rocketId}`, { selected: false });
    assert.equal(await status(own.secret, 'installation', taking), 202);
    await waitUntil('it is folded', async () => JSON.stringify(await repositories()) === JSON.stringify(before));
    assert.ok((await outcomes(service, 'foreign')) > 0);
    assert.equal(await status(other.secret, 'installation', installation(umbrella.owner)), 202);
  });

  await t.test('a delivery id remains usable for another organization', async () => {
    const other = await create({ org: 'umbrella' });
    for (const [secret, repository] of [
      [own.secret, acme],
      [other.secret, umbrella],
    ] as const) {
      const payload = pullPayload(8, {}, repository);
      const digest = createHmac('sha256', secret).update(JSON.stringify(payload)).digest('hex');
      const headers = { 'x-scm-delivery': 'seen by both', 'x-hub-signature-256': `sha256=${digest}` };
      const send = async () => (await service.deliver('pull_request', payload, headers)).status;
      assert.equal(await send(), 202);
      await waitUntil('its own copy is known', async () => (await send()) === 200);
    }
    await service.api('DELETE', `/api/webhook-secrets/${other.id}`);
  });

  await t.test('a repeated field name does not decide the owner', async () => {
    const theirs = JSON.stringify(pullPayload(3, {}, umbrella));
    const withOurs = (text: string) => text.replace('{', `{"repository":${JSON.stringify(acme)},`);
    // The second text writes a letter of `repository` as an escape, which only a JSON parser recognizes.
    for (const text of [withOurs(theirs), withOurs(theirs.replace('"repository"', '"reposit\\u006fry"'))]) {
      assert.equal(JSON.parse(text).repository.full_name, 'umbrella/lab');
      const digest = createHmac('sha256', own.secret).update(text).digest('hex');
      const answer = await service.deliver('pull_request', text, { 'x-hub-signature-256': `sha256=${digest}` });
      assert.equal(answer.status, 401);
    }
  });

  await t.test('the secret of the settings verifies every organization', async () => {
    assert.equal(await status(service.secret, 'pull_request', pullPayload(4, {}, acme)), 202);
    assert.equal(await status(service.secret, 'pull_request', pullPayload(4, {}, umbrella)), 202);
  });

  await t.test('two hosts can each have a repository 5', async () => {
    const whole = await create({ host: gitea });
    const five = { id: 5, full_name: 'moon/base', owner: { login: 'moon', id: 3 } };
    assert.equal(await status(service.secret, 'pull_request', pullPayload(1, { title: 'On the one' }, five)), 202);
    const same = { 'x-scm-delivery': 'the-same-on-both' };
    for (const [secret, title] of [
      [service.secret, 'On the one'],
      [whole.secret, 'On the other'],
    ] as const) {
      const payload = pullPayload(2, { title }, five);
      const digest = createHmac('sha256', secret).update(JSON.stringify(payload)).digest('hex');
      const headers = { ...same, 'x-hub-signature-256': `sha256=${digest}` };
      assert.equal((await service.deliver('pull_request', payload, headers)).status, 202);
    }
    const fives = async () => (await repositories()).filter((each: { scmRepoId: number }) => each.scmRepoId === 5);
    await waitUntil('both are listed', async () => (await fives()).length === 2);
    const [first, second] = await fives();
    assert.notEqual(first.id, second.id);
    assert.notEqual(first.orgId, second.orgId);
    // An organization on one host has no rights over an organization with the same name on another host.
    const moon = await create({ host: gitea, org: 'moon' });
    assert.equal(await status(moon.secret, 'pull_request', pullPayload(3, {}, five)), 202);
    assert.equal((await repositories()).length, 4);
    const key = service.tidings('keys', 'create', '--org', 'moon', '--host', gitea, '--name', 'k', '--quiet').trim();
    const seen = (await service.api('GET', '/api/repos', undefined, key)).body.repos;
    assert.deepEqual(
      seen.map(({ orgId }: { orgId: string }) => orgId),
      [(await service.api('GET', '/api/webhook-secrets')).body.webhookSecrets[0].orgId],
    );
  });

  await t.test('a rotation overlaps for a day unless another overlap is given', async () => {
    const made = await create({ org: 'acme' });
    const first = pullPayload(1, {}, acme);
    const rotated = await service.api('POST', `/api/webhook-secrets/${made.id}/rotate`, {});
    assert.equal(rotated.status, 200);
    assert.notEqual(rotated.body.secret, made.secret);
    texts.push(rotated.body.secret);
    const ends = Date.parse(rotated.body.overlapEndsAt) - Date.now();
    assert.ok(Math.abs(ends - 24 * 3_600_000) < 60_000, String(ends));
    for (const secret of [made.secret, rotated.body.secret]) assert.equal(await status(secret, 'issues', first), 400);
    const last = service.tidings('webhook-secrets', 'rotate', made.id, '--overlap', '0', '--quiet').trim();
    texts.push(last);
    for (const secret of [made.secret, rotated.body.secret]) assert.equal(await status(secret, 'issues', first), 401);
    assert.equal(await status(last, 'issues', first), 400);
    const listed = service.tidings('webhook-secrets', 'list');
    assert.match(listed, new RegExp(`^${made.id}  https://github.com  acme  ""  \\S+$`, 'm'));
    await service.api('DELETE', `/api/webhook-secrets/${made.id}`);
  });

  await t.test('a revoked secret stops working immediately', async () => {
    const { id, secret } = await create({ org: 'acme' });
    for (let i = 0; i < 20; i++) assert.equal(await status(secret, 'ping', {}), 200);
    assert.equal((await service.api('DELETE', `/api/webhook-secrets/${id}`)).status, 200);
    assert.equal(await status(secret, 'ping', {}), 401);
    assert.equal(await status(own.secret, 'ping', {}), 200);
    assert.equal((await service.api('DELETE', `/api/webhook-secrets/${id}`)).status, 404);
    assert.equal((await service.api('POST', `/api/webhook-secrets/${id}/rotate`, {})).status, 404);
  });

  await t.test('at most four secret texts verify for one owner', async () => {
    const made = [await create({ org: 'crowd' }), await create({ org: 'crowd' }), await create({ org: 'crowd' })];
    const id = made[0]?.id;
    texts.push((await service.api('POST', `/api/webhook-secrets/${id}/rotate`, {})).body.secret);
    const full = await service.api('POST', '/api/webhook-secrets', { org: 'crowd' });
    assert.deepEqual([full.status, full.body.error], [409, 'Conflict']);
    assert.match(full.body.message, /at most 4 valid webhook secrets/);
    assert.equal((await service.api('POST', `/api/webhook-secrets/${id}/rotate`, {})).status, 409);
    assert.equal((await service.api('POST', `/api/webhook-secrets/${id}/rotate`, { overlapHours: 0 })).status, 200);
  });

  await t.test('invalid requests name the field and repeat no secret', async () => {
    const short = 'only15character';
    const bad: [object, string, RegExp][] = [
      [{ secret: short }, 'secret', /expected 16 to 255 characters, got 15/],
      [{ secret: 'x'.repeat(256) }, 'secret', /got 256/],
      [{ secret: 'a tab\tin a long secret' }, 'secret', /no control characters/],
      [{ secret: 'half a pair \ud800 in it' }, 'secret', /surrogate/],
      [{ secret: 1234567890123456 }, 'secret', /got a value that is not shown/],
      [{ host: 'https://elsewhere.example' }, 'host', /https:\/\/github\.com, https:\/\/git\.example/],
      [{ org: 'a/b' }, 'org', /login or an id/],
      [{ org: '' }, 'org', /not empty/],
      [{ name: 'n'.repeat(101) }, 'name', /at most 100/],
      [{ orgId: 'x' }, 'orgId', /unknown/],
    ];
    for (const [body, field, message] of bad) {
      const answer = await service.api('POST', '/api/webhook-secrets', body);
      assert.equal(answer.status, 400, JSON.stringify(answer.body));
      assert.match(answer.body.details[field], message);
      for (const text of [short, '1234567890123456', 'a tab']) assert.ok(!JSON.stringify(answer.body).includes(text));
    }
    for (const overlapHours of [-1, 721, 1.5, '24']) {
      const answer = await service.api('POST', `/api/webhook-secrets/${own.id}/rotate`, { overlapHours });
      assert.match(answer.body.details?.overlapHours, /an integer from 0 to 720/);
    }
    assert.equal((await service.api('POST', '/api/webhook-secrets', { org: 'org_none' })).status, 404);
    assert.equal((await service.api('GET', '/api/webhook-secrets?limit=0')).status, 400);
  });

  await t.test('a key of an organization reaches its own secrets only', async () => {
    const key = (...args: string[]) => service.tidings('keys', 'create', '--name', 'k', '--quiet', ...args).trim();
    const ours = key('--org', 'acme');
    const listed = await service.api('GET', '/api/webhook-secrets', undefined, ours);
    assert.deepEqual(
      listed.body.webhookSecrets.map(({ id }: { id: string }) => id),
      [own.id],
    );
    const theirs = (await service.api('GET', '/api/webhook-secrets?limit=100')).body.webhookSecrets.filter(
      ({ orgId }: { orgId: string | null }) => orgId !== listed.body.webhookSecrets[0].orgId,
    );
    assert.ok(theirs.length > 2);
    for (const { id } of [...theirs, { id: 'secret_none' }, { id: 'x'.repeat(3000) }]) {
      assert.equal((await service.api('DELETE', `/api/webhook-secrets/${id}`, undefined, ours)).status, 404);
      assert.equal((await service.api('POST', `/api/webhook-secrets/${id}/rotate`, {}, ours)).status, 404);
    }
    for (const org of ['umbrella', 'nobody-yet', 'org_none', theirs[0].orgId]) {
      assert.equal((await service.api('POST', '/api/webhook-secrets', { org }, ours)).status, 404, String(org));
    }
    const elsewhere = await service.api('POST', '/api/webhook-secrets', { host: gitea }, ours);
    assert.deepEqual(Object.keys(elsewhere.body.details), ['host']);
    for (const body of [{}, { org: 'Acme' }]) {
      const made = await create(body, ours);
      assert.equal(await status(made.secret, 'pull_request', pullPayload(6, {}, acme)), 202);
      assert.equal(await status(made.secret, 'pull_request', pullPayload(6, {}, umbrella)), 401);
      assert.equal((await service.api('DELETE', `/api/webhook-secrets/${made.id}`, undefined, ours)).status, 200);
    }
    const reader = key('--org', 'acme', '--scopes', 'webhooks:read');
    assert.equal((await service.api('GET', '/api/webhook-secrets', undefined, reader)).status, 200);
    assert.equal((await service.api('POST', '/api/webhook-secrets', {}, reader)).status, 403);
  });

  await t.test('the command line accepts a chosen secret', async () => {
    const chosen = `chosen ${randomBytes(12).toString('hex')}`;
    texts.push(chosen);
    const file = join(temporaryFolder(t), 'secret');
    writeFileSync(file, `${chosen}\n`);
    const made = tidings(service, '', 'webhook-secrets', 'create', '--org', 'ours', '--secret-file', file);
    const [, id] = /^The id of this secret is (secret_\w+)\.\n$/.exec(made.stdout) ?? [];
    assert.ok(id, made.stdout + made.stderr);
    const repository = { id: 3003, full_name: 'ours/one', owner: { login: 'ours', id: 99 } };
    assert.equal(await status(chosen, 'pull_request', pullPayload(1, {}, repository)), 202);
    assert.equal(tidings(service, '', 'webhook-secrets', 'revoke', id).stdout, `${id} is revoked.\n`);
    assert.match(tidings(service, '', 'webhook-secrets', 'revoke', id).stderr, /is not found or not accessible/);
    const piped = tidings(service, `${chosen}\r\n`, 'webhook-secrets', 'create', '--secret-file', '-', '--quiet');
    assert.match(piped.stdout, /^secret_\w+\n$/);
    const shown = tidings(service, '', 'webhook-secrets', 'create', '--org', 'ours').stdout;
    const [, secret = ''] =
      /^(\w{64})\n\nThe id of this secret is secret_\w+\. The secret is shown only once/.exec(shown) ?? [];
    texts.push(secret);
    assert.equal(await status(secret, 'pull_request', pullPayload(2, {}, repository)), 202);
    assert.match(
      tidings(service, 'short', 'webhook-secrets', 'create', '--secret-file', '-').stderr,
      /^--secret-file: expected 16/,
    );
    const unknown = tidings(service, '', 'webhook-secrets', 'create', '--host', 'https://x.example').stderr;
    assert.match(unknown, /expected one of the configured hosts \(https:\/\/github\.com, https:\/\/git\.example\)/);
    assert.match(tidings(service, '', 'doctor', '--offline').stdout, /✓ sealing key decrypts all \d+ stored secrets/);
  });

  await t.test('all malformed signatures are refused in the same way', async () => {
    const port = Number(service.env.TIDINGS_PORT);
    const body = JSON.stringify(pullPayload(1, {}, acme));
    const digest = createHmac('sha256', own.secret).update(body).digest('hex');
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'sha256=0f:;, \t'), maxLength: 80 }),
      fc
        .nat({ max: 63 })
        .map((at) => `sha256=${digest.slice(0, at)}${digest[at] === '0' ? '1' : '0'}${digest.slice(at + 1)}`),
      fc.nat({ max: 70 }).map((length) => `sha256=${digest}`.slice(0, length)),
    );
    await fc.assert(
      fc.asyncProperty(value, async (signature) => {
        const head = `POST /api/webhooks/scm HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Scm-Event: pull_request\r\nX-Hub-Signature-256: ${signature}\r\nContent-Length: ${body.length}\r\n\r\n`;
        const { statuses, text } = await talk(port, [head + body], { replies: 1 });
        assert.deepEqual(statuses, [401], signature);
        assert.match(text, /The signature (?:does not match|is missing)/);
      }),
      { numRuns: 150 },
    );
  });

  await t.test('a restart keeps the secrets', async (t) => {
    assert.equal(await service.stop(), 0);
    assert.deepEqual(faultsIn(service.log), []);
    const again = await startService(t, { env, dataDir: service.dataDir });
    assert.equal((await deliver(again, own.secret, 'pull_request', pullPayload(7, {}, acme))).status, 202);
    again.tidings('snapshot');
    assert.equal(await again.stop(), 0);
    for (const text of texts) {
      assert.ok(text.length >= 16);
      const found = spawnSync('grep', ['-raFl', '--', text, service.dataDir], { encoding: 'utf8' });
      assert.deepEqual([found.status, found.stdout], [1, ''], 'no file of the data directory contains it');
      assert.equal((service.log + again.log).includes(text), false);
    }
    const found = spawnSync('grep', ['-raFl', '--', own.id, service.dataDir], { encoding: 'utf8' });
    assert.equal(found.status, 0, 'the search finds stored text');
  });

  await t.test('with another sealing key the secrets verify nothing and end no process', async (t) => {
    const other = randomBytes(32).toString('base64');
    const again = await startService(t, { env: { ...env, TIDINGS_SEALING_KEY: other }, dataDir: service.dataDir });
    assert.equal((await deliver(again, own.secret, 'ping', {})).status, 401);
    assert.equal((await deliver(again, again.secret, 'ping', {})).status, 200);
    assert.ok((await again.metric('tidings_seals_unreadable_total')) > 0);
    assert.match(again.log, /the current sealing key cannot decrypt a webhook secret.*Restore the former sealing key/);
    const doctor = tidings(again, '', 'doctor', '--offline');
    assert.match(
      doctor.stdout,
      /✗ sealing key cannot decrypt \d+ of \d+ stored secrets: restore the former sealing key/,
    );
    assert.equal(doctor.status, 1);
    assert.ok(!again.log.includes(other) && !doctor.stdout.includes(other));
    // A rotated secret is sealed with the new sealing key.
    const rotated = await again.api('POST', `/api/webhook-secrets/${own.id}/rotate`, { overlapHours: 0 });
    assert.equal((await deliver(again, rotated.body.secret, 'ping', {})).status, 200);
  });
});
