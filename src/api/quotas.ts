/**
 * Maximums per organisation of what lies in many partitions: release ranges, and backfills under way. Exact for the one gateway
 * of a node: a request that might exceed a maximum waits for those before it.
 */
import { ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import { directoryName, type PartitionName, partitionName } from '../journal/subjects.ts';
import type { Partition } from '../store/partition.ts';
import { isUnderWay, readBackfill } from '../store/tables/backfills.ts';
import { listDirectoryRepositories, readDirectoryRepository } from '../store/tables/directory.ts';
import { readCursor } from '../store/tables/meta.ts';
import { countRanges } from '../store/tables/ranges.ts';
import { type ApiContext, readPartition } from './context.ts';

/** What is counted of a repository, and how an excess is refused. */
interface Counted {
  most: number;
  count: (partition: Partition, repoId: string) => number;
  message: string;
}

/** How many there are already. */
export interface Used {
  most: number;
  /** In repositories of the organisation other than the one of the request. */
  elsewhere: number;
}

export class Quotas {
  /** Requests under way by what they make and the organisation that they make it for. */
  private readonly running = new Map<string, Set<Promise<unknown>>>();
  private seq = -1;
  private repositories = new Map<string, string[]>();

  /**
   * Makes a release range while its organisation may have one more.
   * @throws ServiceError `conflict` when it may not, or what `make` throws
   */
  withinRanges<T>(context: ApiContext, repoId: string, make: (used: Used) => Promise<T>): Promise<T> {
    const most = context.settings.maxRanges;
    const message = `An organization has at most ${most} release ranges (TIDINGS_MAX_RANGES).`;
    return this.within(context, 'ranges', repoId, { most, message, count: countRanges }, make);
  }

  /**
   * Starts a backfill while its organisation may have one more under way. A repository that has one is not held up.
   * @throws ServiceError `conflict` when it may not, or what `start` throws
   */
  withinBackfills<T>(context: ApiContext, repoId: string, start: () => Promise<T>): Promise<T> {
    const most = context.settings.maxBackfills;
    const message = `An organization has at most ${most} backfills under way (TIDINGS_MAX_BACKFILLS). Wait for one to end, or cancel one.`;
    if (countBackfills(readPartition(context, homeOf(context, repoId)), repoId) > 0) return start();
    return this.within(context, 'backfills', repoId, { most, message, count: countBackfills }, start);
  }

  private async within<T>(
    context: ApiContext,
    kind: string,
    repoId: string,
    { most, message, count }: Counted,
    make: (used: Used) => Promise<T>,
  ): Promise<T> {
    const orgId = readDirectoryRepository(readPartition(context, directoryName), repoId)?.orgId;
    if (most === 0 || orgId === undefined) return make({ most: 0, elsewhere: 0 });
    const owner = `${kind} ${orgId}`;
    for (;;) {
      const running = this.running.get(owner) ?? new Set();
      const { own, elsewhere } = this.used(context, orgId, repoId, count);
      if (own + elsewhere + running.size < most) return this.noting(owner, running, make({ most, elsewhere }));
      if (running.size === 0) throw new ServiceError('conflict', message);
      // One that is folded already may still be under way here: it would count twice.
      await Promise.race(running);
    }
  }

  private async noting<T>(owner: string, running: Set<Promise<unknown>>, made: Promise<T>): Promise<T> {
    const settled = made.catch(() => {});
    running.add(settled);
    this.running.set(owner, running);
    try {
      return await made;
    } finally {
      running.delete(settled);
      if (running.size === 0) this.running.delete(owner);
    }
  }

  /** What a repository has, and what the others of its organisation have together. */
  private used(
    context: ApiContext,
    orgId: string,
    repoId: string,
    count: Counted['count'],
  ): { own: number; elsewhere: number } {
    const partitions = new Map<string, Partition | undefined>();
    const used = { own: 0, elsewhere: 0 };
    for (const id of this.repositoriesOf(context, orgId)) {
      const name = homeOf(context, id);
      if (!partitions.has(name)) partitions.set(name, context.readers.fresh(name));
      const partition = partitions.get(name);
      // What lies in a partition that is lost counts for nothing, so that the others can still be written to.
      if (partition) used[id === repoId ? 'own' : 'elsewhere'] += count(partition, id);
    }
    return used;
  }

  /** Repositories by organisation, remembered for one state of the directory. */
  private repositoriesOf(context: ApiContext, orgId: string): readonly string[] {
    const directory = readPartition(context, directoryName);
    const { seq } = readCursor(directory);
    if (seq !== this.seq) {
      this.seq = seq;
      this.repositories = new Map();
      for (const { id, orgId: owner } of listDirectoryRepositories(directory, null)) {
        const ids = this.repositories.get(owner);
        if (ids) ids.push(id);
        else this.repositories.set(owner, [id]);
      }
    }
    return this.repositories.get(orgId) ?? [];
  }
}

function homeOf({ settings }: ApiContext, repoId: string): PartitionName {
  return partitionName(partitionOf(slotOfId(repoId) as number, settings.partitions));
}

function countBackfills(partition: Partition, repoId: string): number {
  const backfill = readBackfill(partition, repoId);
  return backfill && isUnderWay(backfill) ? 1 : 0;
}
