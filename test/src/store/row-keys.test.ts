/**
 * Tests that our encoder of keys writes the same bytes as the encoder of lmdb.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyWriter, type WriteKey } from '../../../src/store/row-keys.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { pick, type Random, seeded } from '../../helpers/random.ts';

const repositories = ['repo_1', 'repo_2', 'répo', '', '\u0003', 'r'.repeat(80)];
const parts = [
  'a'.repeat(40),
  'main',
  'release/1.2',
  'größer',
  '漢字',
  '😀',
  '\ud83d',
  '',
  ' ',
  '\u0001',
  '\u001b',
  'a\u0004b',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(300),
  0,
  1,
  255,
  70_000,
  1_763_596_800_000,
  -1,
  1.5,
  Number.MAX_VALUE,
  true,
  null,
];

function anyKey(random: Random): unknown {
  const rest = Array.from({ length: random(4) }, () => pick(random, parts));
  return random(10) === 0 ? pick(random, parts) : [pick(random, [...repositories, ...parts]), ...rest];
}

/**
 * Returns the end offset of the encoded key, and all bytes up to the fourth byte after the key. lmdb also reads the
 * four bytes after a key.
 */
function written(write: WriteKey, key: unknown, at: number): string {
  const target = Buffer.alloc(2_048, 0xee);
  const end = write(key, target as never, at);
  return `${end} ${target.subarray(0, end + 4).toString('hex')}`;
}

test('the first key of an encoder may begin with any part', (t) => {
  const { writeKey } = openTestPartition(t).root as unknown as { writeKey: WriteKey };
  for (const first of [...repositories, ...parts]) {
    const keys = [first, [first, 'key_1'], [first, 1, 'a'], [first]];
    for (const key of keys) {
      const quick = createKeyWriter(writeKey);
      for (let times = 0; times < 2; times += 1)
        assert.equal(written(quick, key, 0), written(writeKey, key, 0), JSON.stringify(key));
    }
  }
});

test('the encoder writes every key as lmdb does', (t) => {
  const random = seeded(9);
  const { writeKey } = openTestPartition(t).root as unknown as { writeKey: WriteKey };
  const quick = createKeyWriter(writeKey);
  for (let count = 0; count < 5_000; count += 1) {
    const key = anyKey(random);
    const at = random(3) * 8;
    assert.equal(written(quick, key, at), written(writeKey, key, at), JSON.stringify(key));
  }
});
