/**
 * Folds what becomes of API keys besides being made: rotation with overlap, revocation.
 */
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import { readKey, writeKey } from '../../src/store/directory.ts';
import { keyResponse, keyStatus } from '../../src/store/keys.ts';
import type { Partition } from '../../src/store/partition.ts';

/** A new key in the place of an old one, which goes on for the overlap. A key that lives for a time lives as long again. */
export function rotateKey(
  partition: Partition,
  { keyId, key, overlapMs }: Extract<DirectoryCommand, { name: 'rotateKey' }>,
  at: number,
): CommandResult {
  const old = readKey(partition, keyId);
  if (!old) return unknownKey(keyId);
  const status = keyStatus(old, at);
  if (status !== 'active') return conflict(`The API key ${keyId} is ${status}: make a new one.`);
  if (old.rotatedTo !== undefined) return conflict(`The API key ${keyId} was rotated before, into ${old.rotatedTo}.`);
  const { name, orgId, scopes } = old;
  const expiresAt = old.expiresAt === null ? null : at + old.expiresAt - old.createdAt;
  const fresh = { ...key, name, orgId, scopes, createdAt: at, expiresAt };
  writeKey(partition, { ...old, rotatedTo: key.id, expiresAt: Math.min(old.expiresAt ?? Infinity, at + overlapMs) });
  writeKey(partition, fresh);
  return { ok: true, value: keyResponse(partition, fresh, at) };
}

/** A key that is revoked stops at once; revoking it again changes nothing. */
export function revokeKey(partition: Partition, keyId: string, at: number): CommandResult {
  const key = readKey(partition, keyId);
  if (!key) return unknownKey(keyId);
  const revoked = { ...key, revokedAt: key.revokedAt ?? at };
  if (key.revokedAt === null) writeKey(partition, revoked);
  return { ok: true, value: keyResponse(partition, revoked, at) };
}

function unknownKey(keyId: string): CommandResult {
  return { ok: false, kind: 'notFound', message: `API key ${JSON.stringify(keyId)} is not found or not accessible.` };
}

function conflict(message: string): CommandResult {
  return { ok: false, kind: 'conflict', message };
}
