/**
 * API keys as they are answered: state, last use and the reminder to rotate; never the key, which nobody has.
 */
import type { KeyRecord } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';
import { keyStatus, standingOf } from './key-ends.ts';
import { readKeyUse } from './usage.ts';

/** A key is to be rotated every six months (spec part 5). */
export const rotationMs = 182 * 86_400_000;

/** Until when a key should be rotated, in milliseconds. */
export function rotateBy(key: KeyRecord): number {
  return key.createdAt + rotationMs;
}

/** A key as the API answers it at `now`. */
export function keyReply(partition: Partition, key: KeyRecord, now: number): Record<string, unknown> {
  const { status, expiresAt, endedWith } = standingOf(partition, key, now);
  const told = keyResponse(partition, key, now);
  const reminder = status === 'active' ? told.reminder : null;
  return { ...told, status, expiresAt: isoOrNull(expiresAt), reminder, endedWith };
}

/** A key by itself, as the results of commands hold it. Replays write these, so the fields stay as they are. */
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
