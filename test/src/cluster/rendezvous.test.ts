/** Tests the assignment of keys to members: it is even, and the loss of a member moves only the keys of this member. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { homeAmong, weighed } from '../../../src/cluster/rendezvous.ts';

const keys = Array.from({ length: 4000 }, (_, i) => `org_${i}`);

test('the loss of a member moves only its own keys', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 8 });
  fc.assert(
    fc.property(ids, fc.nat(), fc.string(), (all, nth, key) => {
      const lost = all[nth % all.length] as string;
      const before = homeAmong(weighed(all), key);
      const after = homeAmong(weighed(all.filter((id) => id !== lost)), key);
      if (before === lost) assert.notEqual(after, lost);
      else assert.equal(after, before);
    }),
  );
});

test('members agree, whatever the order in which they know each other', () => {
  const [one, other] = [weighed(['local-0', 'local-1', 'local-2']), weighed(['local-2', 'local-0', 'local-1'])];
  for (const key of keys) assert.equal(homeAmong(one, key), homeAmong(other, key));
});

test('keys are spread evenly, also those of a lost member', () => {
  const ids = ['local-0', 'local-1', 'local-2', 'local-3'];
  for (const members of [ids, ids.slice(1)]) {
    const homes = keys.map((key) => homeAmong(weighed(members), key));
    const expected = keys.length / members.length;
    for (const id of members) {
      const share = homes.filter((home) => home === id).length;
      assert.ok(Math.abs(share - expected) < expected / 6, `${share} of ${keys.length} keys are at home in ${id}`);
    }
  }
});

test('without members there is no home', () => {
  assert.equal(homeAmong([], 'org_1'), undefined);
});
