/**
 * Attempts at opening: what ended the process twice is not opened again, and one that succeeds leaves no trace.
 */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../../src/store/open-guard.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('leaves no trace of an attempt that ends', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await attempt(folder, () => 7), 7);
  const broken = () => Promise.reject(new Error('broken'));
  for (let i = 0; i < 3; i++) await assert.rejects(attempt(folder, broken), /broken/);
  assert.deepEqual(readdirSync(folder), []);
});

test('gives up what has ended the process twice', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'opening'), '.');
  await attempt(folder, () => assert.equal(readdirSync(folder).length, 1));
  writeFileSync(join(folder, 'opening'), '..');
  const open = () => assert.fail('opened');
  await assert.rejects(attempt(folder, open), /has ended the process 2 times/);
});
