/**
 * Tests the authentication of requests: a key determines the caller, the tier, the mode (live or test) and the reminder
 * to rotate the key.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { Authenticator } from '../../../src/api/authenticate.ts';
import { keyParts, newKey } from '../../../src/foundation/api-key.ts';
import { newId } from '../../../src/foundation/ids.ts';
import type { KeyRecord } from '../../../src/protocol/commands.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { Readers } from '../../../src/store/readers.ts';
import { readKey } from '../../../src/store/tables/directory.ts';
import { keyResponse, rotationMs } from '../../../src/store/tables/keys.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord } from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const now = Date.now();
let seq = 0;

function open(t: TestContext, env: NodeJS.ProcessEnv = {}): { directory: Partition; authenticator: Authenticator } {
  const dataDir = temporaryFolder(t);
  const directory = openTestPartition(t, 'directory', dataDir);
  const readers = new Readers(dataDir);
  afterwards(t, () => readers.close());
  return { directory, authenticator: new Authenticator(readers, loadSettings(env)) };
}

/** Stores a key that was made `age` milliseconds ago. */
async function make(
  directory: Partition,
  age: number,
  fields: Partial<KeyRecord> = {},
  mode: 'live' | 'test' = 'live',
  org: string | null = 'acme',
) {
  const key = newKey(mode);
  const id = newId('key', 0);
  const record: KeyRecord = {
    ...keyParts(key),
    id,
    name: 'k',
    orgId: null,
    scopes: ['repos:read'],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    ...fields,
  };
  seq += 1;
  const origin = 'https://github.com';
  await foldRecords(directory, seq, commandRecord({ name: 'createKey', org, origin, key: record } as never, now - age));
  return { id, authorization: `Bearer ${key}` };
}

test('a key older than six months carries a rotation reminder (spec 5)', async (t) => {
  const { directory, authenticator } = open(t);
  const young = await make(directory, rotationMs - 60_000);
  const old = await make(directory, rotationMs);
  assert.deepEqual(authenticator.admit(young.authorization, 'repos:read', now).caller.notices, []);
  const [name, date] = authenticator.admit(old.authorization, 'repos:read', now).caller.notices;
  assert.deepEqual([name, date], ['X-Key-Rotate-By', new Date(now).toISOString()]);
  const reminderOf = (id: string) => keyResponse(directory, readKey(directory, id) as KeyRecord, now).reminder;
  assert.equal(reminderOf(young.id), null);
  assert.match(String(reminderOf(old.id)), /older than six months/);
});

test('the authenticator caches a key once, however its header is written', async (t) => {
  const { directory, authenticator } = open(t);
  const { authorization } = await make(directory, 0);
  const { caller } = authenticator.admit(authorization, 'repos:read', now);
  for (const scheme of ['bearer', 'BEARER  ', `Bearer${' '.repeat(3000)}`]) {
    const other = authorization.replace('Bearer', scheme);
    assert.equal(authenticator.admit(other, 'repos:read', now).caller, caller, scheme.trim());
  }
  const { authorization: next } = await make(directory, 0);
  const spaced = authenticator.admit(next.replace(' ', '  '), 'repos:read', now).caller;
  assert.equal(authenticator.admit(next, 'repos:read', now).caller, spaced);
});

test('a rotated key carries no rotation reminder', async (t) => {
  const { directory, authenticator } = open(t);
  const old = await make(directory, rotationMs);
  const key = { ...(readKey(directory, old.id) as KeyRecord), ...keyParts(newKey()), id: newId('key', 0) };
  seq += 1;
  const command = { name: 'rotateKey', keyId: old.id, key, overlapMs: 3_600_000 };
  await foldRecords(directory, seq, commandRecord(command as never, now));
  assert.deepEqual(authenticator.admit(old.authorization, 'repos:read', now).caller.notices, []);
  assert.throws(() => authenticator.admit(old.authorization, 'repos:read', now + 3_600_000), /has expired/);
});

test('a new tier applies from the next request on', async (t) => {
  const { directory, authenticator } = open(t);
  const { authorization, id } = await make(directory, 0);
  const tierOf = () => authenticator.admit(authorization, 'repos:read', now).caller.limited.tier;
  assert.equal(tierOf().apiPerMinute, 100);
  const orgId = readKey(directory, id)?.orgId;
  for (const [tier, perMinute] of [
    ['unlimited', 0],
    ['gone from the settings', 100],
  ] as const) {
    seq += 1;
    await foldRecords(directory, seq, commandRecord({ name: 'setTier', orgId, tier } as never, now));
    assert.equal(tierOf().apiPerMinute, perMinute, tier);
  }
});

test('test mode has its own limits', async (t) => {
  const { directory, authenticator } = open(t);
  const { authorization } = await make(directory, 0, {}, 'test');
  const { caller } = authenticator.admit(authorization, 'repos:read', now);
  assert.equal(caller.isTest, true);
  assert.notEqual(caller.testLimited.keyId, caller.limited.keyId);
  assert.notEqual(caller.testLimited.organization, caller.limited.organization);
});

test('a key of the instance has the tier of the settings', async (t) => {
  const { directory, authenticator } = open(t, { TIDINGS_INSTANCE_TIER: 'unlimited' });
  const [instance, organization] = [await make(directory, 0, {}, 'live', null), await make(directory, 0)];
  const tierOf = ({ authorization }: { authorization: string }) =>
    authenticator.admit(authorization, 'repos:read', now).caller.limited.tier.name;
  assert.deepEqual([tierOf(instance), tierOf(organization)], ['unlimited', 'standard']);
});

test('a key stops working on the next request after its maker ends', async (t) => {
  const { directory, authenticator } = open(t);
  const maker = await make(directory, 0, { expiresAt: now + 60_000 });
  const child = await make(directory, 0, { createdBy: maker.id });
  const admit = (at: number) => authenticator.admit(child.authorization, 'repos:read', at).caller;
  assert.equal(admit(now).expiresAt, now + 60_000);
  assert.equal(admit(now + 1), admit(now), 'its end is computed once for one state of the directory');
  assert.throws(() => admit(now + 60_000), /The API key has expired/);
  seq += 1;
  await foldRecords(directory, seq, commandRecord({ name: 'revokeKey', keyId: maker.id } as never, now));
  assert.throws(() => admit(now), new RegExp(`was revoked together with the key that created it, ${maker.id}\\.`));
});
