/**
 * Tests suppressions. A suppression marks a recipient who wants no more mail. An unsubscribe token identifies one
 * recipient, and is valid only under the key that it was made with.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSealer } from '../../../../src/foundation/seal.ts';
import {
  addressDigest,
  isSuppressed,
  readUnsubscribeToken,
  removeSuppressions,
  unsubscribeToken,
  writeSuppression,
} from '../../../../src/store/tables/suppressions.ts';
import { openTestPartition } from '../../../helpers/partition.ts';

const sealer = createSealer(randomBytes(32));
const recipient = { orgId: 'org_1', address: addressDigest(sealer, 'org_1', 'ada@example.org') };

test('a token yields its recipient', () => {
  const token = unsubscribeToken(sealer, recipient);
  assert.deepEqual(readUnsubscribeToken(sealer, token), recipient);
  assert.match(token, /^[\w.-]+$/);
  assert.ok(!token.includes('ada'));
});

test('a changed token yields no recipient', () => {
  const token = unsubscribeToken(sealer, recipient);
  const other = addressDigest(sealer, 'org_1', 'grace@example.org');
  const made = [
    token.slice(0, -1),
    `${token}A`,
    token.replace('org_1', 'org_2'),
    token.replace(recipient.address, other),
    '',
    'org_1..',
    'x'.repeat(10_000),
  ];
  for (const text of made) assert.equal(readUnsubscribeToken(sealer, text), undefined, text.slice(0, 40));
  assert.equal(readUnsubscribeToken(createSealer(randomBytes(32)), token), undefined, 'of another key');
});

test('the digest of an address ignores case and differs between organizations', () => {
  assert.equal(addressDigest(sealer, 'org_1', ' Ada@Example.ORG'), recipient.address);
  assert.notEqual(addressDigest(sealer, 'org_2', 'ada@example.org'), recipient.address);
});

test('a recipient is suppressed until it wants mail again', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await directory.root.transaction(() => {
    writeSuppression(directory, recipient, 1);
    writeSuppression(directory, { ...recipient, orgId: 'org_2' }, 1);
  });
  assert.equal(isSuppressed(directory, recipient), true);
  await directory.root.transaction(() => writeSuppression(directory, recipient, null));
  assert.equal(isSuppressed(directory, recipient), false);
  await directory.root.transaction(() => removeSuppressions(directory, 'org_2'));
  assert.equal(directory.tables.suppressions.getKeysCount({}), 0);
});
