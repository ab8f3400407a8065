/** Tests the comparison of stores: it must find one changed byte, and one row too many. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { assertEqualStores, compareStores } from '../../helpers/equal-stores.ts';
import { foldRecords } from '../../helpers/partition.ts';
import { pullRecord, tagRecord } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const records = [pullRecord(1), pullRecord(2), tagRecord('v1.0.0', 2)];

/** Folds the same records into a new store, then changes the store. Returns the data directory. */
async function store(t: TestContext, change: (partition: Partition) => void = () => {}): Promise<string> {
  const dataDir = temporaryFolder(t);
  const partition = openPartition(dataDir, 'p00');
  await foldRecords(partition, 1, ...records);
  await partition.write(() => change(partition));
  await partition.close();
  return dataDir;
}

test('stores of the same records are equal, whatever their table of local data contains', async (t) => {
  const changed = await store(t, ({ tables }) => void tables.local.putSync('owner', 'another'));
  const rows = await assertEqualStores('p00', [await store(t), await store(t), changed]);
  assert.ok(rows > 20, `${rows} rows were compared`);
});

test('one changed byte of a row is found', async (t) => {
  const changed = await store(t, ({ tables }) => {
    const [key] = [...tables.pulls.getKeys({})];
    const { title, ...rest } = tables.pulls.get(key);
    tables.pulls.putSync(key, { title: title.replace(/.$/, '~'), ...rest });
  });
  const { differences } = await compareStores('p00', await store(t), changed);
  assert.equal(differences.length, 1);
  assert.match(differences[0] as string, /^pulls ".*" has other bytes$/s);
  await assert.rejects(assertEqualStores('p00', [await store(t), changed]), { name: 'AssertionError' });
});

test('a row that only one store has is found, and hides no difference after it', async (t) => {
  const changed = await store(t, ({ tables, responses }) => {
    const [first] = [...tables.pulls.getKeys({})];
    tables.pulls.removeSync(first);
    responses.putSync('zz', Buffer.from('one more'));
  });
  const { differences } = await compareStores('p00', await store(t), changed);
  assert.deepEqual(
    differences.map((text) => text.replace(/".*"/s, 'KEY')),
    ['pulls KEY is missing in the second store', 'responses KEY is missing in the first store'],
  );
});
