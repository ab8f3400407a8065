/**
 * Tests the upgrade of a store with an earlier layout. The owner process upgrades the store when it opens the store.
 * Afterwards the rows are the same, byte for byte, as if this version of Tidings had written them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryId } from '../../../src/foundation/ids.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import {
  listKeysInUse,
  writeDirectoryRepository,
  writeKey,
  writeOrganization,
} from '../../../src/store/tables/directory.ts';
import { writeDraft } from '../../../src/store/tables/drafts.ts';
import { pullsMergedAs, writePull } from '../../../src/store/tables/pulls.ts';
import { repositoryNamed } from '../../../src/store/tables/repository-names.ts';
import { readResponse, writeDraftResponse } from '../../../src/store/tables/responses.ts';
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

/** Writes the earlier layout of the table: one row per pull request, with the number of the pull request in the key. */
function writeEarlierLayout({ tables: { pullsByMergeSha } }: Partition): void {
  for (const key of [...pullsByMergeSha.getKeys({})]) pullsByMergeSha.removeSync(key);
  for (const repoId of repositories) {
    for (const [number, sha] of merges) pullsByMergeSha.putSync([repoId, sha, number], true);
  }
}

test('the upgrade gathers the pull requests of a merge commit in one row', async (t) => {
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

/** Returns the stored reply of a draft as the version before verdicts wrote it. */
function withoutVerdict(row: string): string {
  return row.replace(',"outdated":false,"outdatedBecause":[]', '');
}

test('the upgrade adds conflicts and verdicts to the stored replies of drafts', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openPartition(dataDir, 'p00');
  const bodyMd = '- "conflicts":[ <!-- rn:pr:1 -->\n  <!-- rn:gone pr:1 reverted by #2 -->\n';
  const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
  const texts = ['', bodyMd, 'Text.\n'];
  await earlier.root.transaction(() => {
    for (const [index, text] of texts.entries()) {
      const of = { id: `draft_${index}`, rangeId: 'range_1', repoId: 'repo_1', persona: 'engineer' } as const;
      const state = { status: 'ready', ticket: null, error: null, revision: 1, createdAt: 1, updatedAt: 2 } as const;
      writeDraftResponse(earlier, writeDraft(earlier, { ...of, ...state, bodyMd: text, generatedMd: text, flags }));
    }
  });
  const expected = dump(earlier);
  await earlier.root.transaction(() => {
    for (const index of texts.keys()) {
      const row = earlier.responses.getBinary(`draft_${index}`) as Buffer;
      const former = withoutVerdict(row.toString('latin1')).replace(/,"conflicts":\[[^\]]*\]/, '');
      earlier.responses.putSync(`draft_${index}`, Buffer.from(former, 'latin1'));
    }
  });
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  for (const _time of ['upgraded', 'as it is']) {
    const partition = openPartition(dataDir, 'p00');
    assert.equal(dump(partition), expected);
    const { conflicts, outdated, outdatedBecause } = JSON.parse(String(readResponse(partition, 'draft_1')?.json));
    assert.deepEqual([outdated, outdatedBecause], [false, []]);
    assert.deepEqual(conflicts, [
      { id: 'pr:1', number: 1, sha: null, text: '"conflicts":[', reason: 'reverted', detail: '#2' },
    ]);
    await partition.close();
  }
});

test('the upgrade adds the list of keys in use to a store of an earlier version', async (t) => {
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

test('the upgrade adds the index of repositories by name to a store of an earlier version', async (t) => {
  const dataDir = temporaryFolder(t);
  const earlier = openPartition(dataDir, 'directory');
  const origin = 'https://scm.example';
  const row = (hostId: string, fullName: string, seenAt: number) => ({
    ...{ id: repositoryId(origin, hostId), orgId: 'org_1', hostId, fullName, defaultBranch: null, seenAt },
    ...{ state: 'connected' as const, installationId: null, createdAt: 0 },
  });
  await earlier.root.transaction(() => {
    const owner = { login: 'acme', ownerId: '77', createdAt: 0, uninstalledAt: null };
    writeOrganization(earlier, { id: 'org_1', origin, ...owner });
    for (const [hostId, fullName, seenAt] of [
      ['name:acme/app', 'acme/app', 9],
      ['5', 'acme/app', 3],
      ['6', 'Acme/App', 4],
      ['7', 'acme/other', 1],
    ] as const)
      writeDirectoryRepository(earlier, row(hostId, fullName, seenAt));
  });
  const expected = dump(earlier);
  await earlier.root.transaction(() => {
    const { repositoriesByName } = earlier.tables;
    for (const key of [...repositoriesByName.getKeys({})]) repositoriesByName.removeSync(key);
  });
  assert.notEqual(dump(earlier), expected);
  await earlier.close();
  const partition = openPartition(dataDir, 'directory');
  assert.equal(dump(partition), expected);
  assert.equal(repositoryNamed(partition, origin, 'ACME/app')?.hostId, '6', 'the one with a number that was seen last');
  await partition.close();
});
