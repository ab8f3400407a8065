/**
 * Tests the authentication by session, with a clock of the test: which requests may use a session, and when it ends.
 * Also tests how often the use of a session is sent to the journal.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { Authenticator } from '../../../src/api/authenticate.ts';
import { takeFromLimit } from '../../../src/api/handle.ts';
import type { ApiServices } from '../../../src/api/services.ts';
import { Sessions } from '../../../src/api/sessions.ts';
import type { AuditLine } from '../../../src/foundation/audit.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { hashSessionSecret, newSessionSecret } from '../../../src/foundation/session-secret.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import type { KeyRecord } from '../../../src/protocol/commands.ts';
import type { CommandRecord } from '../../../src/protocol/journal.ts';
import { sessionIdleMs, sessionMaxMs, sessionRenewalMs } from '../../../src/protocol/sessions.ts';
import { Readers } from '../../../src/store/readers.ts';
import { readSession } from '../../../src/store/tables/sessions.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const origin = 'https://scm.example';

/** Signs a browser in at `epoch`, with a key of these fields. There is another key, `key_0`. */
async function signedIn(t: TestContext, fields: Partial<KeyRecord> = {}) {
  const dataDir = temporaryFolder(t);
  const directory = openTestPartition(t, 'directory', dataDir);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  const authenticator = new Authenticator(readers, loadSettings({}));
  let seq = 0;
  const run = (command: object, at = epoch) => {
    seq += 1;
    return foldRecords(directory, seq, commandRecord(command as never, at));
  };
  await run({ name: 'createKey', org: null, origin, key: keyFields('key_0') });
  await run({ name: 'createKey', org: null, origin, key: keyFields('key_1', fields) });
  const [token, csrf] = [newSessionSecret(), newSessionSecret()];
  const session = { id: 'ses_1', keyId: 'key_1', token: hashSessionSecret(token), csrf: hashSessionSecret(csrf) };
  await run({ name: 'createSession', session });
  const headers: Record<string, string> = {
    cookie: `__Host-tidings=${token}`,
    'x-tidings-csrf': csrf,
    'sec-fetch-site': 'same-origin',
  };
  /** Sends a request and returns `ok`, or the refusal. */
  const ask = (changed: Record<string, string | undefined> = {}, at = epoch, scope: 'repos:read' | null = null) => {
    const sent = Object.entries({ ...headers, ...changed }).filter((entry): entry is [string, string] => !!entry[1]);
    try {
      const { caller } = authenticator.admitRequest(Object.fromEntries(sent), scope, at);
      assert.deepEqual([caller.key.id, caller.session?.id], ['key_1', 'ses_1']);
      return 'ok';
    } catch (error) {
      assert.ok(error instanceof ServiceError, String(error));
      return `${error.status} ${error.message}`;
    }
  };
  return { directory, authenticator, run, headers, ask, token, csrf };
}

test('a session acts as its key, with limits of its own', async (t) => {
  const { authenticator, headers, ask } = await signedIn(t, { scopes: ['repos:read'], prefix: 'rn_test_' });
  assert.equal(ask({}, epoch, 'repos:read'), 'ok');
  const { caller } = authenticator.admitRequest(headers, null, epoch);
  assert.equal(caller.isTest, true);
  assert.equal(caller.limited, caller.testLimited);
  assert.deepEqual([caller.limited.keyId, caller.limited.tier.apiPerMinute], ['ses_1', 600]);
  assert.equal(caller.limited.organization, 'instance session');
  assert.throws(() => authenticator.admitRequest(headers, 'drafts:write', epoch), /lacks the scope drafts:write/);
  assert.equal(authenticator.keyIdOf(headers, epoch), 'key_1');
});

test('a session needs its second secret, and a request from a page of the service', async (t) => {
  const { authenticator, headers, ask, token, csrf } = await signedIn(t);
  assert.equal(ask(), 'ok');
  assert.match(ask({ 'x-tidings-csrf': undefined }), /^403 X-Tidings-CSRF: .* got nothing/);
  for (const value of [newSessionSecret(), token, hashSessionSecret(csrf), csrf.slice(1), `${csrf} `]) {
    assert.match(ask({ 'x-tidings-csrf': value }), /^403 X-Tidings-CSRF: .* got another value/);
  }
  for (const site of ['cross-site', 'same-site', 'none', 'Same-Origin', undefined]) {
    assert.match(ask({ 'sec-fetch-site': site }), /^403 Sec-Fetch-Site: expected same-origin/, site);
  }
  assert.match(
    ask({ cookie: `__Host-tidings=${newSessionSecret()}` }),
    /^401 The session has ended\. Sign in again\.$/,
  );
  assert.match(ask({ cookie: 'other=1' }), /^401 The request has no API key/);
  const withKey = { ...headers, authorization: 'Bearer nonsense' };
  assert.throws(
    () => authenticator.admitRequest(withKey, null, epoch),
    /API key is malformed/,
    'the cookie is ignored',
  );
  assert.equal(authenticator.keyIdOf({ ...headers, 'x-tidings-csrf': 'x' }, epoch), undefined);
});

test('a cookie that another program has set does not lock anyone out', async (t) => {
  const { ask, token } = await signedIn(t);
  const planted = newSessionSecret();
  const cookies = [
    `tidings=${planted}; tidings=${token}`,
    `__Host-tidings=${planted}; tidings=${token}`,
    `__Host-tidings=${token}; tidings=${planted}`,
    `${`tidings=${planted}; tidings=${newSessionSecret()}; `.repeat(20)}tidings=${token}`,
  ];
  for (const cookie of cookies) assert.equal(ask({ cookie, host: '127.0.0.1:8080' }), 'ok', cookie);
  const cookie = `tidings=${planted}; tidings=${token}`;
  const foreign = ask({ cookie, host: '127.0.0.1:8080', 'x-tidings-csrf': newSessionSecret() });
  assert.match(foreign, /^401 The session has ended/);
});

test('a session ends when it is not used, and at its maximum', async (t) => {
  const { run, ask, token } = await signedIn(t);
  const ended = /^401 The session has expired\. Sign in again\.$/;
  assert.equal(ask({}, epoch + sessionIdleMs - 1), 'ok');
  assert.match(ask({}, epoch + sessionIdleMs), ended);
  const renew = (at: number) => run({ name: 'renewSession', token: hashSessionSecret(token) }, at);
  await renew(epoch + sessionRenewalMs);
  assert.equal(ask({}, epoch + sessionIdleMs), 'ok');
  for (let at = sessionRenewalMs; at < sessionMaxMs; at += sessionIdleMs / 2) await renew(epoch + at);
  assert.equal(ask({}, epoch + sessionMaxMs - 1), 'ok');
  assert.match(ask({}, epoch + sessionMaxMs), ended);
});

test('a session that was made or used while the clock was ahead ends when the clock is right again', async (t) => {
  const { run, ask, token } = await signedIn(t);
  assert.equal(ask({}, epoch - 600_000), 'ok', 'clocks may differ a little');
  assert.match(ask({}, epoch - 600_001), /^401 The session has expired/);
  await run({ name: 'renewSession', token: hashSessionSecret(token) }, epoch + sessionIdleMs - 1);
  await nextTurn();
  assert.equal(ask({}, epoch + sessionIdleMs - 1), 'ok');
  assert.match(ask({}, epoch), /^401 The session has expired/);
});

test('a session ends with its key, at once', async (t) => {
  const expiring = await signedIn(t, { expiresAt: epoch + 1000 });
  assert.equal(expiring.ask({}, epoch + 999), 'ok');
  assert.match(expiring.ask({}, epoch + 1000), /^401 The session has expired/);
  const revoked = await signedIn(t);
  assert.equal(revoked.ask(), 'ok');
  await revoked.run({ name: 'revokeKey', keyId: 'key_1' });
  await nextTurn();
  assert.match(revoked.ask(), /^401 The session has ended, because its API key was revoked\. Sign in again\.$/);
  const inherited = await signedIn(t, { createdBy: 'key_0' });
  assert.equal(inherited.ask(), 'ok');
  await inherited.run({ name: 'revokeKey', keyId: 'key_0' });
  await nextTurn();
  assert.match(inherited.ask(), /^401 The session has ended, because its API key was revoked/, 'with its creator');
});

test('a session ends by sign-out, at once', async (t) => {
  const { run, ask, token } = await signedIn(t);
  assert.equal(ask(), 'ok');
  await run({ name: 'endSession', sessionId: 'ses_1', token: hashSessionSecret(token) });
  await nextTurn();
  assert.match(ask(), /^401 The session has ended/);
});

test('the use of a session is noted at most once in ten minutes', async (t) => {
  const { directory, token } = await signedIn(t);
  const session = readSession(directory, hashSessionSecret(token)) ?? assert.fail();
  const sent: CommandRecord[] = [];
  const sessions = new Sessions({
    ...{ publicUrl: '', trustedProxies: [], auditor: undefined },
    enqueue: async (record) => sent.push(record),
  });
  const use = (ms: number, of = session) => {
    sessions.used(of, epoch + ms);
    return sent.length;
  };
  assert.deepEqual(
    [use(0), use(sessionRenewalMs - 1), use(sessionRenewalMs), use(2 * sessionRenewalMs - 1)],
    [0, 0, 1, 1],
  );
  assert.equal(use(2 * sessionRenewalMs), 2, 'the journal may have lost the first record');
  sessions.sweep(0, epoch + 3 * sessionRenewalMs);
  assert.equal(use(3 * sessionRenewalMs), 3);
  use(365 * 86_400_000, {
    ...session,
    id: 'ses_ahead',
    renewedAt: epoch + 364.9 * 86_400_000,
    createdAt: epoch + 364.9 * 86_400_000,
  });
  const ahead = { ...session, id: 'ses_ahead' };
  assert.equal(use(sessionRenewalMs, ahead), 5, 'a use while the clock was ahead does not count');
  sent.length = 3;
  const old = { ...session, id: 'ses_old', renewedAt: epoch + sessionMaxMs - sessionIdleMs };
  assert.equal(use(sessionMaxMs - 1, old), 3, 'a session at its maximum is not noted');
  assert.deepEqual(
    sent.map(({ command }) => command),
    Array(3).fill({ name: 'renewSession', token: session.token }),
  );
});

test('a request of a session counts for the session only, and notes its use', async (t) => {
  const { authenticator, headers } = await signedIn(t);
  const sent: CommandRecord[] = [];
  const sessions = new Sessions({
    ...{ publicUrl: '', trustedProxies: [], auditor: undefined },
    enqueue: async (record) => sent.push(record),
  });
  const counted: string[] = [];
  const note = (what: string) => (keyId: string) => counted.push(`${what} ${keyId}`);
  const usage = { touch: note('touch'), count: note('count') };
  // No limit of the key: a request that used it would fail.
  const services = { sessions, usage, limit: undefined } as unknown as ApiServices;
  const { caller } = authenticator.admitRequest(headers, null, epoch);
  const request = (at: number) => {
    const exchange = { startedAt: at, extraHeaders: [] as readonly string[] };
    takeFromLimit(exchange as Exchange, services, caller, false, epoch + at);
    return exchange.extraHeaders;
  };
  for (let i = 0; i < 600; i++) assert.ok(request(i).includes('private, no-cache'));
  assert.throws(() => request(600), /The limit of 600 requests per minute per session is exceeded\. Wait 60 seconds/);
  assert.equal(sent.length, 0);
  request(sessionRenewalMs);
  assert.deepEqual(
    sent.map(({ command }) => command.name),
    ['renewSession'],
  );
  assert.deepEqual([...new Set(counted)], ['touch key_1'], 'the use of the key is noted, but not counted');
});

test('all sessions of an organization share one more limit', async (t) => {
  const { authenticator, run } = await signedIn(t);
  const { limit } = new Sessions({
    ...{ publicUrl: '', trustedProxies: [], auditor: undefined },
    enqueue: async () => undefined,
  });
  /** Signs in with a new key of an organization. Returns a function that sends a request with the session. */
  const open = async (nth: number, org: string) => {
    await run({ name: 'createKey', org, origin, key: keyFields(`key_${org}_${nth}`) });
    const [token, csrf] = [newSessionSecret(), newSessionSecret()];
    const session = { id: `ses_${org}_${nth}`, keyId: `key_${org}_${nth}` };
    const hashes = { token: hashSessionSecret(token), csrf: hashSessionSecret(csrf) };
    await run({ name: 'createSession', session: { ...session, ...hashes } });
    await nextTurn();
    const headers = { cookie: `__Host-tidings=${token}`, 'x-tidings-csrf': csrf, 'sec-fetch-site': 'same-origin' };
    return () => limit.take(authenticator.admitRequest(headers, null, epoch).caller.limited, 0, epoch);
  };
  const acme = [];
  for (let nth = 0; nth < 6; nth++) acme.push(await open(nth, 'acme'));
  for (const send of acme.slice(0, 5)) for (let i = 0; i < 600; i++) send();
  const message = /limit of 3000 requests per minute for all sessions of an organization is exceeded/;
  assert.throws(acme[5] as () => void, message, 'another key does not help');
  (await open(0, 'umbrella'))();
});

test('refused sign-ins fill the audit log only to a limit', () => {
  const lines: AuditLine[] = [];
  const sessions = new Sessions({
    ...{ publicUrl: '', trustedProxies: [] },
    auditor: { by: 'start', write: (line) => void lines.push(line) },
    enqueue: async () => undefined,
  });
  for (let i = 0; i < 500; i++) sessions.refused(new ServiceError('invalid', 'secret text'), 'r1');
  assert.ok(lines.length >= 60 && lines.length < 100, String(lines.length));
  assert.deepEqual(lines[0], {
    action: 'createSession',
    outcome: 'refused',
    by: 'unknown',
    requestId: 'r1',
    objects: { reason: 'invalid' },
  });
});

/** Waits until requests see the newest state: requests of one turn of the event loop share a state. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
