/**
 * Folds the writes of API keys: making one, rotation with overlap, revocation. What ends with a key is decided when it is used.
 */
import type { CommandResult, DirectoryCommand, KeyRecord } from '../../src/protocol/commands.ts';
import type { Partition } from '../../src/store/partition.ts';
import { listKeysInUse, readKey, removeKeyInUse, writeKey } from '../../src/store/tables/directory.ts';
import { endOf, keyStatus, makersOfSuccessor, rotatedFault, standingOf } from '../../src/store/tables/key-ends.ts';
import { keyResponse } from '../../src/store/tables/keys.ts';

type Named<Name extends DirectoryCommand['name']> = Extract<DirectoryCommand, { name: Name }>;

/**
 * Makes a key for `orgId`, or for the instance with null. A maker that has ended or was rotated since the request makes none.
 */
export function createKey(
  partition: Partition,
  { key: wanted, most }: Named<'createKey'>,
  orgId: string | null,
  at: number,
): CommandResult {
  const fault = most === undefined ? undefined : makerFault(partition, wanted, at);
  if (fault !== undefined) return { ok: false, kind: 'forbidden', message: fault };
  if (orgId !== null && most && countKeys(partition, orgId, at).unrotated >= most) {
    return conflict(`An organization has at most ${most} API keys (TIDINGS_MAX_KEYS). Revoke one.`);
  }
  const key = { ...wanted, orgId, createdAt: at };
  writeKey(partition, key);
  return { ok: true, value: keyResponse(partition, key, at) };
}

/** A new key in the place of an old one, which goes on for the overlap. A key that lives for a time lives as long again. */
export function rotateKey(partition: Partition, command: Named<'rotateKey'>, at: number): CommandResult {
  const { keyId, key, overlapMs } = command;
  const old = readKey(partition, keyId);
  if (!old) return unknownKey(keyId);
  // Records of earlier versions have no line, and are folded as they were then.
  const isBound = key.line !== undefined;
  const status = isBound ? standingOf(partition, old, at).status : keyStatus(old, at);
  if (status !== 'active') return conflict(`The API key ${keyId} is ${status}: make a new one.`);
  if (old.rotatedTo !== undefined) return conflict(`The API key ${keyId} was rotated before, into ${old.rotatedTo}.`);
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

/** Finishes a rotation: the successor joins the line, ends with the makers of the line, and with another key that rotated it. */
function rotateBound(
  partition: Partition,
  { overlapMs, most }: Named<'rotateKey'>,
  { old, rotated, fresh }: Record<'old' | 'rotated' | 'fresh', KeyRecord>,
  at: number,
): CommandResult {
  const other = fresh.createdBy === old.id ? undefined : fresh.createdBy;
  const fault = other === undefined ? undefined : makerFault(partition, fresh, at);
  if (fault !== undefined) return { ok: false, kind: 'forbidden', message: fault };
  // Keys in their overlap do not count as keys; so that they do not add up either, there are as many again at most.
  if (old.orgId !== null && most && overlapMs > 0 && countKeys(partition, old.orgId, at).all >= 2 * most) {
    const message = `An organization has at most ${2 * most} API keys with those in their overlap (twice TIDINGS_MAX_KEYS). Rotate without overlap.`;
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

/** A key that is revoked stops at once, with all that it made; revoking it again changes nothing. */
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
    const message = `The API key ${keyId} is the last key of the instance that works and may make keys, or the others end with it. Rotate it, or make another with the command line first: tidings keys create --instance.`;
    return conflict(message);
  }
  const others = before.filter(({ id }) => id !== keyId);
  return { ok: true, value: { ...value, endedKeys: others.length - left.length } };
}

/** Why a key makes or rotates no other one; nothing for the command line, which has no key. */
function makerFault(partition: Partition, { createdBy }: KeyRecord, at: number): string | undefined {
  if (createdBy === undefined) return undefined;
  const maker = readKey(partition, createdBy);
  if (!maker || standingOf(partition, maker, at).status !== 'active') return 'The API key of the request has ended.';
  return maker.rotatedTo === undefined ? undefined : rotatedFault(maker.rotatedTo);
}

/** Active keys of an organisation, or with null of everybody: what a key of the instance made can belong to anybody. */
function activeKeys(partition: Partition, orgId: string | null, at: number): KeyRecord[] {
  const keys = orgId === null ? listKeysInUse(partition) : listKeysInUse(partition, orgId);
  return keys.filter((key) => standingOf(partition, key, at).status === 'active');
}

/** How many keys an organisation has; `unrotated` leaves out those that only go on for an overlap. Ended ones leave the list. */
function countKeys(partition: Partition, orgId: string, at: number): { all: number; unrotated: number } {
  const counts = { all: 0, unrotated: 0 };
  for (const key of listKeysInUse(partition, orgId)) {
    if (standingOf(partition, key, at).status !== 'active') {
      removeKeyInUse(partition, key);
      continue;
    }
    counts.all += 1;
    if (key.rotatedTo === undefined) counts.unrotated += 1;
  }
  return counts;
}

/** Whether a key can manage the instance, and goes on to: without such a key only the command line could make one. */
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
