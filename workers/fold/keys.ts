/**
 * Folds the writes of API keys: creation, rotation with overlap, and revocation. If key A created key B, the end of A
 * also ends B. Nothing is stored for B: its end is computed when B is used.
 */
import type { CommandResult, DirectoryCommand, KeyRecord } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import { listKeysInUse, readKey, removeKeyInUse, writeKey } from '../../src/store/tables/directory.ts';
import { endOf, keyStateOf, keyStatus, makersOfSuccessor, rotatedFault } from '../../src/store/tables/key-ends.ts';
import { keyResponse } from '../../src/store/tables/keys.ts';

type Named<Name extends DirectoryCommand['name']> = Extract<DirectoryCommand, { name: Name }>;

/**
 * Creates a key for the organization `orgId`, or for the instance if `orgId` is null. The creation fails if the
 * caller's own key has ended, or if this key was rotated after the request.
 */
export function createKey(
  partition: Partition,
  { key: wanted, most: maxKeys }: Named<'createKey'>,
  orgId: string | null,
  at: number,
): CommandResult {
  const fault = maxKeys === undefined ? undefined : makerFault(partition, wanted, at);
  if (fault !== undefined) return { ok: false, kind: 'forbidden', message: fault };
  if (orgId !== null && maxKeys && countKeys(partition, orgId, at).unrotated >= maxKeys) {
    return conflict(`An organization has at most ${maxKeys} API keys (TIDINGS_MAX_KEYS). Revoke one.`);
  }
  const key = { ...wanted, orgId, createdAt: at };
  writeKey(partition, key);
  return { ok: true, value: keyResponse(partition, key, at) };
}

/**
 * Replaces a key with a new key. The old key works until the overlap ends. If the old key has a limited lifetime, the
 * new key gets the same lifetime.
 */
export function rotateKey(partition: Partition, command: Named<'rotateKey'>, at: number): CommandResult {
  const { keyId, key, overlapMs } = command;
  const old = readKey(partition, keyId);
  if (!old) return unknownKey(keyId);
  // A line consists of a key and all keys that replaced it by rotation. Earlier versions of Tidings wrote rotations
  // without `line`. Such rotations are folded in the same way as by those versions.
  const isBound = key.line !== undefined;
  const status = isBound ? keyStateOf(partition, old, at).status : keyStatus(old, at);
  if (status !== 'active') return conflict(`The API key ${keyId} is ${status}. Create a new key.`);
  if (old.rotatedTo !== undefined)
    return conflict(`The API key ${keyId} was already rotated. Its successor is ${old.rotatedTo}.`);
  const { name, orgId, scopes } = old;
  const expiresAt = old.expiresAt === null ? null : at + old.expiresAt - old.createdAt;
  const fresh = { ...key, name, orgId, scopes, createdAt: at, expiresAt };
  const rotated = { ...old, rotatedTo: key.id, expiresAt: Math.min(old.expiresAt ?? Infinity, at + overlapMs) };
  if (!isBound) {
    writeKey(partition, rotated);
    writeKey(partition, fresh);
    return { ok: true, value: keyResponse(partition, fresh, at) };
  }
  return rotateBound(partition, command, { old, rotated, fresh }, at);
}

/**
 * Finishes a rotation. A rotation line is a key and all keys that replaced it. The new key joins the rotation line of
 * the old key, and depends on the keys that the old key depended on. If another key requested the rotation, the new key
 * also depends on the requesting key.
 */
function rotateBound(
  partition: Partition,
  { overlapMs, most: maxKeys }: Named<'rotateKey'>,
  { old, rotated, fresh }: Record<'old' | 'rotated' | 'fresh', KeyRecord>,
  at: number,
): CommandResult {
  const other = fresh.createdBy === old.id ? undefined : fresh.createdBy;
  const fault = other === undefined ? undefined : makerFault(partition, fresh, at);
  if (fault !== undefined) return { ok: false, kind: 'forbidden', message: fault };
  // Keys in their overlap do not count towards the maximum. All keys together may be at most twice the maximum, so that
  // keys in overlap do not accumulate.
  if (old.orgId !== null && maxKeys && overlapMs > 0 && countKeys(partition, old.orgId, at).all >= 2 * maxKeys) {
    const message = `An organization has at most ${2 * maxKeys} API keys, including rotated keys that are still valid (twice TIDINGS_MAX_KEYS). Rotate without overlap.`;
    return conflict(message);
  }
  const bound = { ...fresh, line: old.line ?? old.id, makers: makersOfSuccessor(partition, old, other) };
  const rotator = other === undefined ? undefined : readKey(partition, other);
  const ends = [bound, rotator].map((each) => (each ? endOf(partition, each).expiresAt : null));
  const key = { ...bound, expiresAt: earliest(ends) };
  const first = old.line === undefined ? rotated : readKey(partition, old.line);
  writeKey(partition, rotated);
  writeKey(partition, key);
  if (first) writeKey(partition, { ...first, head: key.id });
  return { ok: true, value: keyResponse(partition, key, at) };
}

/**
 * Revokes a key. The key stops working immediately, together with all keys that it created. A second revocation changes
 * nothing.
 */
export function revokeKey(partition: Partition, { keyId, guarded }: Named<'revokeKey'>, at: number): CommandResult {
  const key = readKey(partition, keyId);
  if (!key) return unknownKey(keyId);
  const revoked = { ...key, revokedAt: key.revokedAt ?? at };
  const value = keyResponse(partition, revoked, at);
  if (key.revokedAt !== null) return { ok: true, value: guarded ? { ...value, endedKeys: 0 } : value };
  if (!guarded) {
    writeKey(partition, revoked);
    return { ok: true, value };
  }
  const before = activeKeys(partition, key.orgId, at);
  writeKey(partition, revoked);
  const left = activeKeys(partition, key.orgId, at);
  if (before.some(managesInstance) && !left.some(managesInstance)) {
    writeKey(partition, key);
    const message = `The API key ${keyId} cannot be revoked, because no other key of the instance could then create keys. Rotate the key, or first create another one with the command line: tidings keys create --instance.`;
    return conflict(message);
  }
  const others = before.filter(({ id }) => id !== keyId);
  return { ok: true, value: { ...value, endedKeys: others.length - left.length } };
}

/**
 * Checks whether the key of a request is allowed to create or rotate another key. Returns the reason for a refusal,
 * otherwise undefined. The command line uses no key and is never refused.
 */
function makerFault(partition: Partition, { createdBy }: KeyRecord, at: number): string | undefined {
  if (createdBy === undefined) return undefined;
  const maker = readKey(partition, createdBy);
  if (!maker || keyStateOf(partition, maker, at).status !== 'active')
    return 'The API key of the request has expired or was revoked.';
  return maker.rotatedTo === undefined ? undefined : rotatedFault(maker.rotatedTo);
}

/**
 * Returns the active keys of an organization. If `orgId` is null, as for an instance key, all active keys are returned.
 * An instance key can have created keys of any organization.
 */
function activeKeys(partition: Partition, orgId: string | null, at: number): KeyRecord[] {
  const keys = orgId === null ? listKeysInUse(partition) : listKeysInUse(partition, orgId);
  return keys.filter((key) => keyStateOf(partition, key, at).status === 'active');
}

/**
 * Counts the active keys of an organization. `unrotated` does not include rotated keys, which stay active until their
 * overlap ends. Keys that have ended are removed from the list of keys in use.
 */
function countKeys(partition: Partition, orgId: string, at: number): { all: number; unrotated: number } {
  const counts = { all: 0, unrotated: 0 };
  for (const key of listKeysInUse(partition, orgId)) {
    if (keyStateOf(partition, key, at).status !== 'active') {
      removeKeyInUse(partition, key);
      continue;
    }
    counts.all += 1;
    if (key.rotatedTo === undefined) counts.unrotated += 1;
  }
  return counts;
}

/**
 * Whether a key can manage the keys of the instance and has not been rotated. Without any such key, only the command
 * line could create new keys of the instance.
 */
function managesInstance({ orgId, prefix, scopes, rotatedTo }: KeyRecord): boolean {
  const managesKeys = scopes.includes('*') || scopes.includes('keys:write');
  return orgId === null && prefix === 'rn_live_' && managesKeys && rotatedTo === undefined;
}

function earliest(times: readonly (number | null)[]): number | null {
  const given = times.filter((time) => time !== null);
  return given.length === 0 ? null : Math.min(...given);
}

function unknownKey(keyId: string): CommandResult {
  return { ok: false, kind: 'notFound', message: `API key ${JSON.stringify(keyId)} is not found or not accessible.` };
}

function conflict(message: string): CommandResult {
  return { ok: false, kind: 'conflict', message };
}
