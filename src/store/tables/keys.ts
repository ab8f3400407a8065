/**
 * Converts stored API keys to the form that API replies contain: status, last use and the reminder to rotate. The full
 * text of a key is not stored anywhere.
 */
import type { KeyRecord } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';
import { keyStateOf, keyStatus } from './key-ends.ts';
import { readKeyUse } from './usage.ts';

/** API keys should be rotated every six months (spec part 5). */
export const rotationMs = 182 * 86_400_000;

/** Returns the time by which a key should be rotated, in milliseconds. */
export function rotateBy(key: KeyRecord): number {
  return key.createdAt + rotationMs;
}

/**
 * Converts a key to its form in API replies at time `now`. The form shows the effect of the keys that the key depends
 * on.
 */
export function keyReply(partition: Partition, key: KeyRecord, now: number): Record<string, unknown> {
  const { status, expiresAt, endedWith } = keyStateOf(partition, key, now);
  const response = keyResponse(partition, key, now);
  const reminder = status === 'active' ? response.reminder : null;
  return { ...response, status, expiresAt: isoOrNull(expiresAt), reminder, endedWith };
}

/**
 * Returns a key in the form that the results of commands contain. The effect of other keys is left out. A replay of the
 * journal must write the same results again, so the fields of this form must never change.
 */
export function keyResponse(
  partition: Partition,
  key: KeyRecord,
  now: number,
): Record<string, unknown> & { id: string } {
  const status = keyStatus(key, now);
  const isDue = status === 'active' && key.rotatedTo === undefined && rotateBy(key) <= now;
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    orgId: key.orgId,
    scopes: key.scopes,
    status,
    createdAt: iso(key.createdAt),
    createdBy: key.createdBy ?? null,
    lastUsedAt: isoOrNull(readKeyUse(partition, key.id)),
    expiresAt: isoOrNull(key.expiresAt),
    revokedAt: isoOrNull(key.revokedAt),
    rotatedTo: key.rotatedTo ?? null,
    rotateBy: iso(rotateBy(key)),
    reminder: isDue ? 'The key is older than six months: rotate it.' : null,
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function isoOrNull(time: number | null | undefined): string | null {
  return time === null || time === undefined ? null : iso(time);
}
