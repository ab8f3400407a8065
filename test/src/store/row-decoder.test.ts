/**
 * Tests decoding of rows: the decoder returns the same values as msgpackr, for plain, unusual and damaged rows.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Packr } from 'msgpackr';
import type { PullRecord } from '../../../src/protocol/stored.ts';
import { createRowDecoder, type Decode } from '../../../src/store/row-decoder.ts';
import { readPull, writePull } from '../../../src/store/tables/pulls.ts';
import { openTestPartition } from '../../helpers/partition.ts';
import { pick, type Random, randomText, seeded } from '../../helpers/random.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true });
const alphabets = ['abc0/-_', 'äßΩ漢€', '😀🎉a', '\ud83d\ude00', '\uFEFFa', '\uFFFDa', '"\\\n\u2028`'];
const numbers = [0, 1, 63, 64, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 1_763_596_800_000, -1, -33, -40_000];
const keys = ['number', 'title', 'author', 'login', 'a"b', 'constructor', '__proto__', 'x'.repeat(40), 'é', ''];

/** Returns a decoder, and a function that returns how often the decoder has used its fallback (msgpackr). */
function counted(): { decode: Decode; asked: () => number } {
  let asked = 0;
  const decode = createRowDecoder((bytes, options) => {
    asked += 1;
    return packr.unpack(bytes, options as number);
  });
  return { decode, asked: () => asked };
}

function anyValue(random: Random, depth: number): unknown {
  const kind = random(depth > 1 ? 6 : 9);
  if (kind < 2)
    return pick(random, alphabets)
      .repeat(pick(random, [0, 1, 3, 5, 8, 10, 14, 75, 17_500]))
      .slice(random(3));
  if (kind === 2) return pick(random, numbers);
  if (kind === 3) return pick(random, [true, false, null]);
  if (kind === 4) return random(1_000_000) / 7;
  if (kind === 5) return randomText(random, 'ab', 1).charAt(0) + '\ud800'.repeat(random(2));
  if (kind === 6) return Array.from({ length: pick(random, [0, 1, 2, 17]) }, () => anyValue(random, depth + 1));
  return anyRecord(random, depth + 1);
}

function anyRecord(random: Random, depth = 0): Record<string, unknown> {
  const record: Record<string, unknown> = Object.create(null);
  for (let count = random(12); count > 0; count -= 1) record[pick(random, keys)] = anyValue(random, depth);
  return { ...record };
}

/** Returns the decoded value as JSON, which shows the order of keys. Returns `failed` if decoding throws. */
function outcome(decode: () => unknown): string {
  try {
    return JSON.stringify(decode());
  } catch {
    return 'failed';
  }
}

test('the decoder returns the same as msgpackr for any record', () => {
  const random = seeded(4);
  const { decode, asked } = counted();
  const count = 1_000;
  for (let index = 0; index < count; index += 1) {
    const bytes = packr.pack(anyRecord(random));
    const expected = packr.unpack(bytes);
    assert.deepEqual(decode(bytes as never, bytes.length), expected);
    assert.equal(
      outcome(() => decode(bytes as never)),
      JSON.stringify(expected),
    );
  }
  assert.ok(asked() < 2 * count, 'some are read without msgpackr');
});

test('the decoder needs no fallback for plain records, even with optional keys', () => {
  const { decode, asked } = counted();
  for (let number = 0; number < 200; number += 1) {
    const author = { login: `user${number % 3}`, bot: false };
    const record = { number, title: 'Größe '.repeat(20), author, ...(number % 2 && { labelsAt: [1e12 + number, 4] }) };
    const bytes = packr.pack(record);
    assert.deepEqual(decode(bytes as never), record);
  }
  assert.equal(asked(), 0);
});

test('the decoder does not confuse texts with the same beginning and end', () => {
  const random = seeded(6);
  const { decode } = counted();
  const ends = ['abcd', 'abcé', '\u0000\u0000\u0000\u0000', ''];
  for (let index = 0; index < 20_000; index += 1) {
    const middle = randomText(random, 'ab', random(40));
    const record = { text: `${pick(random, ends)}${middle}${pick(random, ends)}`, other: middle };
    assert.deepEqual(decode(packr.pack(record) as never), record);
  }
});

test('the decoder treats damaged bytes as msgpackr does, and decodes the next row correctly', () => {
  const random = seeded(5);
  const { decode } = counted();
  const whole = packr.pack({
    number: 7,
    labels: ['area: api', 'bug'],
    title: 'One',
    author: { login: 'ada', bot: false },
  });
  for (let index = 0; index < 5_000; index += 1) {
    const bytes = Buffer.from(whole);
    for (let flips = random(3); flips >= 0; flips -= 1) bytes[random(bytes.length)] = random(256);
    const end = random(4) === 0 ? random(bytes.length) + 1 : bytes.length;
    const expected = outcome(() => packr.unpack(Buffer.from(bytes.subarray(0, end))));
    assert.equal(
      outcome(() => decode(Buffer.from(bytes.subarray(0, end)) as never)),
      expected,
      bytes.toString('hex'),
    );
    assert.deepEqual(decode(whole as never), packr.unpack(whole));
  }
});

test('the decoder reads rows of every size from the store', (t) => {
  const partition = openTestPartition(t);
  for (const size of [0, 40, 5_000, 40_000, 300_000]) {
    const pull = pullOf('é'.repeat(size));
    writePull(partition, 'repo_1', pull, undefined);
    assert.deepEqual(readPull(partition, 'repo_1', 1), pull);
  }
});

function pullOf(body: string): PullRecord {
  return {
    number: 1,
    title: 'Add a thing',
    body,
    state: 'merged',
    labels: ['type: feature'],
    author: { login: 'ada', bot: false },
    createdAt: 1_763_596_800_000,
    updatedAt: 1_763_596_900_000,
    closedAt: 1_763_596_900_000,
    mergedAt: 1_763_596_900_000,
    mergeSha: 'a'.repeat(40),
    baseRef: 'main',
    headRef: null,
    url: 'https://scm.example/acme/rocket/pull/1',
    linkedIssues: [12, 70_000],
    rank: 6,
  };
}
