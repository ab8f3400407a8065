/**
 * What an organisation allows of publishing, and what stays of it. No row, or a field that is not in it, means the default.
 */
import type { Partition } from '../partition.ts';

/** Rules of an organisation. */
export interface Policy {
  /** Drafts for engineers and internal readers are refused on channels that outsiders read. */
  refuseInternalOnPublicChannels: boolean;
  /** Notes on pages outlive the erasure that follows the removal of the app. */
  keepPublishedAfterUninstall: boolean;
}

const defaults: Policy = { refuseInternalOnPublicChannels: false, keepPublishedAfterUninstall: true };

export function readPolicy(partition: Partition, orgId: string): Policy {
  return { ...defaults, ...partition.tables.policies.get(orgId) };
}

/** Sets the rules that are named; the others stay. */
export function writePolicy(partition: Partition, orgId: string, policy: Partial<Policy>): void {
  partition.tables.policies.putSync(orgId, { ...partition.tables.policies.get(orgId), ...policy });
}

export function removePolicy(partition: Partition, orgId: string): void {
  partition.tables.policies.removeSync(orgId);
}
