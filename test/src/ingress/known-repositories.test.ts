/**
 * Tests which reported repositories count as known.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownRepositories } from '../../../src/ingress/known-repositories.ts';
import { repositoryFields } from '../../helpers/partition-records.ts';

const state = { seq: 1 };
const readers = { current: () => undefined, seq: () => state.seq, generation: () => 1 };

test('a repository is known while it is reported in the same way', () => {
  const known = new KnownRepositories(readers);
  const repository = repositoryFields();
  assert.equal(known.has(repository), false);
  known.add(repository);
  assert.equal(known.has(structuredClone(repository)), true);
  for (const change of [
    { hostId: '999' },
    { fullName: 'acme/renamed' },
    { owner: { id: '78', login: 'acme' } },
    { owner: { id: '77', login: 'other' } },
  ])
    assert.equal(known.has({ ...repository, ...change }), false, JSON.stringify(change));
});

test('a change of the directory makes every repository unknown', () => {
  const known = new KnownRepositories(readers);
  const repository = repositoryFields();
  known.has(repository);
  known.add(repository);
  state.seq += 1;
  assert.equal(known.has(repository), false);
});
