/**
 * Defines the context that a worker gives to code that reads hosts. This file also journals the pages that were read
 * from a host. Pages are split into records of limited size. Each record is folded before the next one is enqueued, so
 * that live deliveries never wait for a whole backfill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Host, hostAt } from '../../config/hosts.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { hostWaitSeconds } from '../../src/foundation/metrics.ts';
import { HostClient, type HostWait } from '../../src/host/client.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { BackfilledBody } from '../../src/protocol/events.ts';
import type { BackfilledRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { DirectoryRepository } from '../../src/store/tables/directory.ts';
import type { Lead } from '../partition/lead.ts';
import type { Owners } from './owners.ts';

/** One partition with its lane, hosts and other dependencies, as used by the code that reads hosts. */
export interface HostContext {
  hosts: readonly Host[];
  logger: Logger;
  lane: Lane;
  /**
   * Returns the open store of the partition. Callers must not keep the result, because a renewal can replace the store.
   */
  partition: () => Partition;
  /** Returns the journal sequence number of the last folded message. */
  folded: () => number;
  /** The lead of the partition. While this process does not lead, nothing is sent and no host is asked. */
  lead: Pick<Lead, 'acts' | 'stamp'>;
  /** Returns the repository's row in the directory, or undefined while the directory does not know the repository. */
  listed: (repoId: string) => DirectoryRepository | undefined;
  owners: Owners;
}

/**
 * Returns a client for a host.
 * @throws ServiceError `invalid` when the settings do not contain the host
 */
export function clientFor(
  { hosts, logger }: Pick<HostContext, 'hosts' | 'logger'>,
  origin: string,
  options: { installationId: string | null; signal: AbortSignal; onWait?: (wait: HostWait) => void },
): HostClient {
  const host = hostAt(hosts, origin);
  if (!host) throw new ServiceError('invalid', `The host ${origin} is not in the settings. See TIDINGS_HOSTS.`);
  const { installationId, signal, onWait } = options;
  return new HostClient({
    host,
    logger,
    signal,
    ...(installationId !== null && { installationId }),
    onWait: (wait) => {
      hostWaitSeconds.inc({ reason: wait.reason }, wait.ms / 1000);
      onWait?.(wait);
    },
  });
}

/**
 * Maximum size of the bodies in one record, in bytes. It is far below the maximum record size, and a record of this
 * size is folded in a few milliseconds.
 */
const recordBytes = 262_144;
const busyMs = 500;
const pollMs = 5;

/** A record without its id and time. */
type Page = Pick<BackfilledRecord, 'job' | 'repository' | 'confirmed' | 'seenAt' | 'bodies' | 'progress' | 'tagSync'>;

/**
 * Journals a page. A large page becomes several records, and only the last of them contains the progress. Waits without
 * limit until all records are folded.
 * @throws the signal's reason when the signal ends the wait
 */
export async function journalPage(context: HostContext, page: Page, signal: AbortSignal): Promise<void> {
  const { progress, tagSync, bodies, ...rest } = page;
  const { stamp, acts } = context.lead;
  // Without the term of the lead, the fold would not drop the record.
  if (stamp.term === undefined && !acts)
    throw new ServiceError('unavailable', 'Another process leads the partition now.');
  const parts = partsOf(bodies);
  for (const [i, part] of parts.entries()) {
    const last = i === parts.length - 1;
    const lastFields = last && { ...(progress && { progress, reports: true as const }), ...(tagSync && { tagSync }) };
    const record: BackfilledRecord = {
      id: ulid(),
      at: Date.now(),
      kind: 'backfilled',
      ...rest,
      bodies: part,
      ...stamp,
      ...lastFields,
    };
    const seq = await enqueue(context, record, signal);
    while (context.folded() < seq) await pause(pollMs, undefined, { signal, ref: false });
  }
}

/**
 * Enqueues a record, and retries until the journal accepts it. If a retry causes a duplicate, folding the record twice
 * has the same result.
 */
async function enqueue({ lane, logger }: HostContext, record: BackfilledRecord, signal: AbortSignal): Promise<number> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return (await lane.enqueue(record)).seq;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
      logger.warn({ partition: lane.partition, err: error }, 'page is enqueued again');
      await pause(busyMs, undefined, { signal, ref: false });
    }
  }
}

function partsOf(bodies: readonly BackfilledBody[]): BackfilledBody[][] {
  const parts: BackfilledBody[][] = [[]];
  let bytes = 0;
  for (const body of bodies) {
    const size = Buffer.byteLength(JSON.stringify(body));
    if (bytes > 0 && bytes + size > recordBytes) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(body);
    bytes += size;
  }
  return parts;
}
