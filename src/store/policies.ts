/**
 * What an organisation allows of publishing. No row means everything.
 */
import type { Partition } from './partition.ts';

/** Rules of an organisation; off unless it says otherwise. */
export interface Policy {
  /** Drafts for engineers and internal readers are refused on channels that outsiders read. */
  refuseInternalOnPublicChannels: boolean;
}

const none: Policy = { refuseInternalOnPublicChannels: false };

export function readPolicy(partition: Partition, orgId: string): Policy {
  return { ...none, ...partition.tables.policies.get(orgId) };
}

export function writePolicy(partition: Partition, orgId: string, policy: Policy): void {
  partition.tables.policies.putSync(orgId, policy);
}

export function removePolicy(partition: Partition, orgId: string): void {
  partition.tables.policies.removeSync(orgId);
}
