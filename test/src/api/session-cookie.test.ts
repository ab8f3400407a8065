/**
 * Tests the cookie of sessions: how it is read and written, and which browsers get it over https, over plain http, or
 * not at all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CookieChoice, clearCookies, sessionTokens, setCookie } from '../../../src/api/session-cookie.ts';
import { newSessionSecret } from '../../../src/foundation/session-secret.ts';

const [token, other] = [newSessionSecret(), newSessionSecret()];

test('the token is read from the cookie of https, and on loopback hosts also from that of plain http', () => {
  const at = (cookie: string, host = 'notes.example') => sessionTokens({ cookie, host });
  assert.deepEqual(at(`__Host-tidings=${token}`), [token]);
  assert.deepEqual(at(`a=b; tidings=${other}; __Host-tidings=${token} `, '127.0.0.1:8080'), [token, other]);
  assert.deepEqual(at(`tidings=${token}`), []);
  for (const host of ['127.0.0.1', '127.0.0.1:8080', 'localhost:1', 'a.localhost', '[::1]:8080', 'LOCALHOST']) {
    assert.deepEqual(at(`tidings=${token}`, host), [token], host);
  }
  for (const host of ['127.0.0.1.evil.example', 'localhost.example', 'evil.example:8080', '[::2]', '', '1270.0.0.1']) {
    assert.deepEqual(at(`tidings=${token}`, host), [], host);
  }
});

test('a cookie that is not a token counts as absent', () => {
  const bad = ['', token.slice(1), `${token}x`, `"${token}"`, `${token.slice(1)}%`, '__proto__'];
  for (const value of bad) assert.deepEqual(sessionTokens({ cookie: `__Host-tidings=${value}` }), [], value);
  for (const cookie of ['', ';;;', '=', token, `__host-tidings=${token}`, `x__Host-tidings=${token}`]) {
    assert.deepEqual(sessionTokens({ cookie }), [], cookie);
  }
  assert.deepEqual(sessionTokens({}), []);
  assert.deepEqual(sessionTokens({ cookie: `__Host-tidings=old; __Host-tidings=${token}` }), [token]);
});

test('a request has few tokens, and the one of the shortest path is among them', () => {
  const set = Array.from({ length: 50 }, () => `tidings=${newSessionSecret()}`);
  const tokens = sessionTokens({ cookie: [...set, `tidings=${token}`].join('; '), host: 'localhost:8080' });
  assert.deepEqual([tokens.length, tokens.at(-1)], [4, token]);
  const same = sessionTokens({ cookie: `tidings=${token}; tidings=${token}`, host: 'localhost:8080' });
  assert.deepEqual(same, [token]);
});

test('cookies are closed to scripts, other sites and, over https, to plain http', () => {
  const common = 'Path=/; Max-Age=604800; HttpOnly; SameSite=Strict';
  assert.equal(setCookie('__Host-tidings', token), `__Host-tidings=${token}; ${common}; Secure`);
  assert.equal(setCookie('tidings', token), `tidings=${token}; ${common}`);
  assert.deepEqual(clearCookies({ cookie: 'a=b' }), []);
  assert.deepEqual(clearCookies({ cookie: `tidings=${token}` }), [
    'Set-Cookie',
    'tidings=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ]);
  assert.deepEqual(clearCookies({ cookie: `tidings=${token}` }, 'tidings'), []);
  assert.match(
    clearCookies({ cookie: `__Host-tidings=${token}` })[1] ?? '',
    /^__Host-tidings=; .*Max-Age=0.*; Secure$/,
  );
});

test('the browser’s address, else the proxy and the settings, decide which cookie it gets', () => {
  const nameFor = (
    peer: string,
    headers: Record<string, string>,
    { publicUrl = '', trustedProxies = ['10.0.0.1'] }: { publicUrl?: string; trustedProxies?: string[] } = {},
  ): string => {
    try {
      return new CookieChoice({ publicUrl, trustedProxies }).nameFor(peer, headers);
    } catch (error) {
      assert.match(
        (error as Error).message,
        /for a container, publish its port.*TIDINGS_PUBLIC_URL.*TIDINGS_TRUSTED_PROXIES/,
      );
      return 'refused';
    }
  };
  const secure = '__Host-tidings';
  const publicUrl = 'https://notes.example';
  const host = 'notes.example';
  const local = '127.0.0.1:8080';
  const cases: [string, string, Record<string, string>, { publicUrl?: string; trustedProxies?: string[] }?][] = [
    // A browser states its own address.
    [secure, '8.8.8.8', { host, origin: publicUrl }],
    [secure, '127.0.0.1', { host: local, origin: publicUrl }],
    ['tidings', '127.0.0.1', { host: local, origin: `http://${local}` }],
    ['tidings', '127.0.0.1', { host: local, origin: `http://${local}` }, { publicUrl }],
    ['tidings', '0:0:0:0:0:0:0:1', { host: '[::1]:8080', origin: 'http://[::1]:8080' }],
    ['refused', '8.8.8.8', { host, origin: `http://${host}` }, { publicUrl }],
    ['refused', '127.0.0.1', { host: local, origin: `http://${host}` }, { publicUrl }],
    ['refused', '127.0.0.1', { host: local, origin: 'null' }],
    ['refused', '8.8.8.8', { host: local, origin: `http://${local}` }],
    // Another name that leads to this machine is not loopback (DNS rebinding).
    ['refused', '127.0.0.1', { host: 'evil.example', origin: 'http://evil.example' }],
    // Without Origin, the proxy and the settings decide.
    [secure, '10.0.0.1', { host, 'x-forwarded-proto': 'https' }],
    [secure, '10.0.0.1', { host, 'x-forwarded-proto': 'http, HTTPS' }],
    ['refused', '10.0.0.1', { host, 'x-forwarded-proto': 'http' }],
    ['refused', '10.0.0.2', { host, 'x-forwarded-proto': 'https' }],
    [secure, '8.8.8.8', { host }, { publicUrl }],
    ['refused', '8.8.8.8', { host }, { publicUrl: 'http://notes.example' }],
    ['tidings', '127.0.0.1', { host: local }],
    ['refused', '127.0.0.1', { host }],
    // A proxy on this machine that rewrites Host does not make its clients local.
    ['refused', '127.0.0.1', { host: local, 'x-forwarded-for': '8.8.8.8' }],
    ['refused', '127.0.0.1', { host: local, via: '1.1 proxy' }],
    // A container sees browsers of its machine behind the gateway of its network.
    ['tidings', '172.17.0.1', { host: local, origin: `http://${local}` }],
    ['tidings', '::ffff:192.168.65.1', { host: local, origin: `http://${local}` }],
    ['tidings', 'fd00::1', { host: 'localhost:8080', origin: 'http://localhost:8080' }],
    ['refused', '172.17.0.1', { host: local }],
    ['refused', '172.17.0.1', { host: local }, { trustedProxies: ['172.17.0.1'] }],
    ['refused', '172.32.0.1', { host: local, origin: `http://${local}` }],
    ['refused', '172.17.0.1', { host: local, origin: `http://${host}` }],
    ['refused', '172.17.0.1', { host, origin: `http://${host}` }],
    ['refused', '172.17.0.1', { host: local, origin: `http://${local}`, 'x-forwarded-for': '8.8.8.8' }],
  ];
  for (const [expected, peer, headers, settings] of cases) {
    assert.equal(nameFor(peer, headers, settings), expected, JSON.stringify([peer, headers, settings]));
  }
});
