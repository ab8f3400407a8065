/**
 * Tests the protection of the data directory from other users. If other users can read a path, the start makes this
 * path private. The start fails if a path cannot be made private.
 */
import assert from 'node:assert/strict';
import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openPaths } from '../../../src/foundation/private-files.ts';
import { DataDirError } from '../../../src/supervisor/data-dir.ts';
import { openDataDir } from '../../../src/supervisor/first-start.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

/** Makes a data directory with the file modes that an earlier version of Tidings may have left. */
function openFolder(t: TestContext): string {
  const dataDir = join(temporaryFolder(t), 'data');
  for (const folder of ['', 'partitions', 'partitions/p00']) mkdirSync(join(dataDir, folder));
  for (const file of ['admin-key', 'partition-count', 'partitions/p00/current']) writeFileSync(join(dataDir, file), '');
  writeFileSync(join(dataDir, 'admin-key'), `rn_live_${'a'.repeat(36)}\n`);
  writeFileSync(join(dataDir, 'partition-count'), '4\n');
  for (const folder of ['', 'partitions', 'partitions/p00']) chmodSync(join(dataDir, folder), 0o755);
  for (const file of ['admin-key', 'partition-count', 'partitions/p00/current']) chmodSync(join(dataDir, file), 0o644);
  return dataDir;
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o7777).toString(8);
}

test('a start closes an open data directory and its entries, and returns their paths', (t) => {
  const dataDir = openFolder(t);
  const closed = openDataDir(dataDir);
  const names = ['', 'admin-key', 'partition-count', 'partitions'];
  assert.deepEqual(
    closed.map(({ path, mode }) => [path, mode]),
    names.map((name) => [join(dataDir, name), name === '' || name === 'partitions' ? 0o755 : 0o644]),
  );
  assert.deepEqual(
    names.map((name) => modeOf(join(dataDir, name))),
    ['700', '600', '600', '700'],
  );
  assert.deepEqual(openPaths(dataDir), []);
  assert.deepEqual(openDataDir(dataDir), [], 'a second start has nothing to close');
});

test('a start refuses a link to an open entry, and does not change the entry', (t) => {
  const dataDir = openFolder(t);
  const elsewhere = temporaryFolder(t);
  chmodSync(elsewhere, 0o750);
  symlinkSync(elsewhere, join(dataDir, 'nats'));
  symlinkSync(join(elsewhere, 'nothing'), join(dataDir, 'nowhere'));
  assert.throws(
    () => openDataDir(dataDir),
    (error: Error) => {
      assert.ok(error instanceof DataDirError);
      const found = `${join(dataDir, 'nats')} is open to other users, and its mode could not be changed: found mode 0750, expected 0700`;
      assert.ok(error.message.startsWith(found), error.message);
      return true;
    },
  );
  assert.equal(modeOf(elsewhere), '750');
  chmodSync(elsewhere, 0o700);
  openDataDir(dataDir);
});

const needsRoot = process.geteuid?.() !== 0 && 'needs root';

for (const name of ['', 'admin-key', 'webhook-secret.new']) {
  test(`a start refuses a path of another user: ${name || 'the directory'}`, { skip: needsRoot }, (t) => {
    const dataDir = openFolder(t);
    const path = join(dataDir, name);
    // A link without a target is refused too, because a secret would be written to the place where the link leads.
    if (name.endsWith('.new')) symlinkSync(join(temporaryFolder(t), 'nothing'), path);
    lchownSync(path, 65534, 65534);
    const refusal = `${path} belongs to user 65534, but this process runs as user 0. If it is yours, run: chown 0 ${path}`;
    assert.throws(
      () => openDataDir(dataDir),
      (error: Error) => error instanceof DataDirError && error.message.startsWith(refusal),
    );
    assert.equal(modeOf(dataDir), '755', 'nothing is changed');
  });
}
