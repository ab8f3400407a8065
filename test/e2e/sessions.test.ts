/**
 * Tests sessions of browsers with a running service: sign-in with a key or a code, what a page may do with the cookie,
 * and how sessions end. Programs, other sites and other ports cannot use the cookie.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { newKey } from '../../src/foundation/api-key.ts';
import { expiredKey } from '../helpers/brief-key.ts';
import { filesWith } from '../helpers/files-with.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const page = { 'sec-fetch-site': 'same-origin' };
const appOrigin = 'https://app.example';

/** A browser that is signed in: the headers that its pages send, and the body of the reply. */
interface Browser {
  cookie: string;
  headers: Record<string, string>;
  session: Answer['body'];
  setCookie: string;
}

async function ask(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: object,
): Promise<Answer> {
  const response = await fetch(service.url + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

let clients = 0;

/**
 * Sends a sign-in from a client of its own behind a proxy with TLS. So sign-ins of one part of the test do not use up
 * those of another.
 */
function send(service: TestService, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  clients += 1;
  const proxied = { 'x-forwarded-for': `203.0.113.${clients}`, 'x-forwarded-proto': 'https' };
  return ask(service, 'POST', '/api/session', { ...proxied, ...page, ...headers }, body);
}

function browserOf(answer: Answer): Browser {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [setCookie = ''] = answer.headers.getSetCookie();
  const cookie = setCookie.split(';')[0] as string;
  const headers = { ...page, cookie, 'x-tidings-csrf': answer.body.csrf };
  return { cookie, headers, session: answer.body, setCookie };
}

async function signIn(service: TestService, body: object, headers: Record<string, string> = {}): Promise<Browser> {
  return browserOf(await send(service, body, headers));
}

test('a browser signs in, and only its pages use the session', async (t) => {
  const service = await startService(t, {
    env: { TIDINGS_LOG_LEVEL: 'info', TIDINGS_TRUSTED_PROXIES: '127.0.0.1', TIDINGS_CORS_ORIGINS: appOrigin },
  });
  const make = async (fields: object = {}) =>
    (await service.api('POST', '/api/keys', { name: 'k', org: 'acme', ...fields })).body;
  const key = await make();
  const status = async (browser: Browser, path = '/api/session') =>
    (await ask(service, 'GET', path, browser.headers)).status;
  /** Secrets that must be in no file and no log line. */
  const secrets: string[] = [];
  const keep = (browser: Browser): Browser => {
    secrets.push(browser.cookie.split('=')[1] as string, browser.session.csrf);
    return browser;
  };

  await t.test('on the machine of the service over plain http', async () => {
    const answer = await ask(service, 'POST', '/api/session', page, { key: key.key });
    const browser = keep(browserOf(answer));
    assert.match(browser.setCookie, /^tidings=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const { id, name, prefix, last4, orgId, scopes } = key;
    assert.deepEqual(answer.body.key, { id, name, prefix, last4, orgId, scopes, testMode: false });
    const { body, headers } = await ask(service, 'GET', '/api/session', browser.headers);
    assert.deepEqual(body, answer.body);
    assert.equal(headers.get('x-ratelimit-limit'), '600');
    assert.match(headers.get('cache-control') ?? '', /no-store/);
    assert.match(headers.get('ratelimit-policy') ?? '', /^"session-min";q=600;w=60, "org-min";q=3000;w=60$/);
    const remaining = Date.parse(body.expiresAt) - Date.now();
    assert.ok(remaining > 11 * 3_600_000 && remaining <= 12 * 3_600_000, String(remaining));
    assert.ok(Date.parse(body.endsAt) - Date.now() > 6.9 * 86_400_000);
  });

  await t.test('over https, and never over plain http from elsewhere', async () => {
    const { setCookie } = keep(await signIn(service, { key: key.key }));
    assert.match(setCookie, /^__Host-tidings=[\w-]{43}; .*; HttpOnly; SameSite=Strict; Secure$/);
    const plain = await send(service, { key: key.key }, { 'x-forwarded-proto': 'http' });
    assert.equal(plain.status, 403);
    assert.match(plain.body.message, /only over https.*Set TIDINGS_PUBLIC_URL/);
    assert.deepEqual(plain.headers.getSetCookie(), []);
  });

  const browser = keep(await signIn(service, { key: key.key }));

  await t.test('a session acts as its key, and is the author of what it writes', async () => {
    const repos = await ask(service, 'GET', '/api/repos', browser.headers);
    assert.deepEqual([repos.status, repos.body.total], [200, 0]);
    assert.equal(repos.headers.get('cache-control'), 'private, no-cache', 'a shared cache does not keep it');
    const made = await ask(service, 'POST', '/api/keys', browser.headers, { name: 'made', scopes: ['repos:read'] });
    assert.deepEqual([made.status, made.body.createdBy, made.body.orgId], [201, key.id, key.orgId]);
    assert.match(service.log, new RegExp(`"action":"createKey","outcome":"done","by":"${key.id}"`));
    const reader = keep(await signIn(service, { key: made.body.key }));
    assert.match(
      (await ask(service, 'GET', '/api/drafts', reader.headers)).body.message,
      /lacks the scope drafts:read/,
    );
    const foreign = await ask(service, 'GET', `/api/orgs/${(await make({ org: 'umbrella' })).orgId}`, browser.headers);
    assert.equal(foreign.status, 404);
    const testKey = await make({ mode: 'test' });
    const testing = keep(await signIn(service, { key: testKey.key }));
    assert.equal(testing.session.key.testMode, true);
    const list = await ask(service, 'GET', '/api/repos', testing.headers);
    assert.deepEqual([list.headers.get('x-test-mode'), list.body.repos[0].fullName], ['true', 'acme/rocket']);
  });

  await t.test('requests of a session are not counted as usage of the API', async () => {
    const calls = async () => (await service.api('GET', '/api/stats', undefined, key.key)).body.apiCalls;
    const before = await calls();
    for (let i = 0; i < 5; i++) assert.equal(await status(browser, '/api/repos'), 200);
    assert.equal(await calls(), before + 1, 'only the request for the statistics is counted');
  });

  await t.test('the cookie alone is refused for every operation', async () => {
    const { 'x-tidings-csrf': csrf, ...without } = browser.headers as { 'x-tidings-csrf': string };
    const other = keep(await signIn(service, { key: key.key }));
    const bad: [Record<string, string>, RegExp][] = [
      [without, /^X-Tidings-CSRF: .* got nothing/],
      [{ ...browser.headers, 'x-tidings-csrf': other.session.csrf }, /^X-Tidings-CSRF: .* got another value/],
      [{ ...browser.headers, 'sec-fetch-site': 'cross-site' }, /^Sec-Fetch-Site: .* got "cross-site"/],
      // A page of another port of this host is of the same site, and the browser sends it the cookie.
      [{ ...browser.headers, 'sec-fetch-site': 'same-site' }, /^Sec-Fetch-Site: .* got "same-site"/],
      [{ cookie: browser.cookie, 'x-tidings-csrf': csrf }, /^Sec-Fetch-Site: .* got nothing/],
    ];
    const paths: [string, string, object?][] = [
      ['GET', '/api/session'],
      ['DELETE', '/api/session'],
      ['DELETE', '/api/sessions'],
      ['GET', '/api/repos'],
      ['POST', '/api/keys', { name: 'x' }],
      ['DELETE', `/api/keys/${key.id}`],
    ];
    for (const [headers, message] of bad) {
      for (const [method, path, body] of paths) {
        const answer = await ask(service, method, path, headers, body);
        assert.equal(answer.status, 403, `${method} ${path}`);
        assert.match(answer.body.message, message);
      }
    }
    assert.equal(await status(browser), 200);
  });

  await t.test('a request with a key ignores the cookie', async () => {
    const authorization = `Bearer ${key.key}`;
    const answer = await ask(service, 'GET', '/api/repos', { cookie: browser.cookie, authorization });
    assert.equal(answer.status, 200);
    const own = await ask(service, 'GET', '/api/session', { ...browser.headers, authorization });
    assert.deepEqual([own.status, /needs a session/.test(own.body.message)], [401, true]);
    const wrong = await ask(service, 'GET', '/api/repos', { ...browser.headers, authorization: 'Bearer nonsense' });
    assert.equal(wrong.status, 401);
  });

  await t.test('pages of an allowed origin may use keys, but no session', async () => {
    for (const path of ['/api/session', '/api/repos']) {
      const { headers } = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: {
          origin: appOrigin,
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'x-tidings-csrf',
        },
      });
      assert.equal(headers.get('access-control-allow-origin'), appOrigin);
      assert.equal(headers.get('access-control-allow-credentials'), null);
      assert.doesNotMatch(headers.get('access-control-allow-headers') ?? '', /csrf|cookie/i);
    }
    const sent = { ...browser.headers, origin: appOrigin, 'sec-fetch-site': 'cross-site' };
    const answer = await ask(service, 'GET', '/api/repos', sent);
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-credentials')], [403, null]);
  });

  await t.test('another site cannot sign a browser in', async () => {
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await send(service, { key: key.key }, { 'sec-fetch-site': site });
      assert.deepEqual([answer.status, answer.headers.getSetCookie()], [403, []]);
    }
    const list = await send(service, ['key']);
    assert.deepEqual([list.status, list.headers.getSetCookie()], [400, []]);
    const form = await fetch(`${service.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'x-forwarded-for': '198.51.100.1', 'x-forwarded-proto': 'https' },
      body: JSON.stringify({ key: key.key }),
    });
    assert.deepEqual([form.status, form.headers.getSetCookie()], [415, []]);
  });

  await t.test('a sign-in makes a new token, and ends the session that the browser had', async () => {
    const planted = `__Host-tidings=${randomBytes(32).toString('base64url')}`;
    const first = keep(await signIn(service, { key: key.key }, { cookie: planted }));
    assert.notEqual(first.cookie, planted);
    const stolen = await ask(service, 'GET', '/api/session', { ...first.headers, cookie: planted });
    assert.equal(stolen.status, 401);
    const second = keep(await signIn(service, { key: key.key }, { cookie: first.cookie }));
    assert.notEqual(second.cookie, first.cookie);
    assert.deepEqual([await status(first), await status(second), await status(browser)], [401, 200, 200]);
    await waitUntil('the audit log names the ended session', () =>
      /"action":"createSession","outcome":"done".*"endedSessions":\["ses_/.test(service.log),
    );
    const foreign = (await make({ org: 'mallory' })).key;
    await signIn(service, { key: foreign }, { cookie: second.cookie });
    assert.equal(await status(second), 200, 'who has only the cookie cannot end the session');
    const third = keep(await signIn(service, { key: key.key }));
    const csrf = { 'x-tidings-csrf': third.session.csrf };
    await signIn(service, { key: foreign }, { cookie: third.cookie, ...csrf });
    assert.equal(await status(third), 401, 'a browser that changes its key ends its session');
    const failed = await send(service, { key: newKey() }, { cookie: second.cookie });
    assert.deepEqual([failed.status, await status(second)], [401, 200], 'a refused sign-in ends nothing');
  });

  await t.test('a refusal names the fault of the key', async () => {
    const revoked = await make();
    await service.api('DELETE', `/api/keys/${revoked.id}`);
    const expired = await expiredKey(service, { org: 'acme' });
    const mistyped = key.key.slice(0, -1) + (key.key.endsWith('0') ? '1' : '0');
    const causes: [object, number, RegExp][] = [
      [{ key: 'nonsense' }, 401, /is malformed/],
      [{ key: `${key.key} ` }, 401, /is malformed/],
      [{ key: mistyped }, 401, /checksum does not match/],
      [{ key: newKey() }, 401, /is not known/],
      [{ key: revoked.key }, 401, /was revoked/],
      [{ key: expired.key }, 401, /has expired/],
      [{ code: 'x' }, 401, /code is not known/],
      [{}, 400, /body: expected either key or code, got none of them$/],
      [{ key: key.key, code: 'x' }, 400, /body: expected either key or code, got both$/],
      [{ key: 5 }, 400, /key: expected a string/],
      [{ key: '' }, 400, /key: expected a string that is not empty/],
      [{ key: key.key, more: 1 }, 400, /more/],
    ];
    for (const [body, expected, message] of causes) {
      const answer = await send(service, body);
      assert.equal(answer.status, expected, JSON.stringify(answer.body));
      assert.match(answer.body.message, message);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    }
    const refusals = () => service.metric('tidings_sessions_refused_total');
    const before = await refusals();
    const large = await send(service, { key: 'x'.repeat(5000) });
    assert.deepEqual([large.status, (await refusals()) - before], [413, 1], 'a body that is too large is counted');
    const lines = service.log.split('\n').filter((line) => line.includes('"action":"createSession"'));
    const refused = lines.filter((line) => line.includes('"outcome":"refused"'));
    for (const reason of ['mistyped', 'unknown', 'expired', 'code', 'insecure', 'cross_site', 'invalid']) {
      assert.ok(
        refused.some((line) => line.includes(`"objects":{"reason":"${reason}"}`)),
        reason,
      );
    }
    assert.ok(refused.some((line) => line.includes(`"by":"${revoked.id}"`)));
    assert.ok((await service.metric('tidings_sessions_refused_total')) >= causes.length);
  });

  await t.test('a client signs in five times per minute', async () => {
    const client = { 'x-forwarded-for': '198.51.100.7' };
    for (let i = 0; i < 5; i++) {
      const body = i % 2 === 0 ? { key: newKey() } : { key: key.key };
      assert.notEqual((await send(service, body, client)).status, 429);
    }
    const answer = await send(service, { key: key.key }, client);
    assert.equal(answer.status, 429);
    const seconds = Number(answer.headers.get('retry-after'));
    assert.ok(seconds > 0 && seconds <= 60 && answer.body.retryAfter === seconds);
    assert.equal((await send(service, { key: key.key })).status, 200, 'another client is not limited');
  });

  await t.test('a code of the command line signs in once', async () => {
    const { url, keyId } = JSON.parse(service.tidings('dashboard', '--json'));
    const [address, code] = url.split('/#k=');
    assert.equal(address, service.url);
    const both = await Promise.all([send(service, { code }), send(service, { code })]);
    assert.deepEqual(both.map((answer) => answer.status).sort(), [200, 401]);
    const won = keep(browserOf(both.find((answer) => answer.status === 200) as Answer));
    assert.deepEqual([won.session.key.id, won.session.key.name], [keyId, 'instance admin']);
    const again = await send(service, { code });
    assert.match(again.body.message, /was used before.*tidings dashboard/);
    secrets.push(code);
    const link = service.tidings('dashboard', '--key', key.id).trim();
    secrets.push(link.split('#k=')[1] as string);
    const named = keep(await signIn(service, { code: link.split('#k=')[1] }));
    assert.equal(named.session.key.id, key.id);
    assert.throws(() => service.tidings('dashboard', '--key', 'key_none'), /is not found/);
    await waitUntil('the audit log has the code', () =>
      /"action":"createSignInCode","outcome":"done","by":"command line"/.test(service.log),
    );
  });

  await t.test('the end of the gateway does not end a session', async () => {
    await service.killParts('gateway');
    await waitUntil('the gateway is back', async () => (await status(browser).catch(() => 0)) === 200);
  });

  await t.test('sign-out ends the session, and removes the cookie', async () => {
    const leaving = keep(await signIn(service, { key: key.key }));
    const answer = await ask(service, 'DELETE', '/api/session', leaving.headers);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.getSetCookie().join(), /__Host-tidings=; Path=\/; Max-Age=0;/);
    const after = await ask(service, 'GET', '/api/session', leaving.headers);
    assert.deepEqual([after.status, /Sign in again/.test(after.body.message)], [401, true]);
    assert.equal(await status(browser), 200);
  });

  await t.test('sign-out everywhere ends the sessions of the key, and no other ones', async () => {
    const [more, other] = [await signIn(service, { key: key.key }), await signIn(service, { key: (await make()).key })];
    const answer = await ask(service, 'DELETE', '/api/sessions', browser.headers);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.keyId, key.id);
    assert.deepEqual([await status(browser), await status(more), await status(other)], [401, 401, 200]);
    const last = await signIn(service, { key: key.key });
    const byKey = await service.api('DELETE', '/api/sessions', undefined, key.key);
    assert.deepEqual([byKey.body.endedSessions, await status(last)], [1, 401]);
  });

  await t.test('a session ends at once when its key is revoked', async () => {
    const brief = await make();
    const signed = keep(await signIn(service, { key: brief.key }));
    assert.equal(await status(signed, '/api/repos'), 200);
    await service.api('DELETE', `/api/keys/${brief.id}`);
    const answer = await ask(service, 'GET', '/api/repos', signed.headers);
    assert.deepEqual([answer.status, /API key was revoked\. Sign in/.test(answer.body.message)], [401, true]);
  });

  await t.test('operations on sessions have no test mode', async () => {
    const answer = await send(service, { key: key.key }, { 'x-test-mode': 'true' });
    assert.deepEqual([answer.status, /has no test mode/.test(answer.body.message)], [403, true]);
    const unclear = await send(service, { key: key.key }, { 'x-test-mode': 'yes' });
    assert.equal(unclear.status, 400);
    assert.match(unclear.body.message, /X-Test-Mode: expected true or false, got "yes"/);
    assert.equal((await send(service, { key: key.key }, { 'x-test-mode': 'false' })).status, 200);
  });

  await t.test('no secret of a session is in a file or in the log', async () => {
    assert.ok(secrets.length > 20);
    for (const secret of secrets) {
      assert.deepEqual(filesWith(service.dataDir, secret), []);
      assert.ok(!service.log.includes(secret));
    }
    assert.doesNotMatch(service.log, /request failed/);
  });
});
