/**
 * Limits how many repositories one organization may claim. If a delivery is signed with the organization's own secret,
 * the signature does not prove the owner of the repository. So the delivery only claims the repository. Without this
 * limit, one delivery could claim thousands of repository numbers that belong to other organizations.
 */

import type { Partition } from '../store/partition.ts';
import { listDirectoryRepositories, readDirectoryRepository } from '../store/tables/directory.ts';
import { readCursor } from '../store/tables/meta.ts';

/**
 * Time in milliseconds for which an admitted claim is kept in memory. The constructor adds the maximum delay of a
 * delivery to this time. A claim is removed earlier if the directory lists the repository.
 */
const pendingMs = 60_000;

export class ClaimLimit {
  private readonly max: number;
  private readonly pendingMs: number;
  /**
   * Number of claimed repositories in the directory, per organization. The repositories were counted at the directory's
   * sequence number `seq`.
   */
  private counts = new Map<string, number>();
  private seq = -1;
  /**
   * Admitted claims that the directory partition does not list yet. The keys are the organization and the repository,
   * and the value is the time of admission.
   */
  private readonly pending = new Map<string, Map<string, number>>();

  /**
   * @param max maximum number of claims of one organization; 0 = no limit
   * @param maxDelayMs maximum time that an admitted delivery waits before it is folded
   */
  constructor(max: number, maxDelayMs: number) {
    this.max = max;
    this.pendingMs = pendingMs + maxDelayMs;
  }

  /**
   * Admits claims of an organization on repositories that the directory does not list yet. If the organization would
   * then have more claims than the maximum, none of these claims is admitted.
   */
  admit(directory: Partition, orgId: string, unlisted: readonly string[], now: number): boolean {
    if (unlisted.length === 0 || this.max === 0) return true;
    const pending = this.pendingOf(directory, orgId, now);
    const added = unlisted.filter((id) => !pending.has(id));
    if (this.countOf(directory, orgId) + pending.size + added.length > this.max) return false;
    for (const id of added) pending.set(id, now);
    this.pending.set(orgId, pending);
    return true;
  }

  private countOf(directory: Partition, orgId: string): number {
    const { seq } = readCursor(directory);
    if (seq !== this.seq) {
      this.counts = new Map();
      for (const { claimed, orgId: org } of listDirectoryRepositories(directory, null))
        if (claimed) this.counts.set(org, (this.counts.get(org) ?? 0) + 1);
      this.seq = seq;
    }
    return this.counts.get(orgId) ?? 0;
  }

  private pendingOf(directory: Partition, orgId: string, now: number): Map<string, number> {
    const kept = [...(this.pending.get(orgId) ?? [])].filter(
      ([id, at]) => Math.abs(now - at) < this.pendingMs && readDirectoryRepository(directory, id) === undefined,
    );
    return new Map(kept);
  }
}
