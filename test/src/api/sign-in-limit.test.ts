/** Tests the limit of sign-ins per client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hiddenSignInsPerMinute, SignInLimit, signInsPerMinute } from '../../../src/api/sign-in-limit.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';

/** Signs in once. Returns the seconds to wait; 0 = the sign-in is allowed. */
function waitOf(limit: SignInLimit, peer: string, now: number, forwarded?: string): number {
  try {
    limit.take(peer, forwarded, now);
    return 0;
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'rateLimited');
    return error.retryAfter ?? assert.fail();
  }
}

test('a client may sign in five times in any minute', () => {
  const limit = new SignInLimit([]);
  const waits = [0, 10, 20, 30, 40, 50].map((second) => waitOf(limit, '8.8.8.8', second * 1000));
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 10]);
  assert.equal(waitOf(limit, '9.9.9.9', 50_000), 0, 'another client is not limited');
  assert.equal(waitOf(limit, '8.8.8.8', 60_000), 0);
  assert.equal(waitOf(limit, '8.8.8.8', 60_001), 10);
});

test('an IPv6 network and a client behind a trusted proxy count as one client', () => {
  const limit = new SignInLimit(['10.0.0.1']);
  for (let i = 0; i < signInsPerMinute; i++) {
    assert.equal(waitOf(limit, `2001:db8:0:1::${i}`, 0), 0);
    assert.equal(waitOf(limit, '10.0.0.1', 0, `6.6.6.6, 8.8.8.8`), 0);
  }
  assert.equal(waitOf(limit, '2001:db8:0:1:ffff::', 0), 60);
  assert.equal(waitOf(limit, '2001:db8:0:2::', 0), 0);
  assert.equal(waitOf(limit, '10.0.0.1', 0, '7.7.7.7, 8.8.8.8'), 60, 'a made-up entry changes nothing');
  assert.equal(waitOf(limit, '10.0.0.1', 0, '9.9.9.9'), 0);
});

test('clients that a proxy hides do not lock each other out with a few sign-ins', () => {
  const limit = new SignInLimit(['10.0.0.1']);
  for (let i = 0; i < hiddenSignInsPerMinute; i++) {
    assert.equal(waitOf(limit, '10.0.0.2', 0, `8.8.8.${i}`), 0, 'the proxy is not trusted');
    assert.equal(waitOf(limit, '10.0.0.1', 0, 'unknown'), 0, 'the trusted proxy does not state the client');
  }
  assert.throws(() => limit.take('10.0.0.2', '8.8.8.8', 0), /TIDINGS_TRUSTED_PROXIES.* together may sign in 60/);
  assert.equal(waitOf(limit, '10.0.0.1', 0, 'unknown'), 60);
  assert.equal(waitOf(limit, '10.0.0.1', 0), 60);
  for (let i = 0; i < signInsPerMinute; i++) assert.equal(waitOf(limit, '10.0.0.2', 0), 0);
  assert.equal(waitOf(limit, '10.0.0.2', 0), 60, 'a direct client has the lower maximum');
});

test('a trusted proxy may state the port of the client', () => {
  const limit = new SignInLimit(['10.0.0.1']);
  const hops = ['8.8.8.8:1000', '8.8.8.8:1001', '8.8.8.8', '9.9.9.9, 8.8.8.8:65535', '8.8.8.8:1'];
  for (const hop of hops) assert.equal(waitOf(limit, '10.0.0.1', 0, hop), 0, hop);
  assert.equal(waitOf(limit, '10.0.0.1', 0, '8.8.8.8:1002'), 60);
  const networks = ['[2001:db8::1]:1000', '[2001:db8::2]', '2001:db8::3', '[2001:DB8::4]:1', '[2001:db8::5]:2'];
  for (const hop of networks) assert.equal(waitOf(limit, '10.0.0.1', 0, hop), 0, hop);
  assert.equal(waitOf(limit, '10.0.0.1', 0, '[2001:db8::6]:1000'), 60);
});

test('the memory of the limit is bounded, and a sweep empties it', () => {
  const limit = new SignInLimit([]);
  for (let i = 0; i < 30_000; i++) limit.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, undefined, 0);
  const { size } = (limit as unknown as { clients: Map<string, unknown> }).clients;
  assert.equal(size, 10_000);
  limit.sweep(60_000);
  assert.equal((limit as unknown as { clients: Map<string, unknown> }).clients.size, 0);
});
