/**
 * Tests that the guide explains what the spec requires of clients: keeping keys secret, retries, polling, and limits.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const guide = readFileSync(join(root, 'docs/api.md'), 'utf8').replace(/\s+/g, ' ');

test('the guide explains how to keep keys (spec 5)', () => {
  for (const advice of [
    'Use a key for one purpose and one person',
    'keep it in the environment',
    'rotate it every six months',
    'revoke it when nobody uses it any more',
  ]) {
    assert.ok(guide.includes(advice), advice);
  }
});

test('the guide explains when to retry (spec 7.4)', () => {
  assert.match(guide, /Retry 429 and 500, with growing pauses, and no other refusal/);
});

test('the guide explains how often to poll (spec 8)', () => {
  assert.match(guide, /Ask for the draft until `status` is no longer `processing`, once a second at most/);
});

test('the guide lists the limits (spec 8)', () => {
  for (const [window, count, owner] of [
    ['one minute', '100', 'the key'],
    ['one hour', '1000', 'the key'],
    ['one day', '10,000', 'the organization'],
  ]) {
    assert.ok(guide.includes(`| ${window} | ${count} | ${owner} |`), window);
  }
  assert.match(
    guide,
    /Over the ingestion limit \(100 per minute and 1000 per hour, for each organization\) the reply is still 202/,
  );
});
