/**
 * Making and rotating API keys, for the API and the command line alike: the key is made here, only its hash goes on the
 * journal, and the key itself is in the one answer that tells of it.
 */
import { keyParts, newKey } from '../api-key.ts';
import { newId } from '../ids.ts';
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

/**
 * Makes a key.
 * @throws ServiceError `notFound` for an organisation id that nobody has
 */
export function createKey(context: ApiContext, wanted: WantedKey, use?: Use): Promise<WrittenKey> {
  const { org, origin, mode } = wanted;
  const key = newKey(mode);
  const record = recordOf(key, wanted);
  return write(context, key, { name: 'createKey', org, origin, key: record }, use);
}

/**
 * Makes a key that takes the place of another one, which goes on for `overlapMs`.
 * @throws ServiceError `notFound`, or `conflict` for a key that has ended or was rotated before
 */
export function rotateKey(
  context: ApiContext,
  old: Pick<KeyRecord, 'id' | 'prefix'>,
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
  return write(context, key, { name: 'rotateKey', keyId: old.id, key: record, overlapMs }, use);
}

async function write(
  context: ApiContext,
  key: string,
  command: Parameters<typeof carryOut>[2],
  use: Use | undefined,
): Promise<WrittenKey> {
  const value = await carryOut<WrittenKey['value']>(context, directoryName, command, use);
  return { value, key, replayed: use?.replayed ?? false };
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
