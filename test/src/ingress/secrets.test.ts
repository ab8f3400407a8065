/**
 * Tests bound secrets: which secrets are tried on a body, and which secret verifies the body. Covers the owner that the
 * body names, previous secrets after a rotation, the number of tries, and wrong sealing keys. The tests use a real
 * directory partition.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { mock, type TestContext, test } from 'node:test';
import { createLogger } from '../../../src/foundation/logger.ts';
import { sealsUnreadable } from '../../../src/foundation/metrics.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import { BoundSecrets, type BoundSecretsOptions } from '../../../src/ingress/secrets.ts';
import { SignatureCheck } from '../../../src/ingress/signature.ts';
import type { WebhookSecretRecord } from '../../../src/protocol/commands.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { sealedFor } from '../../../src/store/tables/webhook-secrets.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch } from '../../helpers/partition-records.ts';

const origins = ['https://github.com', 'https://git.example'] as const;
const host = { origin: origins[0], kind: 'github', app: undefined } as const;
const other = { ...host, origin: origins[1] };
const hosts = [host, other];
const sealer = createSealer(randomBytes(32));
const hour = 3_600_000;

/** A directory partition with organizations and their secrets. `signer` finds the signer of a payload. */
class Fixture {
  readonly directory: Partition;
  readonly secrets: BoundSecrets;
  private seq = 0;

  constructor(t: TestContext, key = sealer, inSettings: BoundSecretsOptions['hosts'] = hosts) {
    this.directory = openTestPartition(t, 'directory');
    const logger = createLogger('test', 'silent');
    this.secrets = new BoundSecrets({ read: () => this.directory, sealer: key, hosts: inSettings, logger });
  }

  async fold(command: object, at = epoch): Promise<void> {
    this.seq += 1;
    await foldRecords(this.directory, this.seq, commandRecord(command as never, at));
  }

  /**
   * Creates a secret of an organization, or of the whole host if the login is empty. The id of the secret is the same
   * as its text.
   */
  async create(text: string, login: string, origin: string = origins[0]): Promise<WebhookSecretRecord> {
    if (login !== '') await this.fold({ name: 'nameOrganisation', origin, login });
    const orgId = login === '' ? null : (organizationByLogin(this.directory, origin, login)?.id as string);
    const secret = this.secret(text, orgId, origin);
    await this.fold({ name: 'createWebhookSecret', secret });
    return secret;
  }

  /** Returns the record of a secret, which is not stored. */
  secret(text: string, orgId: string | null, origin: string = origins[0]): WebhookSecretRecord {
    const sealed = sealer.seal(text, sealedFor({ id: text, origin, orgId }));
    return { id: text, origin, orgId, name: '', sealed, previous: [], createdAt: 0, rotatedAt: null };
  }

  /** Returns the signer of a payload. `attempts` is the number of secrets that were tried. */
  signer(text: string, payload: unknown, header?: string) {
    const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
    const digest = createHmac('sha256', text).update(body).digest('hex');
    const check = new SignatureCheck(header ?? `sha256=${digest}`, []);
    const matches = mock.method(check, 'matches');
    const signer = this.secrets.signerOf(check, body);
    return { signer, attempts: matches.mock.callCount() };
  }
}

const of = (login: string, url = '') => ({ repository: { full_name: `${login}/x`, html_url: url, owner: { login } } });

test('the secret of a stored app verifies deliveries only while the app is used', async (t) => {
  const appOf = (id: string) => ({ ...host, app: { id, keyFile: '/etc/app.pem' } });
  const cases: [string, BoundSecretsOptions['hosts'], boolean][] = [
    ['the settings have no app', [host, other], true],
    ['the settings have the same app', [appOf('7'), other], true],
    ['the settings have another app', [appOf('8'), other], false],
    ['the settings have another kind', [{ ...host, kind: 'gitea' }, other], false],
    ['the settings do not have the host', [other], false],
  ];
  for (const [when, inSettings, isValid] of cases) {
    const fixture = new Fixture(t, sealer, inSettings);
    await fixture.create('secret of the host', '');
    const id = { origin: origins[0], appId: '7', secretId: 'secret of the app' };
    const app = { ...id, slug: 'app', name: 'App', url: `${origins[0]}/apps/app`, sealed: '', createdAt: 0 };
    await fixture.fold({ name: 'createHostApp', app, secret: fixture.secret('secret of the app', null) });
    for (const payload of [of('acme'), { zen: 'a ping names no owner' }]) {
      const { signer } = fixture.signer('secret of the app', payload);
      assert.equal(signer?.secretId, isValid ? 'secret of the app' : undefined, when);
      const isHostKnown = inSettings.some(({ origin }) => origin === origins[0]);
      const own = fixture.signer('secret of the host', payload).signer;
      assert.equal(own?.secretId, isHostKnown ? 'secret of the host' : undefined, when);
    }
    await fixture.fold({ name: 'removeHostApp', origin: origins[0] });
    assert.equal(fixture.signer('secret of the app', of('acme')).signer, undefined, `${when}, removed`);
  }
});

test('a secret verifies deliveries of its owner only', async (t) => {
  const fixture = new Fixture(t);
  const { id: secretId, orgId } = await fixture.create('secret of acme', 'acme');
  await fixture.create('secret of moon', 'moon');
  const signer = { origin: origins[0], orgId, secretId };
  assert.deepEqual(fixture.signer('secret of acme', of('Acme')), { signer, attempts: 1 });
  assert.deepEqual(fixture.signer('secret of moon', of('acme')), { signer: undefined, attempts: 1 });
  assert.deepEqual(fixture.signer('secret of acme', of('moon')), { signer: undefined, attempts: 1 });
  assert.deepEqual(
    fixture.signer('secret of acme', of('nobody')),
    { signer: undefined, attempts: 1 },
    'one try anyway',
  );
});

test('an invalid signature header takes as many tries', async (t) => {
  const fixture = new Fixture(t);
  await fixture.create('secret of acme', 'acme');
  await fixture.create('another of acme', 'acme');
  for (const header of ['', 'sha256=', 'sha1=00', `sha256=${'0'.repeat(64)}`, `sha256=${'0'.repeat(63)}`]) {
    assert.deepEqual(fixture.signer('', of('acme'), header), { signer: undefined, attempts: 2 }, header);
  }
});

test('a secret of a whole host verifies deliveries of each owner on it', async (t) => {
  const fixture = new Fixture(t);
  await fixture.create('secret of acme', 'acme');
  await fixture.create('secret of a host', '', origins[1]);
  const signer = { origin: origins[1], orgId: null, secretId: 'secret of a host' };
  for (const payload of [of('acme'), of('nobody'), {}]) {
    assert.deepEqual(fixture.signer('secret of a host', payload).signer, signer);
  }
});

test('owners with the same name on two hosts are distinguished by their secret', async (t) => {
  const fixture = new Fixture(t);
  const here = await fixture.create('secret of acme', 'acme');
  const there = await fixture.create('secret of its namesake', 'acme', origins[1]);
  assert.notEqual(here.orgId, there.orgId);
  for (const { id, origin, orgId } of [here, there]) {
    assert.deepEqual(fixture.signer(id, of('acme')).signer, { origin, orgId, secretId: id });
    assert.equal(fixture.signer(id, of('acme', `${origin}/acme/x`)).attempts, 1, 'its own host comes first');
  }
});

test('a secret of a host that is not in the settings verifies nothing', async (t) => {
  const fixture = new Fixture(t);
  await fixture.create('secret of a host', '', 'https://gone.example');
  for (const payload of [of('acme'), {}]) assert.equal(fixture.signer('secret of a host', payload).signer, undefined);
});

test('a large number of secrets costs only a few tries', async (t) => {
  const fixture = new Fixture(t);
  for (let i = 0; i < 40; i++) await fixture.create(`secret number ${i}`, `org${i >> 2}`);
  assert.equal(fixture.signer('forged', of('org3')).attempts, 4);
  assert.equal(fixture.signer('forged', {}).attempts, 8);
  assert.equal(fixture.signer('forged', `[${'0,'.repeat(40_000)}0]`).attempts, 1, 'a large body that names nobody');
  assert.ok(fixture.signer('secret number 0', of('org0')).signer, 'the last of four');
});

test('nothing is tried when there are no secrets', (t) => {
  assert.deepEqual(new Fixture(t).signer('forged', of('acme')), { signer: undefined, attempts: 0 });
});

test('an old secret verifies until its overlap ends', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: epoch });
  const fixture = new Fixture(t);
  const secret = await fixture.create('the old text', 'acme');
  const sealed = sealer.seal('the new text', sealedFor(secret));
  await fixture.fold({ name: 'rotateWebhookSecret', secretId: secret.id, sealed, overlapMs: hour });
  const passes = (text: string) => fixture.signer(text, of('acme')).signer !== undefined;
  assert.deepEqual([passes('the old text'), passes('the new text')], [true, true]);
  t.mock.timers.setTime(epoch + hour - 1);
  assert.ok(passes('the old text'));
  t.mock.timers.setTime(epoch + hour);
  assert.deepEqual([passes('the old text'), passes('the new text')], [false, true]);
  t.mock.timers.setTime(epoch);
  assert.equal(passes('the old text'), false, 'a clock that goes back does not bring it back');
});

test('a clock set back during a restart does not make an old secret valid', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: epoch });
  const fixture = new Fixture(t);
  const secret = await fixture.create('the old text', 'acme');
  const sealed = sealer.seal('the new text', sealedFor(secret));
  await fixture.fold({ name: 'rotateWebhookSecret', secretId: secret.id, sealed, overlapMs: hour });
  assert.ok(fixture.signer('the old text', of('acme')).signer);
  await fixture.fold({ name: 'nameOrganisation', origin: origins[0], login: 'later' }, epoch + hour);
  assert.equal(fixture.signer('the old text', of('acme')).signer, undefined, 'the directory knows how late it was');
});

test('rotation and revocation apply to the next delivery', async (t) => {
  const fixture = new Fixture(t);
  const secret = await fixture.create('the old text', 'acme');
  const passes = (text: string) => fixture.signer(text, of('acme')).signer !== undefined;
  assert.ok(passes('the old text'));
  const sealed = sealer.seal('the new text', sealedFor(secret));
  await fixture.fold({ name: 'rotateWebhookSecret', secretId: secret.id, sealed, overlapMs: 0 });
  assert.deepEqual([passes('the old text'), passes('the new text')], [false, true]);
  await fixture.fold({ name: 'revokeWebhookSecret', secretId: secret.id });
  assert.equal(passes('the new text'), false);
});

test('a secret moved to another organization cannot be decrypted', async (t) => {
  const fixture = new Fixture(t);
  const acme = await fixture.create('secret of acme', 'acme');
  const moon = await fixture.create('secret of moon', 'moon');
  await fixture.fold({ name: 'revokeWebhookSecret', secretId: moon.id });
  await fixture.fold({ name: 'createWebhookSecret', secret: { ...moon, sealed: acme.sealed } });
  assert.equal(fixture.signer('secret of acme', of('moon')).signer, undefined);
  assert.ok(fixture.signer('secret of acme', of('acme')).signer);
});

test('under another sealing key nothing verifies, and each secret is counted once', async (t) => {
  const fixture = new Fixture(t, createSealer(randomBytes(32)));
  await fixture.create('secret of acme', 'acme');
  const count = async () => (await sealsUnreadable.get()).values[0]?.value ?? 0;
  const before = await count();
  fixture.secrets.inspect();
  for (let i = 0; i < 3; i++) assert.equal(fixture.signer('secret of acme', of('acme')).signer, undefined);
  assert.equal((await count()) - before, 1);
});

test('a secret rotated under another sealing key verifies again', async (t) => {
  const later = createSealer(randomBytes(32));
  const fixture = new Fixture(t, later);
  const secret = await fixture.create('the old text', 'acme');
  const sealed = later.seal('the new text', sealedFor(secret));
  await fixture.fold({ name: 'rotateWebhookSecret', secretId: secret.id, sealed, overlapMs: hour }, Date.now());
  assert.ok(fixture.signer('the new text', of('acme')).signer);
  assert.equal(fixture.signer('the old text', of('acme')).signer, undefined);
});

test('without a directory the reply asks the host to retry', () => {
  const logger = createLogger('test', 'silent');
  const secrets = new BoundSecrets({ read: () => undefined, sealer, hosts, logger });
  const check = new SignatureCheck(undefined, []);
  assert.throws(() => secrets.signerOf(check, Buffer.from('{}')), /The service is starting/);
});
