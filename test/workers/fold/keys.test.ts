/**
 * Checks the fold of API keys. The end of a key can also end other keys, for example the keys that it has created. The
 * last instance key is protected. The number of keys per organization has a maximum. Records of earlier versions of
 * Tidings still fold to the same bytes as in those versions.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandResult, KeyRecord } from '../../../src/protocol/commands.ts';
import type { CommandRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readKey } from '../../../src/store/tables/directory.ts';
import { keyStateOf } from '../../../src/store/tables/key-ends.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields } from '../../helpers/partition-records.ts';

const hourMs = 3_600_000;
const origin = 'https://github.com';
let seq = 0;

interface Making {
  by?: string;
  org?: string | null;
  most?: number;
  at?: number;
  fields?: Partial<KeyRecord>;
}

function creation(id: string, { by, org = 'acme', most = 0, at = 0, fields = {} }: Making): CommandRecord {
  const key = keyFields(id, { ...(by !== undefined && { createdBy: by }), ...fields });
  return commandRecord({ name: 'createKey', org, origin, key, most } as never, epoch + at);
}

async function runCommand(directory: Partition, record: CommandRecord): Promise<CommandResult> {
  seq += 1;
  await foldRecords(directory, seq, record);
  return readResult(directory, record.id) as CommandResult;
}

async function make(directory: Partition, id: string, making: Making = {}): Promise<CommandResult> {
  return runCommand(directory, creation(id, making));
}

async function rotate(
  directory: Partition,
  keyId: string,
  id: string,
  { by = keyId, most = 0, at = 0, overlapMs = hourMs } = {},
): Promise<CommandResult> {
  const old = readKey(directory, keyId) as KeyRecord;
  const key = keyFields(id, { createdBy: by, line: old.line ?? old.id });
  const command = { name: 'rotateKey', keyId, key, overlapMs, most };
  return runCommand(directory, commandRecord(command as never, epoch + at));
}

async function revoke(directory: Partition, keyId: string, at = 0): Promise<CommandResult> {
  return runCommand(directory, commandRecord({ name: 'revokeKey', keyId, guarded: true } as never, epoch + at));
}

function stateOf(directory: Partition, id: string, at = 0) {
  const { status, endedWith } = keyStateOf(directory, readKey(directory, id) as KeyRecord, epoch + at);
  return [status, endedWith];
}

function valueIn(result: CommandResult): Record<string, unknown> {
  assert.ok(result.ok, JSON.stringify(result));
  return result.value as Record<string, unknown>;
}

function messageOf(result: CommandResult, kind: string): string {
  assert.ok(!result.ok, JSON.stringify(result));
  assert.equal(result.kind, kind);
  return result.message;
}

test('a key ends with the key that made it, through all generations', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'maker');
  await make(directory, 'child', { by: 'maker' });
  await make(directory, 'grandchild', { by: 'child' });
  await make(directory, 'other');
  await rotate(directory, 'grandchild', 'rotated', { overlapMs: 0, at: 1 });
  assert.deepEqual(stateOf(directory, 'rotated', 2), ['active', null]);
  assert.equal(valueIn(await revoke(directory, 'maker', 3)).endedKeys, 2, 'the child and the rotated grandchild');
  assert.deepEqual(stateOf(directory, 'child', 3), ['revoked', 'maker']);
  assert.deepEqual(stateOf(directory, 'rotated', 3), ['revoked', 'maker']);
  assert.deepEqual(stateOf(directory, 'other', 3), ['active', null]);
});

test('a key expires with the key that made it', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'maker', { fields: { expiresAt: epoch + hourMs } });
  // Earlier versions of Tidings stored no separate expiry time for a key that another key had created.
  await make(directory, 'child', { by: 'maker' });
  assert.deepEqual(stateOf(directory, 'child', hourMs - 1), ['active', null]);
  assert.deepEqual(stateOf(directory, 'child', hourMs), ['expired', 'maker']);
});

test('keys that a rotated key made continue under its successor', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'first');
  await make(directory, 'child', { by: 'first' });
  await rotate(directory, 'first', 'second', { at: 1 });
  await rotate(directory, 'second', 'third', { at: 2 });
  assert.deepEqual(stateOf(directory, 'first', 2 * hourMs), ['expired', null]);
  assert.deepEqual(stateOf(directory, 'child', 2 * hourMs), ['active', null], 'the overlap has passed');
  assert.equal(readKey(directory, 'first')?.head, 'third');
  await revoke(directory, 'second', 2 * hourMs);
  assert.deepEqual(stateOf(directory, 'child', 2 * hourMs), ['active', null], 'the second key made nothing');
  assert.equal(valueIn(await revoke(directory, 'third', 2 * hourMs)).endedKeys, 1);
  assert.deepEqual(stateOf(directory, 'child', 2 * hourMs), ['revoked', 'third']);
});

test('revoking a rotated key ends the keys that it made, but not its successor', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'first');
  await make(directory, 'child', { by: 'first' });
  await rotate(directory, 'first', 'second', { at: 1 });
  await make(directory, 'later', { by: 'second', at: 2 });
  assert.equal(valueIn(await revoke(directory, 'first', 3)).endedKeys, 1);
  assert.deepEqual(stateOf(directory, 'child', 3), ['revoked', 'first']);
  assert.deepEqual(stateOf(directory, 'second', 3), ['active', null]);
  assert.deepEqual(stateOf(directory, 'later', 3), ['active', null]);
});

test('a key that another key rotated ends with both', async (t) => {
  for (const ended of ['maker', 'rotator']) {
    const directory = openTestPartition(t, `directory-${ended}`);
    await make(directory, 'maker');
    await make(directory, 'rotator', { fields: { expiresAt: epoch + hourMs } });
    await make(directory, 'old', { by: 'maker' });
    const fresh = valueIn(await rotate(directory, 'old', 'fresh', { by: 'rotator' }));
    assert.equal(fresh.expiresAt, new Date(epoch + hourMs).toISOString(), 'no later than the key that rotated it');
    assert.deepEqual(stateOf(directory, 'fresh'), ['active', null]);
    await revoke(directory, ended);
    assert.deepEqual(stateOf(directory, 'fresh'), ['revoked', ended]);
  }
});

test('a rotated key does not outlive the maker of its line', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'maker', { fields: { expiresAt: epoch + 3 * hourMs } });
  await make(directory, 'brief', { by: 'maker', fields: { expiresAt: epoch + 2 * hourMs } });
  const second = valueIn(await rotate(directory, 'brief', 'second', { at: hourMs / 2 }));
  assert.equal(second.expiresAt, new Date(epoch + 2.5 * hourMs).toISOString(), 'it lives as long again');
  const third = valueIn(await rotate(directory, 'second', 'third', { at: 2 * hourMs }));
  assert.equal(third.expiresAt, new Date(epoch + 3 * hourMs).toISOString(), 'until the maker expires');
});

test('a key that was rotated cannot make or rotate others', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'first');
  await make(directory, 'other');
  await rotate(directory, 'first', 'second', { at: 1 });
  for (const result of [
    await make(directory, 'child', { by: 'first', at: 2 }),
    await rotate(directory, 'second', 'third', { by: 'first', at: 2 }),
    await rotate(directory, 'other', 'another', { by: 'first', at: 2 }),
  ]) {
    assert.match(messageOf(result, 'forbidden'), /was rotated\. Use its successor second/);
  }
});

test('a key that has ended since the request cannot make or rotate others', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'maker');
  await make(directory, 'old');
  await revoke(directory, 'maker');
  assert.match(messageOf(await make(directory, 'child', { by: 'maker' }), 'forbidden'), /has expired or was revoked/);
  assert.match(
    messageOf(await rotate(directory, 'old', 'fresh', { by: 'maker' }), 'forbidden'),
    /has expired or was revoked/,
  );
  assert.equal(readKey(directory, 'child'), undefined);
});

test('two keys that rotated each other work until one is revoked', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'a');
  await make(directory, 'b', { by: 'a' });
  await rotate(directory, 'a', 'a2', { by: 'b', at: 1 });
  await rotate(directory, 'b', 'b2', { by: 'a2', at: 2 });
  assert.deepEqual(stateOf(directory, 'a2', 2 * hourMs), ['active', null]);
  assert.deepEqual(stateOf(directory, 'b2', 2 * hourMs), ['active', null]);
  await revoke(directory, 'b2', 2 * hourMs);
  assert.deepEqual(stateOf(directory, 'a2', 2 * hourMs), ['revoked', 'b2']);
});

test('the list of makers does not grow with rotations', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'a0');
  await make(directory, 'b0');
  for (let i = 0; i < 20; i++) {
    await rotate(directory, `b${i}`, `b${i + 1}`, { by: `a${i}`, overlapMs: 0, at: 2 * i });
    await rotate(directory, `a${i}`, `a${i + 1}`, { by: `b${i + 1}`, overlapMs: 0, at: 2 * i + 1 });
  }
  assert.deepEqual(readKey(directory, 'b20')?.makers, ['a19']);
  assert.deepEqual(stateOf(directory, 'b20', 50), ['active', null]);
});

test('the last key that manages the instance cannot be revoked', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'admin', { org: null });
  await make(directory, 'reader', { org: null, fields: { scopes: ['repos:read'] } });
  await make(directory, 'child', { org: null, by: 'admin' });
  await make(directory, 'customer', { by: 'admin' });
  assert.match(messageOf(await revoke(directory, 'admin'), 'conflict'), /no other key of the instance/);
  assert.deepEqual(stateOf(directory, 'customer'), ['active', null], 'nothing has ended');
  assert.equal(readKey(directory, 'admin')?.revokedAt, null);
  await make(directory, 'second', { org: null });
  assert.equal(valueIn(await revoke(directory, 'admin')).endedKeys, 2, 'the other keys of the instance go on');
  assert.deepEqual(stateOf(directory, 'second'), ['active', null]);
  messageOf(await revoke(directory, 'second'), 'conflict');
  assert.ok((await revoke(directory, 'reader')).ok);
});

test('the last instance key can be rotated and then revoked', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'admin', { org: null });
  await make(directory, 'customer', { by: 'admin' });
  valueIn(await rotate(directory, 'admin', 'next', { overlapMs: 0, at: 1 }));
  assert.deepEqual(stateOf(directory, 'customer', 2), ['active', null]);
  messageOf(await revoke(directory, 'next', 2), 'conflict');
  assert.ok((await revoke(directory, 'admin', 3)).ok, 'its time has passed');
});

test('refuses keys of an organization beyond the maximum', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const most = 2;
  for (const id of ['a', 'b']) valueIn(await make(directory, id, { most, fields: { expiresAt: epoch + hourMs } }));
  assert.match(messageOf(await make(directory, 'c', { most }), 'conflict'), /at most 2 API keys \(TIDINGS_MAX_KEYS\)/);
  assert.ok((await make(directory, 'd', { most, org: 'moon' })).ok, 'another organization has its own');
  assert.ok((await make(directory, 'e', { most, org: null })).ok, 'the instance has none');
  assert.ok((await make(directory, 'f')).ok, 'no maximum');
  await revoke(directory, 'a');
  await revoke(directory, 'f');
  assert.ok((await make(directory, 'g', { most })).ok, 'a revoked key makes room');
  assert.ok((await make(directory, 'h', { most, at: hourMs })).ok, 'and so does an expired one');
});

test('a key at the maximum can be rotated, and overlaps do not accumulate', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const most = 2;
  for (const id of ['a', 'b']) await make(directory, id, { most });
  for (const id of ['a', 'b']) valueIn(await rotate(directory, id, `${id}2`, { most }));
  const refused = await rotate(directory, 'a2', 'a3', { most });
  assert.match(messageOf(refused, 'conflict'), /at most 4 API keys, including rotated keys/);
  assert.ok((await rotate(directory, 'a2', 'a3', { most, overlapMs: 0 })).ok);
  messageOf(await make(directory, 'c', { most }), 'conflict');
});

test('keys that ended with their maker make room for others', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const most = 2;
  await make(directory, 'maker', { most });
  await make(directory, 'child', { most, by: 'maker' });
  messageOf(await make(directory, 'c', { most }), 'conflict');
  await revoke(directory, 'maker');
  for (const id of ['c', 'd']) valueIn(await make(directory, id, { most }));
});

test('records of earlier versions fold unchanged, and their keys end with their makers', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const earlier = async (command: object, at: number) =>
    runCommand(directory, commandRecord(command as never, epoch + at));
  const created = (id: string, by?: string, expiresAt: number | null = null) => ({
    name: 'createKey',
    org: 'acme',
    origin,
    key: keyFields(id, { ...(by !== undefined && { createdBy: by }), expiresAt }),
  });
  const rotation = (keyId: string, id: string, by: string) => ({
    name: 'rotateKey',
    keyId,
    key: keyFields(id, { createdBy: by }),
    overlapMs: hourMs,
  });
  await earlier(created('maker', undefined, epoch + hourMs), 0);
  await earlier(created('child', 'maker'), 0);
  await earlier(rotation('child', 'rotated', 'child'), 1);
  await earlier(rotation('maker', 'made anew', 'maker'), 2);
  const orgId = readKey(directory, 'maker')?.orgId as string;
  const common = { orgId, name: 'child' };
  assert.deepEqual(
    rows<KeyRecord>(directory, 'keys').map(({ hash: _hash, ...key }) => key),
    [
      {
        ...keyFields('child', common),
        createdBy: 'maker',
        createdAt: epoch,
        expiresAt: epoch + 1 + hourMs,
        rotatedTo: 'rotated',
      },
      {
        ...keyFields('made anew', { orgId, name: 'maker' }),
        createdBy: 'maker',
        createdAt: epoch + 2,
        expiresAt: epoch + 2 + hourMs,
      },
      { ...keyFields('maker', { orgId }), createdAt: epoch, expiresAt: epoch + hourMs, rotatedTo: 'made anew' },
      { ...keyFields('rotated', common), createdBy: 'child', createdAt: epoch + 1 },
    ].map(({ hash: _hash, ...key }) => key),
  );
  assert.deepEqual(stateOf(directory, 'rotated', hourMs + 1), ['active', null], 'the maker was rotated');
  assert.deepEqual(stateOf(directory, 'rotated', hourMs + 2), ['expired', 'made anew']);
  const { value } = (await earlier({ name: 'revokeKey', keyId: 'made anew' }, 3)) as { value: object };
  assert.ok(!('endedKeys' in value));
  assert.deepEqual(stateOf(directory, 'rotated', 4), ['revoked', 'made anew']);
  assert.deepEqual(stateOf(directory, 'made anew', 4), ['revoked', null]);
});

test('a key ends with its maker’s maker, though an earlier version let another key rotate it', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'maker');
  await make(directory, 'other');
  await make(directory, 'old', { by: 'maker' });
  await make(directory, 'child', { by: 'old' });
  const key = keyFields('fresh', { createdBy: 'other' });
  await runCommand(
    directory,
    commandRecord({ name: 'rotateKey', keyId: 'old', key, overlapMs: 0 } as never, epoch + 1),
  );
  assert.deepEqual(stateOf(directory, 'child', 2), ['active', null]);
  await revoke(directory, 'maker', 3);
  assert.deepEqual(stateOf(directory, 'child', 3), ['revoked', 'maker']);
});

test('a record of an earlier version revokes the last instance key', async (t) => {
  const directory = openTestPartition(t, 'directory');
  await make(directory, 'admin', { org: null });
  await runCommand(directory, commandRecord({ name: 'revokeKey', keyId: 'admin' } as never, epoch));
  assert.deepEqual(stateOf(directory, 'admin'), ['revoked', null]);
});
