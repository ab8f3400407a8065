/**
 * Assigns keys to members by rendezvous hashing (highest random weight). Members with the same list agree without
 * asking each other. If a member leaves, only its own keys move, and they are spread over the remaining members.
 */

/** Returns a 32-bit hash of a text (FNV-1a). */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Spreads the bits of a hash (the finalizer of MurmurHash3), so that similar keys and members get unrelated weights. */
function mixed(hash: number): number {
  let mix = hash;
  mix = Math.imul(mix ^ (mix >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}

/** A member and the hash of its name. The hash is computed once, because many keys are looked up. */
export interface Weighed {
  id: string;
  hash: number;
}

/** Prepares members for {@link homeAmong}. */
export function weighed(ids: readonly string[]): readonly Weighed[] {
  return [...ids].sort().map((id) => ({ id, hash: mixed(hashText(id)) }));
}

/** Returns the member that a key belongs to; undefined without members. */
export function homeAmong(members: readonly Weighed[], key: string): string | undefined {
  const hash = hashText(key);
  let best: Weighed | undefined;
  let weight = -1;
  for (const member of members) {
    const candidate = mixed(hash ^ member.hash);
    if (candidate <= weight) continue;
    best = member;
    weight = candidate;
  }
  return best?.id;
}
