/**
 * What the work with hosts needs of its worker, and how what was read gets onto the journal: in records that fit, each
 * folded before the next is read, so that live deliveries never wait behind a backfill.
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
import type { Owners } from './owners.ts';

/** One partition and its surroundings, as the work with hosts sees them. */
export interface HostContext {
  hosts: readonly Host[];
  logger: Logger;
  lane: Lane;
  /** The partition as its owner has it open now. */
  partition: () => Partition;
  /** Sequence of the last message folded. */
  folded: () => number;
  /** Whether the fold has passed what the journal held at start: nothing is sent or read elsewhere before. */
  caughtUp: () => boolean;
  /** A repository as the directory lists it; undefined while it is not known there. */
  listed: (repoId: string) => DirectoryRepository | undefined;
  owners: Owners;
}

/**
 * A client for a host.
 * @throws ServiceError `invalid` when the settings have no such host
 */
export function clientFor(
  { hosts, logger }: Pick<HostContext, 'hosts' | 'logger'>,
  origin: string,
  options: { installationId: string | null; signal: AbortSignal; onWait?: (wait: HostWait) => void },
): HostClient {
  const host = hostAt(hosts, origin);
  if (!host) throw new ServiceError('invalid', `The settings have no host ${origin}: see TIDINGS_HOSTS.`);
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

/** Bytes of bodies in one record: far below what a record may have, and folded in a few milliseconds. */
const recordBytes = 262_144;
const busyMs = 500;
const lookMs = 5;

/** A record without its id and time. */
type Page = Pick<BackfilledRecord, 'job' | 'repository' | 'confirmed' | 'seenAt' | 'bodies' | 'progress' | 'tagSync'>;

/**
 * Puts a page on the journal, in several records when it is large; the last one says how far it goes. Waits until all of it
 * is folded, for as long as it takes.
 * @throws the signal's reason when that ends the wait
 */
export async function journalPage(context: HostContext, page: Page, signal: AbortSignal): Promise<void> {
  const { progress, tagSync, bodies, ...rest } = page;
  const parts = partsOf(bodies);
  for (const [i, part] of parts.entries()) {
    const last = i === parts.length - 1;
    const goes = last && { ...(progress && { progress }), ...(tagSync && { tagSync }) };
    const record: BackfilledRecord = { id: ulid(), at: Date.now(), kind: 'backfilled', ...rest, bodies: part, ...goes };
    const seq = await enqueue(context, record, signal);
    while (context.folded() < seq) await pause(lookMs, undefined, { signal, ref: false });
  }
}

/** Until the journal takes it: what it holds is the same however often it arrives. */
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
