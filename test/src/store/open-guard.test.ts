/**
 * Tests the guard around opening a store. If the process has ended twice while it opened the store, the guard refuses
 * a third attempt. A finished attempt leaves no file.
 */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { guardedOpen } from '../../../src/store/open-guard.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('an attempt that ends leaves no file', async (t) => {
  const folder = temporaryFolder(t);
  assert.equal(await guardedOpen(folder, () => 7), 7);
  const broken = () => Promise.reject(new Error('broken'));
  for (let i = 0; i < 3; i++) await assert.rejects(guardedOpen(folder, broken), /broken/);
  assert.deepEqual(readdirSync(folder), []);
});

test('a store whose opening ended the process twice is not opened again', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'opening'), '.');
  await guardedOpen(folder, () => assert.equal(readdirSync(folder).length, 1));
  writeFileSync(join(folder, 'opening'), '..');
  const open = () => assert.fail('opened');
  await assert.rejects(guardedOpen(folder, open), /during each of the last 2 attempts/);
});
