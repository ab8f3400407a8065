/**
 * When API keys end: by their own time or revocation, and with the keys that made them (`docs/architecture.md` decision 13).
 * A rotation hands what a key has made over to its successor; a revocation ends it.
 */
import type { KeyRecord } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';
import { readKey } from './directory.ts';

/** When a key ends, all keys that it ends with considered. */
export interface KeyEnd {
  /** In milliseconds; null = it does not end by itself. */
  expiresAt: number | null;
  /** The other key that sets `expiresAt`; null = the key itself. */
  expiresWith: string | null;
  /** The other key whose revocation has ended it; null = none. */
  revokedWith: string | null;
}

/** Whether a key works at a time, and what has ended it. */
export interface KeyStanding {
  status: 'active' | 'expired' | 'revoked';
  expiresAt: number | null;
  /** The other key that it has ended with; null = none. */
  endedWith: string | null;
}

/** Whether a key by itself can be used at `now`. */
export function keyStatus(key: KeyRecord, now: number): KeyStanding['status'] {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}

/** Whether a key can be used at `now`, all keys that it ends with considered. */
export function standingOf(partition: Partition, key: KeyRecord, now: number): KeyStanding {
  const { expiresAt, expiresWith, revokedWith } = endOf(partition, key);
  if (key.revokedAt !== null) return { status: 'revoked', expiresAt, endedWith: null };
  if (revokedWith !== null) return { status: 'revoked', expiresAt, endedWith: revokedWith };
  const hasExpired = expiresAt !== null && expiresAt <= now;
  return { status: hasExpired ? 'expired' : 'active', expiresAt, endedWith: hasExpired ? expiresWith : null };
}

/**
 * When a key ends. It needs each of its makers not to be revoked, and the newest key of each maker's line to work; the same holds
 * for their makers. Two reads per maker: a key that the command line has made costs none.
 */
export function endOf(partition: Partition, key: KeyRecord): KeyEnd {
  const end: KeyEnd = { expiresAt: key.expiresAt, expiresWith: null, revokedWith: null };
  const known = new Set([key.id]);
  // Grows while it is walked. A key and one that it has made can be makers of each other, by rotations.
  const makers = [...makersOf(partition, key)];
  for (const id of makers) {
    if (known.has(id)) continue;
    known.add(id);
    const maker = readKey(partition, id);
    const newest = maker && newestOf(partition, maker);
    if (!newest || maker.revokedAt !== null) return { ...end, revokedWith: id };
    if (newest.revokedAt !== null) return { ...end, revokedWith: newest.id };
    if (newest.expiresAt !== null && newest.expiresAt < (end.expiresAt ?? Number.POSITIVE_INFINITY)) {
      end.expiresAt = newest.expiresAt;
      end.expiresWith = newest.id;
    }
    makers.push(...makersOf(partition, newest));
    // A rotation by an earlier version handed no makers on. Later ones do: to walk their lines would cost a read per rotation.
    if (newest.line === undefined) makers.push(...makersOf(partition, maker));
  }
  return end;
}

/**
 * What the successor of a key ends with: what the key does, and whoever else rotated it. Of one line the newest is kept: the
 * keys before it never saw the successor.
 */
export function makersOfSuccessor(partition: Partition, old: KeyRecord, rotatedBy: string | undefined): string[] {
  const other = rotatedBy === undefined || rotatedBy === old.id ? [] : [rotatedBy];
  const byLine = new Map<string, string>();
  for (const id of [...makersOf(partition, old), ...other]) byLine.set(readKey(partition, id)?.line ?? id, id);
  return [...byLine.values()];
}

/** The key that works in the place of another one: itself, unless it was rotated. */
function newestOf(partition: Partition, key: KeyRecord): KeyRecord | undefined {
  let newest: KeyRecord | undefined = key;
  while (newest) {
    const first: KeyRecord | undefined = newest.line === undefined ? newest : readKey(partition, newest.line);
    const isNewest = first?.head === undefined || first.head === newest.id;
    const next: string | undefined = isNewest ? newest.rotatedTo : first.head;
    if (next === undefined) return newest;
    newest = readKey(partition, next);
  }
  return undefined;
}

/** Keys that a key ends with. Keys that earlier versions rotated name their predecessor as the maker, and end with its makers. */
function makersOf(partition: Partition, key: KeyRecord): readonly string[] {
  let made = key;
  for (;;) {
    if (made.makers) return made.makers;
    if (made.createdBy === undefined) return [];
    const maker = readKey(partition, made.createdBy);
    if (maker?.rotatedTo !== made.id) return [made.createdBy];
    made = maker;
  }
}

/** Why a key that was rotated makes and rotates no keys: they would outlive it, as its successor stands in for it. */
export function rotatedFault(successor: string): string {
  return `The API key was rotated: ask with its successor ${successor} to make or rotate keys.`;
}
