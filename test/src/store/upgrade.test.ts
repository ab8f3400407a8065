/**
 * A store of an earlier layout, opened by its owner: it has the rows that this version would have written, byte for byte.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listKeysInUse, writeKey } from '../../../src/store/directory.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { pullsMergedAs, writePull } from '../../../src/store/pulls.ts';
import { dump } from '../../helpers/partition.ts';
import { temporaryFolder } from '../../helpers/ports.ts';
import { aPull } from '../notes/memory-source.ts';

const repositories = ['repo_1', 'repo_2'];
const merges: [number: number, sha: string][] = [
  [1, 'aa'],
  [2, 'ab'],
  [30, 'aa'],
  [400, 'b'],
];

function writeAll(partition: Partition): void {
  for (const repoId of repositories) {
    for (const [number, mergeSha] of merges) writePull(partition, repoId, aPull(number, { mergeSha }), undefined);
  }
}

/** A row a pull request, with its number in the key. */
function writeEarlierLayout({ tables: { pullsByMergeSha } }: Partition): void {
  for (const key of [...pullsByMergeSha.getKeys({})]) pullsByMergeSha.removeSync(key);
  for (const repoId of repositories) {
    for (const [number, sha] of merges) pullsByMergeSha.putSync([repoId, sha, number], true);
  }
}

test('gathers the pull requests of a merge commit in one row', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openPartition(dataDir, 'p00');
  await earlier.root.transaction(() => writeAll(earlier));
  const expected = dump(earlier);
  await earlier.root.transaction(() => writeEarlierLayout(earlier));
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  for (const _time of ['upgraded', 'as it is']) {
    const partition = openPartition(dataDir, 'p00');
    assert.equal(dump(partition), expected);
    const found = repositories.map((repoId) => pullsMergedAs(partition, repoId, 'aa').map(({ number }) => number));
    assert.deepEqual(found, [
      [1, 30],
      [1, 30],
    ]);
    await partition.close();
  }
});

test('lists the keys in use that an earlier version did not', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openPartition(dataDir, 'directory');
  const keyOf = (id: string, orgId: string | null, revokedAt: number | null) => ({
    ...{ id, hash: `hash-${id}`, prefix: 'rn_live_', last4: 'abcd', name: id, orgId, scopes: ['*'] },
    ...{ createdAt: 1, expiresAt: null, revokedAt },
  });
  const keys = [keyOf('key_1', null, null), keyOf('key_2', 'org_1', null), keyOf('key_3', 'org_1', 2)];
  await earlier.root.transaction(() => {
    for (const key of keys) writeKey(earlier, key);
  });
  const expected = dump(earlier);
  await earlier.root.transaction(() => {
    for (const key of [...earlier.tables.keysInUse.getKeys({})]) earlier.tables.keysInUse.removeSync(key);
  });
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  for (const _time of ['upgraded', 'as it is']) {
    const partition = openPartition(dataDir, 'directory');
    assert.equal(dump(partition), expected);
    assert.deepEqual(
      listKeysInUse(partition, 'org_1').map(({ id }) => id),
      ['key_2'],
    );
    await partition.close();
  }
});
