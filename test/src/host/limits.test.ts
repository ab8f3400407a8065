/**
 * Tests which replies of a host are rate limits, and how long the client waits. The wait comes from Retry-After, or
 * from the reset time on the host's own clock. If the host states no time, the wait grows with each attempt.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitOf, retryAfterMs } from '../../../src/host/limits.ts';

const now = Date.UTC(2026, 0, 1);
const answer = (status: number, headers: Record<string, string> = {}, text = '') => ({
  ...{ status, text, url: '' },
  headers: new Headers(headers),
});
const spent = (reset: string): Record<string, string> => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });

test('only 403 and 429 can be limits', () => {
  for (const status of [200, 401, 404, 500, 503]) {
    assert.equal(limitOf(answer(status, { 'retry-after': '1', ...spent('0') }), 0, now), undefined);
  }
});

test('a 403 is a limit when its headers or body report one', () => {
  assert.equal(limitOf(answer(403, { 'x-ratelimit-remaining': '12' }, 'Must have admin rights'), 0, now), undefined);
  const inWords = answer(403, {}, '{"message":"You have exceeded a secondary rate limit."}');
  assert.deepEqual(limitOf(inWords, 0, now), { reason: 'secondary_limit', ms: 60_000 });
});

test('Retry-After takes precedence over the reset', () => {
  const both = { 'retry-after': '7', ...spent(String(now / 1000 + 900)) };
  assert.deepEqual(limitOf(answer(403, both), 0, now), { reason: 'rate_limit', ms: 7000 });
});

test('the reset counts on the clock of the host', () => {
  const date = new Date(now + 500_000).toUTCString();
  const headers = { date, ...spent(String(now / 1000 + 530)) };
  assert.deepEqual(limitOf(answer(429, headers), 0, now), { reason: 'rate_limit', ms: 31_000 });
});

test('waits grow when the host states no time or a past one', () => {
  const unnamed = [0, 1, 2, 9].map((repeats) => limitOf(answer(429), repeats, now)?.ms);
  assert.deepEqual(unnamed, [60_000, 120_000, 240_000, 3_600_000]);
  const past = [0, 5].map((repeats) => limitOf(answer(403, spent('1')), repeats, now)?.ms);
  assert.deepEqual(past, [1000, 5000]);
  assert.deepEqual(limitOf(answer(403, spent('soon')), 0, now), { reason: 'rate_limit', ms: 60_000 });
});

test('no wait exceeds one hour', () => {
  for (const headers of [
    { 'retry-after': '999999999' },
    spent('999999999999'),
    { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' },
  ])
    assert.equal(limitOf(answer(429, headers), 0, now)?.ms, 3_600_000);
});

test('reads Retry-After as seconds or as a date', () => {
  const read = (value: string): number | undefined => retryAfterMs(new Headers({ 'retry-after': value }), now);
  assert.deepEqual(
    [
      '0',
      ' 12 ',
      new Date(now + 5000).toUTCString(),
      new Date(now - 5000).toUTCString(),
      '-1x',
      'later',
      '',
      '1e3',
    ].map(read),
    [0, 12_000, 5000, 0, undefined, undefined, undefined, undefined],
  );
});
