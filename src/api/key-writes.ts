/**
 * Creates, rotates and revokes API keys for the API and the command line. This file generates the key and writes only
 * its hash to the journal. Only one reply contains the key itself.
 */
import { keyParts, newKey } from '../foundation/api-key.ts';
import { newId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { KeyRecord } from '../protocol/commands.ts';
import { type ApiContext, runCommand, type Use } from './context.ts';

/** The properties of a key to create. */
export interface WantedKey {
  name: string;
  scopes: readonly string[];
  mode: 'live' | 'test';
  /** Expiry in milliseconds since 1970; null = the key does not expire. */
  expiresAt: number | null;
  /** Login or id of the organization that the key belongs to; null = an instance key. */
  org: string | null;
  origin: string;
  createdBy?: string;
}

/** The reply about a new key, and the key itself. The key cannot be read again later. */
export interface WrittenKey {
  value: Record<string, unknown> & { id: string };
  key: string;
  /**
   * Whether an earlier request with the same Idempotency-Key created the key. If so, only the reply to that earlier
   * request contained the valid key.
   */
  replayed: boolean;
}

/** A revoked key, and the number of other keys that ended because the revoked key had created them. */
export interface RevokedKey {
  id: string;
  rotatedTo: string | null;
  endedKeys: number;
  endedWith: null;
}

/**
 * Creates a key.
 * @throws ServiceError `notFound` for an unknown organization id; `conflict` when the organization has the maximum
 *   number of keys, or when several organizations have the requested login
 */
export function createKey(context: ApiContext, wanted: WantedKey, use?: Use): Promise<WrittenKey> {
  const { org, origin, mode } = wanted;
  const key = newKey(mode);
  const record = recordOf(key, wanted);
  const maxKeys = context.settings.maxKeys;
  return write(context, key, { name: 'createKey', org, origin, key: record, most: maxKeys, unambiguous: true }, use);
}

/**
 * Creates a key that replaces an existing one. The existing key stays valid for `overlapMs`.
 * @throws ServiceError `notFound`; `conflict` for a key that has ended or was already rotated, or when too many keys
 *   are in their overlap period
 */
export function rotateKey(
  context: ApiContext,
  old: Pick<KeyRecord, 'id' | 'prefix' | 'line'>,
  { overlapMs, createdBy }: { overlapMs: number; createdBy?: string },
  use?: Use,
): Promise<WrittenKey> {
  const key = newKey(old.prefix === 'rn_test_' ? 'test' : 'live');
  // The fold copies name, scopes and organization from the old key.
  const record = recordOf(key, {
    name: '',
    scopes: [],
    expiresAt: null,
    ...(createdBy !== undefined && { createdBy }),
  });
  const line = old.line ?? old.id;
  const maxKeys = context.settings.maxKeys;
  return write(
    context,
    key,
    { name: 'rotateKey', keyId: old.id, key: { ...record, line }, overlapMs, most: maxKeys },
    use,
  );
}

/**
 * Revokes a key and ends the keys that it created.
 * @returns the key, and in `endedKeys` the number of other keys that ended with it
 * @throws ServiceError `notFound`, or `conflict` for the last key that manages the instance
 */
export async function revokeKey(context: ApiContext, keyId: string): Promise<RevokedKey> {
  const command = { name: 'revokeKey', keyId, guarded: true } as const;
  const revoked = await runCommand<Omit<RevokedKey, 'endedWith'>>(context, directoryName, command);
  return { ...revoked, endedWith: null };
}

async function write(
  context: ApiContext,
  key: string,
  command: Parameters<typeof runCommand>[2],
  use: Use | undefined,
): Promise<WrittenKey> {
  const value = await runCommand<WrittenKey['value']>(context, directoryName, command, use);
  return { value: { ...value, endedWith: null }, key, replayed: use?.replayed ?? false };
}

function recordOf(
  key: string,
  { name, scopes, expiresAt, createdBy }: Pick<WantedKey, 'name' | 'scopes' | 'expiresAt' | 'createdBy'>,
): KeyRecord {
  return {
    ...keyParts(key),
    id: newId('key', 0),
    name,
    orgId: null,
    scopes: [...scopes],
    createdAt: 0,
    expiresAt,
    revokedAt: null,
    ...(createdBy !== undefined && { createdBy }),
  };
}
