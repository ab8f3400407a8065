/**
 * Checks the schedule of retries. Also checks that the library of Standard Webhooks accepts the service's signatures.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { nextAttemptAt, waitsMs } from '../../../workers/webhooks/schedule.ts';
import { signedHeaders } from '../../../workers/webhooks/sign.ts';

const hour = 3_600_000;
const secret = () => `whsec_${randomBytes(32).toString('base64')}`;

test('tries again nine times over three days', () => {
  const waits = waitsMs.map((_, nth) => nextAttemptAt(nth + 1, 0, undefined, 0));
  assert.deepEqual(waits, [5000, 300_000, 1_800_000, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]);
  assert.equal(nextAttemptAt(waitsMs.length + 1, 0, undefined, 0), null);
});

test('chance lengthens a delay by at most a fifth', () => {
  for (const [nth, wait] of waitsMs.entries())
    assert.equal(nextAttemptAt(nth + 1, 1000, undefined, 1), 1000 + wait * 1.2);
});

test('a receiver can lengthen a delay but not shorten it', () => {
  assert.equal(nextAttemptAt(1, 0, 60_000, 0), 60_000);
  assert.equal(nextAttemptAt(3, 0, 60_000, 0), 1_800_000);
});

test('the standard’s library verifies the signatures', () => {
  const key = secret();
  const body = JSON.stringify({ event: 'range.created', data: { fromTag: 'v1 ✓', url: 'https://é' } });
  const headers = signedHeaders([key], 'evt_1', body, Date.now());
  assert.deepEqual(new Webhook(key).verify(body, headers), JSON.parse(body));
  assert.throws(() => new Webhook(secret()).verify(body, headers));
  assert.throws(() => new Webhook(key).verify(`${body} `, headers));
});

test('every valid secret signs', () => {
  const keys = [secret(), secret()];
  const headers = signedHeaders(keys, 'evt_1', '{}', Date.now());
  for (const key of keys) assert.deepEqual(new Webhook(key).verify('{}', headers), {});
  assert.equal(headers['webhook-signature']?.split(' ').length, 2);
});

test('a signature equals that of the library', () => {
  const key = secret();
  const at = new Date('2026-03-02T09:00:00.750Z');
  const headers = signedHeaders([key], 'evt_1', '{"a":1}', at.getTime());
  assert.equal(headers['webhook-timestamp'], '1772442000');
  assert.equal(headers['webhook-signature'], new Webhook(key).sign('evt_1', at, '{"a":1}'));
});
