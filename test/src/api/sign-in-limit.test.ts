/** Tests the limit of sign-ins per client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInLimit, signInsPerMinute } from '../../../src/api/sign-in-limit.ts';
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

test('the memory of the limit is bounded, and a sweep empties it', () => {
  const limit = new SignInLimit([]);
  for (let i = 0; i < 30_000; i++) limit.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, undefined, 0);
  const { size } = (limit as unknown as { clients: Map<string, unknown> }).clients;
  assert.equal(size, 10_000);
  limit.sweep(60_000);
  assert.equal((limit as unknown as { clients: Map<string, unknown> }).clients.size, 0);
});
