/**
 * Tests ids: their slot (the number that decides the partition), their order and their uniqueness. Also tests that
 * malformed ids are refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  derivedId,
  derivedUlid,
  draftId,
  hashedId,
  idAt,
  newId,
  partitionOf,
  repositoryId,
  slotCount,
  slotInside,
  slotOf,
  slotOfId,
  timeOfUlid,
  ulid,
} from '../../../src/foundation/ids.ts';

const slots = fc.integer({ min: 0, max: slotCount - 1 });
const prefixes = fc.constantFrom('draft', 'range', 'repo', 'org', 'pub', 'key' as const);
const times = fc.integer({ min: 0, max: 4_102_444_800_000 });

test('an id contains its slot', () => {
  fc.assert(
    fc.property(prefixes, slots, fc.string(), (prefix, slot, text) => {
      for (const id of [newId(prefix, slot), hashedId(prefix, slot, text)]) {
        assert.equal(slotOfId(id), slot);
        assert.equal(slotInside(id), slot);
        assert.equal(slotOfId(id, prefix), slot);
        assert.match(id, /^[a-z]+_[0-9a-z]{28}$/);
      }
    }),
  );
});

test('a derived id is the same for the same text, and sorts by its time', () => {
  fc.assert(
    fc.property(slots, times, fc.string(), (slot, time, text) => {
      const id = derivedId('pub', slot, time, text);
      assert.deepEqual([slotOfId(id, 'pub'), id], [slot, derivedId('pub', slot, time, text)]);
      assert.notEqual(id, derivedId('pub', slot, time, `${text}.`));
      assert.equal(timeOfUlid(derivedUlid(time, text)), time);
      assert.ok(derivedUlid(time, text) >= idAt(time) && derivedUlid(time, text) < idAt(time + 1));
    }),
  );
});

test('an id of another prefix has no slot', () => {
  assert.equal(slotOfId(newId('range', 7), 'draft'), undefined);
  assert.equal(slotOfId(newId('draft', 7), 'range'), undefined);
});

test('malformed ids have no slot', () => {
  const good = newId('repo', 513);
  const broken = [
    '',
    'repo_',
    good.toUpperCase(),
    good.slice(0, -1),
    `${good}0`,
    `${good}\n`,
    ` ${good}`,
    good.replace('repo_', 'repo-'),
    good.replace('repo_', 'user_'),
    good.replace('repo_', ''),
    `repo_ul${good.slice(7)}`,
    `repo_00${'i'.repeat(26)}`,
    `repo_é0${good.slice(7)}`,
    `__proto__`,
  ];
  for (const id of broken) assert.equal(slotOfId(id), undefined, JSON.stringify(id));
  fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => slotOfId(text) === undefined));
});

test('ids sort in the order of their creation, for any clock', () => {
  fc.assert(
    fc.property(fc.array(times, { minLength: 2, maxLength: 50 }), (clock) => {
      const made = clock.map((now) => ulid(now));
      assert.deepEqual([...made].sort(), made);
      assert.equal(new Set(made).size, made.length);
    }),
  );
});

test('a hundred thousand ids are all different', () => {
  const made = new Set(Array.from({ length: 100_000 }, () => newId('range', 3)));
  assert.equal(made.size, 100_000);
});

test('ids stay in order when the clock is set back', () => {
  const before = ulid(Date.now());
  assert.ok(ulid(Date.now() - 3_600_000) > before);
});

test('an id contains its creation time', () => {
  // The time in an id is never earlier than the times in ids that `ulid` made before. Therefore the tested times must
  // be later than the time of this first id.
  const floor = timeOfUlid(ulid());
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (ahead) => {
      const time = Math.max(timeOfUlid(ulid()), floor + ahead);
      assert.ok(Math.abs(timeOfUlid(ulid(time)) - time) <= 1);
    }),
  );
});

test('the bound of a time sorts before its ids', () => {
  fc.assert(
    fc.property(times, (time) => {
      assert.equal(timeOfUlid(idAt(time)), time);
      assert.ok(idAt(time) < idAt(time + 1));
    }),
  );
  assert.equal(timeOfUlid(idAt(-5)), 0);
});

test('a repository has the same id in every process', () => {
  // A different hash function would make every stored partition unreachable, so these values can never change.
  assert.equal(slotOf('https://github.com', '1001'), 666);
  const id = repositoryId('https://github.com', '1001');
  assert.equal(slotOfId(id, 'repo'), slotOf('https://github.com', '1001'));
  assert.equal(repositoryId('https://github.com', '1001'), id);
  assert.notEqual(repositoryId('https://git.example.com', '1001'), id);
  assert.notEqual(repositoryId('https://github.com', '1002'), id);
});

test('a draft has the slot of its range', () => {
  fc.assert(
    fc.property(slots, (slot) => {
      const range = newId('range', slot);
      const ids = ['engineer', 'internal', 'customer'].map((persona) => draftId(range, persona));
      assert.deepEqual(
        ids.map((id) => slotOfId(id, 'draft')),
        [slot, slot, slot],
      );
      assert.equal(new Set(ids).size, 3);
    }),
  );
});

test('repositories spread evenly over partitions', () => {
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 8000; i++) {
    const partition = partitionOf(slotOf('https://github.com', String(i)), 4);
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(count > 1700 && count < 2300, counts.join(' '));
});
