/**
 * Tests the sealing key: the first start makes the key, and later starts handle a key that is lost, changed or
 * configured.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { openSealer, prepareDataDir, sealingKeyFile } from '../../../src/supervisor/first-start.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

test('the first start makes a sealing key, and later starts keep it', (t) => {
  const settings = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t) });
  const file = sealingKeyFile(settings.dataDir);
  assert.ok(prepareDataDir(settings).made.includes(file));
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const sealed = openSealer(settings).seal('a secret text', ['a']);
  assert.ok(!prepareDataDir(settings).made.includes(file));
  assert.equal(openSealer(settings).open(sealed, ['a']), 'a secret text');
});

test('a start with a configured sealing key makes no key file', (t) => {
  const key = randomBytes(32);
  for (const text of [key.toString('hex'), key.toString('base64')]) {
    const settings = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t), TIDINGS_SEALING_KEY: text });
    prepareDataDir(settings);
    assert.equal(existsSync(sealingKeyFile(settings.dataDir)), false);
    openSealer(settings);
  }
});

test('the error for an invalid key file names the file and does not show its content', (t) => {
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
  assert.throws(() => openSealer(settings), /sealing-key is missing\. Restore it from a backup/);
});

test('an invalid sealing key in the settings is refused and not shown', () => {
  for (const text of ['short', 'g'.repeat(64), randomBytes(31).toString('base64'), randomBytes(33).toString('hex')]) {
    assert.throws(
      () => loadSettings({ TIDINGS_SEALING_KEY: text }),
      ({ message }: Error) => /TIDINGS_SEALING_KEY/.test(message) && !message.includes(text),
    );
  }
});

test('former keys open texts, and the digest key stays the same after they are removed', (t) => {
  const dataDir = temporaryFolder(t);
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('hex')];
  const of = (env: object) => {
    const settings = loadSettings({ TIDINGS_DATA_DIR: dataDir, ...env });
    prepareDataDir(settings);
    return openSealer(settings);
  };
  const old = of({ TIDINGS_SEALING_KEY: first });
  const [sealed, digest] = [old.seal('a secret text', ['a']), old.mac('ada', ['b'])];
  const alone = of({ TIDINGS_SEALING_KEY: second });
  assert.throws(() => alone.open(sealed, ['a']), /sealed with another key/);
  assert.notEqual(alone.mac('ada', ['b']), digest, 'without the former key the digest differs');
  const both = of({ TIDINGS_SEALING_KEY: second, TIDINGS_SEALING_KEYS_PREVIOUS: first });
  assert.deepEqual([both.open(sealed, ['a']), both.isCurrent(sealed)], ['a secret text', false]);
  assert.equal(both.isCurrent(both.seal('x', ['a'])), true);
  assert.equal(both.mac('ada', ['b']), digest);
  assert.equal(of({ TIDINGS_SEALING_KEY: second }).mac('ada', ['b']), digest);
});

test('the key file can hold former keys on further lines', (t) => {
  const settings = loadSettings({ TIDINGS_DATA_DIR: temporaryFolder(t) });
  prepareDataDir(settings);
  const file = sealingKeyFile(settings.dataDir);
  const former = readFileSync(file, 'utf8');
  const sealed = openSealer(settings).seal('a secret text', ['a']);
  writeFileSync(file, `${randomBytes(32).toString('base64')}\n${former}`);
  prepareDataDir(settings);
  assert.equal(openSealer(settings).open(sealed, ['a']), 'a secret text');
  writeFileSync(file, `${former}half of a key\n`);
  assert.throws(() => openSealer(settings), /on each line, with the key in use on the first line/);
});
