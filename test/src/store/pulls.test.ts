/**
 * The index of merged pull requests by author: it follows its record, and goes with it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraseStale } from '../../../src/store/erasing.ts';
import { firstPullBy, readPull, writePull } from '../../../src/store/pulls.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { aPull, day } from '../notes/memory-source.ts';

const repoId = 'repo_1';

test('finds the first merged pull request of an author, and forgets an erased one', async (t) => {
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
