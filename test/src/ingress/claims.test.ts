/** Tests how many repositories an organization may claim without proof. The tests use a real directory partition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClaimLimit } from '../../../src/ingress/claims.ts';
import { openTestPartition } from '../../helpers/partition.ts';

test('claims of delayed deliveries count until they are folded', (t) => {
  const directory = openTestPartition(t, 'directory');
  const limit = new ClaimLimit(2, 3_600_000);
  assert.ok(limit.admit(directory, 'org_acme', ['a', 'b'], 0));
  assert.equal(limit.admit(directory, 'org_acme', ['c'], 3_600_000), false, 'they may still wait');
  assert.ok(limit.admit(directory, 'org_acme', ['a'], 3_600_000), 'what is claimed already goes on');
  assert.ok(limit.admit(directory, 'org_acme', ['c'], 3_700_000), 'they were never listed');
});
