/**
 * Tests the indexes of merged pull requests by author and by merge commit. An index entry changes and is erased
 * together with the record of its pull request.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseStale } from '../../../../src/store/erasing/stale.ts';
import { firstPullBy, pullsMergedAs, readPull, writePull } from '../../../../src/store/tables/pulls.ts';
import { openTestPartition } from '../../../helpers/partition.ts';
import { aPull, day } from '../../notes/memory-source.ts';

const repoId = 'repo_1';

test('the index by author finds the first merged pull request, and drops an erased one', async (t) => {
  const partition = openTestPartition(t);
  const write = (pull: ReturnType<typeof aPull>) =>
    writePull(partition, repoId, pull, readPull(partition, repoId, pull.number));
  const first = (login: string) => firstPullBy(partition, repoId, login);
  const keys = () => [...partition.tables.pullsByAuthor.getKeys()];
  await partition.write(() => {
    write(aPull(5, { author: { login: 'Ada', bot: false } }));
    write(aPull(3, { author: { login: 'ada', bot: false } }));
    write(aPull(2, { state: 'open', mergedAt: null, author: { login: 'ada', bot: false } }));
    write(aPull(1, { author: { login: 'ada-b', bot: false } }));
  });
  assert.deepEqual([first('ADA'), first('ada-b'), first('ad')], [3, 1, undefined]);
  await partition.write(() => write(aPull(3, { author: { login: 'ghost', bot: false } })));
  assert.deepEqual([first('ada'), first('ghost')], [5, 3]);
  await partition.write(() => write(aPull(5, { author: { login: 'Ada', bot: false }, mergedAt: day(9) })));
  assert.equal(keys().length, 3);
  await partition.write(() => {
    for (const number of [1, 3, 5]) eraseStale(partition, [repoId, 'number', number]);
  });
  assert.deepEqual(keys(), []);
});

test('the index by merge commit finds all its pull requests, and drops an erased one', async (t) => {
  const partition = openTestPartition(t);
  const write = (number: number, mergeSha: string | null) =>
    writePull(partition, repoId, aPull(number, { mergeSha }), readPull(partition, repoId, number));
  const mergedAs = (sha: string) => pullsMergedAs(partition, repoId, sha).map(({ number }) => number);
  await partition.root.transaction(() => {
    for (const number of [70_000, 9, 300]) write(number, 'a');
    write(8, 'b');
    write(7, null);
    write(9, 'a');
  });
  assert.deepEqual([mergedAs('a'), mergedAs('b'), mergedAs('c')], [[9, 300, 70_000], [8], []]);
  await partition.root.transaction(() => {
    write(300, 'b');
    write(7, 'c');
  });
  assert.deepEqual([mergedAs('a'), mergedAs('b'), mergedAs('c')], [[9, 70_000], [8, 300], [7]]);
  await partition.root.transaction(() => {
    for (const number of [7, 8, 9, 300]) eraseStale(partition, [repoId, 'number', number]);
  });
  assert.deepEqual([...partition.tables.pullsByMergeSha.getRange({})], [{ key: [repoId, 'a'], value: [70_000] }]);
});
