/**
 * Recipients that want no mail from an organization. Only digests of their addresses are stored. The digests are
 * computed with the sealing key.
 *
 * A recipient unsubscribes with a token, which contains the recipient's digest. Without the sealing key, a token cannot
 * be forged.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../foundation/seal.ts';
import type { Partition } from '../partition.ts';

/** A recipient of an organization's mail; `address` is the digest of the address. */
export interface Recipient {
  orgId: string;
  address: string;
}

/** Returns the digest of an address within an organization. Case is ignored. */
export function addressDigest(sealer: Sealer, orgId: string, address: string): string {
  return sealer.mac(address.trim().toLowerCase(), ['mail address', orgId]);
}

/** Returns the token with which a recipient unsubscribes. */
export function unsubscribeToken(sealer: Sealer, { orgId, address }: Recipient): string {
  return `${orgId}.${address}.${sealer.mac(address, ['unsubscribe', orgId])}`;
}

/** Returns the recipient that a token names; undefined if the token was not created with this sealing key. */
export function readUnsubscribeToken(sealer: Sealer, token: string): Recipient | undefined {
  const [, orgId = '', address = ''] = /^(org_\w{1,64})\.([\w-]{1,64})\.[\w-]{1,64}$/.exec(token) ?? [];
  if (orgId === '') return undefined;
  const [made, given] = [unsubscribeToken(sealer, { orgId, address }), token].map((text) => Buffer.from(text));
  if (!made || !given || made.length !== given.length || !timingSafeEqual(made, given)) return undefined;
  return { orgId, address };
}

export function isSuppressed(partition: Partition, { orgId, address }: Recipient): boolean {
  return partition.tables.suppressions.get([orgId, address]) !== undefined;
}

/**
 * Stores that a recipient wants no mail. `at` is the time of the recipient's request. If `at` is null, the recipient
 * wants mail again.
 */
export function writeSuppression(partition: Partition, { orgId, address }: Recipient, at: number | null): void {
  const { suppressions } = partition.tables;
  if (at === null) suppressions.removeSync([orgId, address]);
  else if (suppressions.get([orgId, address]) === undefined) suppressions.putSync([orgId, address], at);
}

export function removeSuppressions(partition: Partition, orgId: string): void {
  const keys = [...partition.tables.suppressions.getKeys({ start: [orgId], end: [orgId, '\u{10ffff}'] })];
  for (const key of keys) partition.tables.suppressions.removeSync(key);
}
