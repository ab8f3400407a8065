/**
 * The rules of an organization for publishing and for keeping published notes. If a row or a field is missing, the
 * default value applies.
 */
import type { Partition } from '../partition.ts';

/** Rules of an organization. */
export interface Policy {
  /** If true, drafts for engineers and internal readers are refused on channels that outsiders can read. */
  refuseInternalOnPublicChannels: boolean;
  /**
   * If true, published notes on pages are kept when the organization's other data is erased after the app was removed.
   */
  keepPublishedAfterUninstall: boolean;
}

const defaults: Policy = { refuseInternalOnPublicChannels: false, keepPublishedAfterUninstall: true };

export function readPolicy(partition: Partition, orgId: string): Policy {
  return { ...defaults, ...partition.tables.policies.get(orgId) };
}

/** Sets the given rules; the other rules stay as they are. */
export function writePolicy(partition: Partition, orgId: string, policy: Partial<Policy>): void {
  partition.tables.policies.putSync(orgId, { ...partition.tables.policies.get(orgId), ...policy });
}

export function removePolicy(partition: Partition, orgId: string): void {
  partition.tables.policies.removeSync(orgId);
}
