/**
 * Bounds how many repositories an organization may claim under its own secret without proof, so that one delivery cannot
 * take thousands of repository numbers that belong to others.
 */

import type { Partition } from '../store/partition.ts';
import { listDirectoryRepositories, readDirectoryRepository } from '../store/tables/directory.ts';
import { readCursor } from '../store/tables/meta.ts';

/** How long a claim that was admitted, and not delayed, counts although the directory does not list it yet, in milliseconds. */
const pendingMs = 60_000;

export class ClaimLimit {
  private readonly most: number;
  private readonly pendingMs: number;
  /** Claims by organization, as of directory sequence `seq`. */
  private counts = new Map<string, number>();
  private seq = -1;
  /** Claims that were admitted and are not listed yet: time of admission by repository, by organization. */
  private readonly pending = new Map<string, Map<string, number>>();

  /**
   * @param most claims of one organization; 0 = no limit
   * @param maxDelayMs longest time that an admitted delivery waits before it is folded
   */
  constructor(most: number, maxDelayMs: number) {
    this.most = most;
    this.pendingMs = pendingMs + maxDelayMs;
  }

  /** Admits claims on repositories that the directory does not list, all of them or none. */
  admit(directory: Partition, orgId: string, unlisted: readonly string[], now: number): boolean {
    if (unlisted.length === 0 || this.most === 0) return true;
    const pending = this.pendingOf(directory, orgId, now);
    const added = unlisted.filter((id) => !pending.has(id));
    if (this.countOf(directory, orgId) + pending.size + added.length > this.most) return false;
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
