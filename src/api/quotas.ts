/**
 * Enforces the maximums per organization for objects that are stored in many partitions: release ranges, and backfills
 * under way. A request that might exceed a maximum waits until earlier requests of its organization have ended. With
 * several gateways, the home of an organization knows which requests are under way, so the counts are exact.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Homes, soleHome, storedMs } from '../cluster/homes.ts';
import { ServiceError } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import { directoryName, partitionOfRepository } from '../foundation/partition-names.ts';
import type { Partition } from '../store/partition.ts';
import { isUnderWay, readBackfill } from '../store/tables/backfills.ts';
import { listDirectoryRepositories, readDirectoryRepository } from '../store/tables/directory.ts';
import { readCursor } from '../store/tables/meta.ts';
import { countRanges } from '../store/tables/ranges.ts';
import { type ApiContext, readPartition } from './context.ts';

/**
 * A kind of object whose number is limited. `most` is the maximum, and `message` is the error message at the maximum.
 * `count` counts the objects of a repository.
 */
interface Counted {
  most: number;
  count: (partition: Partition, repoId: string) => number;
  message: string;
}

/** The maximum, and the number of objects that exist already. */
export interface Used {
  most: number;
  /** Number of objects in all repositories of the organization except the repository that gets the new object. */
  elsewhere: number;
}

/** Interval between two counts while requests of other gateways are under way, in milliseconds. */
const retryMs = 25;
/**
 * Time after which a request no longer counts, in milliseconds. Its gateway was killed then, or its organization has a new
 * home, which does not know it. A request at the maximum waits no longer than this.
 */
const maxRunningMs = 10_000;

/** A question to the home of an organization. `owner` consists of kind and organization, such as `ranges org_…`. */
interface Place {
  owner: string;
  request: string;
}

export class Quotas {
  /** Requests under way in this gateway, by owner. */
  private readonly running = new Map<string, Set<Promise<unknown>>>();
  /** Requests under way in all gateways, with their starts on a monotonic clock, by the owners that are at home here. */
  private readonly places = new Map<string, Map<string, number>>();
  private readonly enterAtHome: (key: string, place: Place) => number | Promise<number>;
  private readonly leaveAtHome: (key: string, place: Place) => unknown;
  private seq = -1;
  private repositories = new Map<string, string[]>();

  constructor(homes: Homes = soleHome) {
    this.enterAtHome = homes.at('quota', (place: Place) => this.enter(place), storedMs);
    this.leaveAtHome = homes.at('quota end', (place: Place) => this.leave(place), storedMs);
  }

  /**
   * Makes a release range if its organization has fewer ranges than the maximum.
   * @throws ServiceError `conflict` at the maximum; also every error that `make` throws
   */
  withinRanges<T>(context: ApiContext, repoId: string, make: (used: Used) => Promise<T>): Promise<T> {
    const max = context.settings.maxRanges;
    const message = `An organization has at most ${max} release ranges (TIDINGS_MAX_RANGES).`;
    return this.within(context, 'ranges', repoId, { most: max, message, count: countRanges }, make);
  }

  /**
   * Starts a backfill if its organization has fewer backfills under way than the maximum. A repository with a backfill
   * under way is never refused, since `start` then returns the existing backfill.
   * @throws ServiceError `conflict` at the maximum; also every error that `start` throws
   */
  withinBackfills<T>(context: ApiContext, repoId: string, start: () => Promise<T>): Promise<T> {
    const max = context.settings.maxBackfills;
    const message = `An organization has at most ${max} backfills in progress (TIDINGS_MAX_BACKFILLS). Wait until a backfill ends, or cancel a backfill.`;
    if (countBackfills(readPartition(context, partitionOfRepository(repoId, context.settings.partitions)), repoId) > 0)
      return start();
    return this.within(context, 'backfills', repoId, { most: max, message, count: countBackfills }, start);
  }

  private async within<T>(
    context: ApiContext,
    kind: string,
    repoId: string,
    { most: max, message, count }: Counted,
    make: (used: Used) => Promise<T>,
  ): Promise<T> {
    const orgId = readDirectoryRepository(readPartition(context, directoryName), repoId)?.orgId;
    if (max === 0 || orgId === undefined) return make({ most: 0, elsewhere: 0 });
    const owner = `${kind} ${orgId}`;
    for (;;) {
      const place = { owner, request: ulid() };
      // The request enters before the objects are counted. A request that left before has stored its object.
      const entered = this.enterAtHome(orgId, place);
      const before = entered instanceof Promise ? await entered : entered;
      const { own, elsewhere } = this.used(context, orgId, repoId, count);
      if (own + elsewhere + before < max) return this.noting(orgId, place, make({ most: max, elsewhere }));
      void this.leaveAtHome(orgId, place);
      if (before === 0) throw new ServiceError('conflict', message);
      // A request under way may have stored its object already. In this case, the object and the request are both
      // counted, so the maximum may not be reached yet. Therefore, wait for one request to end, and count again.
      await Promise.race(this.running.get(owner) ?? [pause(retryMs)]);
    }
  }

  private async noting<T>(orgId: string, place: Place, made: Promise<T>): Promise<T> {
    const { owner } = place;
    const settled = made.catch(() => {});
    const running = this.running.get(owner) ?? new Set();
    running.add(settled);
    this.running.set(owner, running);
    try {
      return await made;
    } finally {
      running.delete(settled);
      if (running.size === 0) this.running.delete(owner);
      void this.leaveAtHome(orgId, place);
    }
  }

  /** Notes a request under way. Returns the number of requests of the same owner that entered before. */
  private enter({ owner, request }: Place): number {
    const requests = this.places.get(owner) ?? new Map<string, number>();
    const now = performance.now();
    for (const [id, at] of requests) if (now - at > maxRunningMs) requests.delete(id);
    const before = requests.size;
    requests.set(request, now);
    this.places.set(owner, requests);
    return before;
  }

  private leave({ owner, request }: Place): void {
    const requests = this.places.get(owner);
    requests?.delete(request);
    if (requests?.size === 0) this.places.delete(owner);
  }

  /**
   * Returns two counts of objects: the objects of a repository, and the objects of all other repositories of its
   * organization.
   */
  private used(
    context: ApiContext,
    orgId: string,
    repoId: string,
    count: Counted['count'],
  ): { own: number; elsewhere: number } {
    const partitions = new Map<string, Partition | undefined>();
    const used = { own: 0, elsewhere: 0 };
    for (const id of this.repositoriesOf(context, orgId)) {
      const name = partitionOfRepository(id, context.settings.partitions);
      if (!partitions.has(name)) partitions.set(name, context.readers.fresh(name));
      const partition = partitions.get(name);
      // A partition that cannot be opened counts as empty, so that writes to the other partitions still succeed.
      if (partition) used[id === repoId ? 'own' : 'elsewhere'] += count(partition, id);
    }
    return used;
  }

  /** Returns the ids of an organization's repositories. The ids are cached until the directory partition changes. */
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

function countBackfills(partition: Partition, repoId: string): number {
  const backfill = readBackfill(partition, repoId);
  return backfill && isUnderWay(backfill) ? 1 : 0;
}
