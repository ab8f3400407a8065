/**
 * Tests the record of refused deliveries: which refusals are logged, and which are kept. A flood of refusals fills
 * neither the log nor the memory.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from '../../../src/foundation/logger.ts';
import { Refusals } from '../../../src/ingress/refusals.ts';

const minute = 60_000;

/** Makes a record of refusals with its own clock. Also returns its log lines. */
function fixture() {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const lines: { facts: Record<string, unknown>; message: string }[] = [];
  const warn = (facts: Record<string, unknown>, message: string) => lines.push({ facts, message });
  const logger = { warn } as unknown as Logger;
  const refusals = new Refusals({ trustedProxies: ['10.0.0.1'], logger, now: () => clock.now });
  return { clock, lines, refusals };
}

function from(address: string, headers: Record<string, string> = {}) {
  return { headers, peerAddress: () => address };
}

const wrong = { reason: 'wrong_signature', status: 401, triedSecrets: ['settings', 'secret_1'] } as const;

test('logs one warning per minute and source, with all useful facts', () => {
  const { clock, lines, refusals } = fixture();
  const request = from('192.0.2.7', {
    'x-github-event': 'push',
    'x-gitea-event': 'push',
    'x-github-delivery': 'abc-1',
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
  });
  for (let i = 0; i < 4; i++) refusals.note(request, { ...wrong, reason: 'form_body' });
  assert.equal(lines.length, 1);
  assert.deepEqual(lines[0]?.facts, {
    event: 'push',
    deliveryId: 'abc-1',
    hostKind: 'gitea',
    address: '192.0.2.7',
    reason: 'form_body',
    triedSecrets: ['settings', 'secret_1'],
    contentType: 'application/x-www-form-urlencoded',
  });
  assert.match(lines[0]?.message ?? '', /content type of the webhook on the host to application\/json/);
  refusals.note(from('192.0.2.7', { 'x-github-hook-id': '471' }), wrong);
  assert.equal(lines.length, 2, 'another webhook of the same address is another source');
  refusals.note(from('192.0.2.7', { 'x-github-hook-id': '471' }), { ...wrong, reason: 'form_body' });
  assert.equal(lines.length, 3, 'another reason is news');
  clock.now += minute;
  refusals.note(request, wrong);
  assert.equal(lines.length, 5, 'the next minute begins with what the last one left out');
  assert.deepEqual(lines[3]?.facts, { repeated: 3, fromOtherSources: 0 });
});

test('takes the address from a trusted proxy only', () => {
  const { refusals } = fixture();
  refusals.note(from('10.0.0.1', { 'x-forwarded-for': '203.0.113.9, 192.0.2.7' }), wrong);
  refusals.note(from('10.0.0.2', { 'x-forwarded-for': '203.0.113.9' }), wrong);
  assert.deepEqual(
    refusals.list(null).map(({ address }) => address),
    ['192.0.2.7', '10.0.0.2'],
  );
});

test('keeps a sender’s text only if it is one short plain word', () => {
  const { refusals } = fixture();
  const long = 'x'.repeat(65);
  const headers = {
    'x-scm-event': 'a b',
    'x-scm-delivery': long,
    'x-github-hook-id': '<b>',
    'content-type': '\u001b[1m/x',
  };
  refusals.note(from('192.0.2.7', headers), wrong);
  const [entry] = refusals.list(null);
  assert.deepEqual([entry?.event, entry?.deliveryId, entry?.hookId, entry?.contentType], [null, null, null, null]);
});

test('stays small and quiet in a flood from many addresses', () => {
  const { clock, lines, refusals } = fixture();
  const minutes = 30;
  for (let m = 0; m < minutes; m++) {
    for (let i = 0; i < 2000; i++)
      refusals.note(from(`10.${m}.${i >> 8}.${i & 255}`, { 'x-github-hook-id': `${i}` }), wrong);
    clock.now += minute;
  }
  refusals.sweep();
  assert.equal(lines.length, minutes * 21, '20 sources and one summary per minute');
  assert.deepEqual(lines.at(-1)?.facts, { repeated: 0, fromOtherSources: 1980 });
  assert.match(
    lines.at(-1)?.message ?? '',
    /^1980 more webhook deliveries were refused in the previous minute, but not logged one by one$/,
  );
  assert.equal(refusals.list(null).length, 500);
  assert.equal(refusals.inLastHour(), minutes * 2000, 'all are counted');
});

test('gives one address five webhooks per minute, so that it cannot silence others', () => {
  const { lines, refusals } = fixture();
  for (let i = 0; i < 1000; i++) refusals.note(from('192.0.2.7', { 'x-github-hook-id': `${i}` }), wrong);
  refusals.note(from('198.51.100.1'), wrong);
  assert.equal(lines.length, 6);
});

test('keeps signed deliveries apart, visible only to their signer', () => {
  const { refusals } = fixture();
  const signer = { origin: 'https://github.com', orgId: 'org_a', secretId: 'secret_a' };
  const foreign = { reason: 'foreign', status: 401, signer, triedSecrets: ['secret_a'] } as const;
  refusals.note(from('192.0.2.7'), foreign);
  for (let i = 0; i < 100; i++) refusals.note(from(`198.51.100.${i}`), wrong);
  assert.deepEqual(
    refusals.list('org_a').map(({ orgId, host, triedSecrets }) => ({ orgId, host, triedSecrets })),
    [{ orgId: 'org_a', host: 'https://github.com', triedSecrets: ['secret_a'] }],
  );
  assert.deepEqual(refusals.list('org_b'), []);
});

test('removes entries after a day, and counts only the last hour', () => {
  const { clock, refusals } = fixture();
  refusals.note(from('192.0.2.7'), wrong);
  clock.now += 59 * minute;
  refusals.note(from('192.0.2.7'), wrong);
  assert.equal(refusals.inLastHour(), 2);
  clock.now += 2 * minute;
  assert.equal(refusals.inLastHour(), 1);
  clock.now += 24 * 60 * minute;
  assert.deepEqual([refusals.list(null).length, refusals.inLastHour()], [0, 0]);
});
