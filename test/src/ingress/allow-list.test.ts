/**
 * Tests which addresses webhooks may come from, directly and behind trusted proxies (spec 5).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AllowList } from '../../../src/ingress/allow-list.ts';

const list = new AllowList({
  webhookAllow: ['192.0.2.0/24', '198.51.100.7', '2001:db8:1::/48'],
  trustedProxies: ['10.0.0.0/8', '2001:db8:ffff::1'],
});

function admits(peer: string, forwarded?: string): boolean {
  return list.admits(() => peer, forwarded);
}

test('an empty list admits every address (spec 5)', () => {
  const open = new AllowList({ webhookAllow: [], trustedProxies: [] });
  assert.equal(
    open.admits(() => assert.fail('the address is not needed'), '203.0.113.1'),
    true,
  );
});

test('addresses on the list are admitted, others are not (spec 5)', () => {
  for (const good of ['192.0.2.1', '192.0.2.255', '198.51.100.7', '2001:db8:1::5', '::ffff:192.0.2.9'])
    assert.equal(admits(good), true, good);
  for (const bad of ['192.0.3.1', '198.51.100.8', '2001:db8:2::5', '::1', '', 'nonsense'])
    assert.equal(admits(bad), false, bad);
});

test('a forged X-Forwarded-For is ignored', () => {
  assert.equal(admits('203.0.113.1', '192.0.2.1'), false);
  assert.equal(admits('10.0.0.1', '192.0.2.1, 203.0.113.1'), false, 'the proxy saw the last one');
});

test('the address that a trusted proxy has seen counts', () => {
  assert.equal(admits('10.0.0.1', '203.0.113.1, 192.0.2.1'), true);
  assert.equal(admits('10.0.0.1', '192.0.2.1, 10.9.9.9'), true, 'two proxies, one behind the other');
  assert.equal(admits('2001:db8:ffff::1', '2001:db8:1::2'), true);
  assert.equal(admits('192.0.2.1', '203.0.113.1'), true, 'the connection does not come from a proxy');
});

test('a chain of proxies that cannot be read is refused', () => {
  for (const forwarded of [undefined, '', 'unknown', '192.0.2.1, ', '192.0.2.1:443', '10.0.0.2']) {
    assert.equal(admits('10.0.0.1', forwarded), false, String(forwarded));
  }
});
