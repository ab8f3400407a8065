/**
 * Who does not want mail of an organisation: digests of addresses under the sealing key, never addresses. The token by which
 * one recipient unsubscribes says whose digest is meant, and cannot be made up without the key.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Sealer } from '../../foundation/seal.ts';
import type { Partition } from '../partition.ts';

/** One recipient of one organisation, without the address. */
export interface Recipient {
  orgId: string;
  address: string;
}

/** The digest of an address in an organisation; upper and lower case are one. */
export function addressDigest(sealer: Sealer, orgId: string, address: string): string {
  return sealer.mac(address.trim().toLowerCase(), ['mail address', orgId]);
}

/** The token that unsubscribes a recipient. */
export function unsubscribeToken(sealer: Sealer, { orgId, address }: Recipient): string {
  return `${orgId}.${address}.${sealer.mac(address, ['unsubscribe', orgId])}`;
}

/** Whom a token means; undefined when it was not made under this key. */
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

/** Notes that a recipient wants no mail since `at`; with null, that it wants some again. */
export function writeSuppression(partition: Partition, { orgId, address }: Recipient, at: number | null): void {
  const { suppressions } = partition.tables;
  if (at === null) suppressions.removeSync([orgId, address]);
  else if (suppressions.get([orgId, address]) === undefined) suppressions.putSync([orgId, address], at);
}

export function removeSuppressions(partition: Partition, orgId: string): void {
  const keys = [...partition.tables.suppressions.getKeys({ start: [orgId], end: [orgId, '\u{10ffff}'] })];
  for (const key of keys) partition.tables.suppressions.removeSync(key);
}
