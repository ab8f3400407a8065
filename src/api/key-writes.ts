/**
 * Making, rotating and revoking API keys, for the API and the command line alike: the key is made here, only its hash goes on the
 * journal, and the key itself is in the one answer that tells of it.
 */
import { keyParts, newKey } from '../foundation/api-key.ts';
import { newId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import type { KeyRecord } from '../protocol/commands.ts';
import { type ApiContext, carryOut, type Use } from './context.ts';

/** What a key is wanted for. */
export interface WantedKey {
  name: string;
  scopes: readonly string[];
  mode: 'live' | 'test';
  /** Milliseconds since 1970; null = it does not expire. */
  expiresAt: number | null;
  /** Login or id of its organisation; null = a key of the instance. */
  org: string | null;
  origin: string;
  createdBy?: string;
}

/** A key as it is answered, and itself, which nobody can read again. */
export interface WrittenKey {
  value: Record<string, unknown> & { id: string };
  key: string;
  /** Whether an earlier request has made it, whose answer alone had the key. */
  replayed: boolean;
}

/** A key that was revoked, and how many others have ended with it. */
export interface RevokedKey {
  id: string;
  rotatedTo: string | null;
  endedKeys: number;
  endedWith: null;
}

/**
 * Makes a key.
 * @throws ServiceError `notFound` for an organisation id that no one has, `conflict` when the organisation has too many,
 *   or several bear the login
 */
export function createKey(context: ApiContext, wanted: WantedKey, use?: Use): Promise<WrittenKey> {
  const { org, origin, mode } = wanted;
  const key = newKey(mode);
  const record = recordOf(key, wanted);
  const most = context.settings.maxKeys;
  return write(context, key, { name: 'createKey', org, origin, key: record, most, unambiguous: true }, use);
}

/**
 * Makes a key that takes the place of another one, which goes on for `overlapMs`.
 * @throws ServiceError `notFound`, or `conflict` for a key that has ended or was rotated before, or too many in their overlap
 */
export function rotateKey(
  context: ApiContext,
  old: Pick<KeyRecord, 'id' | 'prefix' | 'line'>,
  { overlapMs, createdBy }: { overlapMs: number; createdBy?: string },
  use?: Use,
): Promise<WrittenKey> {
  const key = newKey(old.prefix === 'rn_test_' ? 'test' : 'live');
  // Name, scopes and organisation are the old key's, as they are when this is folded.
  const record = recordOf(key, {
    name: '',
    scopes: [],
    expiresAt: null,
    ...(createdBy !== undefined && { createdBy }),
  });
  const line = old.line ?? old.id;
  const most = context.settings.maxKeys;
  return write(context, key, { name: 'rotateKey', keyId: old.id, key: { ...record, line }, overlapMs, most }, use);
}

/**
 * Revokes a key, and ends those that it has made.
 * @returns the key, and as `endedKeys` how many others have ended with it
 * @throws ServiceError `notFound`, or `conflict` for the last key that manages the instance
 */
export async function revokeKey(context: ApiContext, keyId: string): Promise<RevokedKey> {
  const command = { name: 'revokeKey', keyId, guarded: true } as const;
  const revoked = await carryOut<Omit<RevokedKey, 'endedWith'>>(context, directoryName, command);
  return { ...revoked, endedWith: null };
}

async function write(
  context: ApiContext,
  key: string,
  command: Parameters<typeof carryOut>[2],
  use: Use | undefined,
): Promise<WrittenKey> {
  const value = await carryOut<WrittenKey['value']>(context, directoryName, command, use);
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
