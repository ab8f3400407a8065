/**
 * What the first start makes: the sealing key, and what becomes of one that is lost, changed or set.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { openSealer, prepareDataDir, sealingKeyFile } from '../../src/first-start.ts';
import { temporaryFolder } from '../helpers/ports.ts';

test('the first start makes a sealing key, later ones keep it', (t) => {
  const settings = loadSettings({ TIDINGS_DATA_DIR: join(temporaryFolder(t), 'data') });
  const file = sealingKeyFile(settings.dataDir);
  assert.ok(prepareDataDir(settings).made.includes(file));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const sealed = openSealer(settings).seal('a secret text', ['a']);
  assert.ok(!prepareDataDir(settings).made.includes(file));
  assert.equal(openSealer(settings).open(sealed, ['a']), 'a secret text');
});

test('a sealing key that is set makes no file', (t) => {
  const key = randomBytes(32);
  for (const text of [key.toString('hex'), key.toString('base64')]) {
    const settings = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t), TIDINGS_SEALING_KEY: text });
    prepareDataDir(settings);
    assert.equal(existsSync(sealingKeyFile(settings.dataDir)), false);
    openSealer(settings);
  }
});

test('a file that holds no key is named and not shown', (t) => {
  const settings = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t) });
  const file = sealingKeyFile(settings.dataDir);
  writeFileSync(file, 'half of a k');
  for (const attempt of [() => prepareDataDir(settings), () => openSealer(settings)]) {
    assert.throws(
      attempt,
      ({ message }: Error) => message.startsWith(`${file}: expected 32 bytes`) && !/half/.test(message),
    );
  }
  assert.equal(readFileSync(file, 'utf8'), 'half of a k', 'nothing is written over it');
  rmSync(file);
  assert.throws(() => openSealer(settings), /sealing-key is missing\. Put it back from a backup/);
});

test('a setting that is no key is refused and not shown', () => {
  for (const text of ['short', 'g'.repeat(64), randomBytes(31).toString('base64'), randomBytes(33).toString('hex')]) {
    assert.throws(
      () => loadSettings({ TIDINGS_SEALING_KEY: text }),
      ({ message }: Error) => /TIDINGS_SEALING_KEY/.test(message) && !message.includes(text),
    );
  }
});
