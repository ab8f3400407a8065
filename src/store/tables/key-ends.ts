/**
 * Determines when API keys end. A key expires, is revoked, or ends together with a key that it depends on
 * (`docs/architecture.md` decision 13). The keys that a key depends on are called `makers` in the code.
 *
 * A key depends on the key that created it. A rotation replaces a key with a new key, its successor. The successor
 * depends on the same keys as the replaced key. If another key requested the rotation, the successor also depends on
 * that key.
 *
 * Example: key A created key B. When A is revoked, B ends. When A is rotated, B continues to work and depends on the
 * successor of A.
 */
import type { KeyRecord } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';
import { readKey } from './directory.ts';

/** When and why a key ends. The other keys that the key depends on are taken into account. */
export interface KeyEnd {
  /** When the key expires, in milliseconds; null = it does not expire. */
  expiresAt: number | null;
  /**
   * Id of another key, if the expiry of that other key determines `expiresAt`; null = the key's own expiry determines
   * `expiresAt`.
   */
  expiresWith: string | null;
  /** Id of another key, if the revocation of that other key has ended this key; null = no such key. */
  revokedWith: string | null;
}

/** The status of a key at a given time. The other keys that the key depends on are taken into account. */
export interface KeyState {
  status: 'active' | 'expired' | 'revoked';
  expiresAt: number | null;
  /** Id of the other key whose expiry or revocation has ended this key; null = no other key has ended this key. */
  endedWith: string | null;
}

/** Returns the status of a key at `now`, without regard to the keys that it depends on. */
export function keyStatus(key: KeyRecord, now: number): KeyState['status'] {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}

/** Returns the state of a key at `now`. The state includes the effect of the keys that this key depends on. */
export function keyStateOf(partition: Partition, key: KeyRecord, now: number): KeyState {
  const { expiresAt, expiresWith, revokedWith } = endOf(partition, key);
  if (key.revokedAt !== null) return { status: 'revoked', expiresAt, endedWith: null };
  if (revokedWith !== null) return { status: 'revoked', expiresAt, endedWith: revokedWith };
  const hasExpired = expiresAt !== null && expiresAt <= now;
  return { status: hasExpired ? 'expired' : 'active', expiresAt, endedWith: hasExpired ? expiresWith : null };
}

/**
 * Returns when a key ends. Example: key A created key B, so B depends on A.
 * - If A was never rotated, B ends when A expires or is revoked.
 * - If A was rotated, B ends when the newest successor of A expires or is revoked, or when A is revoked. The expiry of
 *   A does not end B.
 *
 * The keys that A or the newest successor depends on can also end B. A key that the command line created depends on no
 * other key. The check costs a few reads per key that B depends on. The number of rotations does not matter, except for
 * rotations by earlier versions of Tidings.
 */
export function endOf(partition: Partition, key: KeyRecord): KeyEnd {
  const end: KeyEnd = { expiresAt: key.expiresAt, expiresWith: null, revokedWith: null };
  const known = new Set([key.id]);
  // The list grows during the loop. After rotations, two keys can depend on each other, so each key is checked only
  // once.
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
    // When earlier versions of Tidings rotated a key, they did not copy the key's `makers` to the successor. So the
    // `makers` of the rotated key are added here. Later versions copy the `makers` and set `line`, so the `makers` of
    // the rotated key are not needed.
    if (newest.line === undefined) makers.push(...makersOf(partition, maker));
  }
  return end;
}

/**
 * Returns the keys that the successor of the key `old` depends on. These are the keys that `old` depends on, and the
 * key `rotatedBy` that was used for the rotation. If `old` was used to rotate itself, `rotatedBy` is left out. If these
 * keys include both a key and its successor, only the successor is returned.
 *
 * Example: key A created `old`, A was rotated to B, and B now rotates `old`. Only B is returned, because B is the
 * successor of A.
 */
export function makersOfSuccessor(partition: Partition, old: KeyRecord, rotatedBy: string | undefined): string[] {
  const other = rotatedBy === undefined || rotatedBy === old.id ? [] : [rotatedBy];
  const byLine = new Map<string, string>();
  for (const id of [...makersOf(partition, old), ...other]) byLine.set(readKey(partition, id)?.line ?? id, id);
  return [...byLine.values()];
}

/**
 * Returns the newest successor of a key, or the key itself if it was never rotated. Example: if A was rotated to B and
 * B to C, the newest successor of A is C.
 */
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

/**
 * Returns the keys that a key depends on. When earlier versions of Tidings rotated a key, they stored the rotated key
 * as the creator of its successor. For such a successor, this function returns the keys that the rotated key depends
 * on.
 */
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

/**
 * Returns the error message for a request that uses a rotated key to create or rotate keys. Such a request is refused,
 * because the successor has already replaced the rotated key. The new keys would also outlive the rotated key.
 */
export function rotatedFault(successor: string): string {
  return `This API key was rotated. Use its successor ${successor} to create or rotate keys.`;
}
