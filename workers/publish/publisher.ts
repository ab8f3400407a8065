/**
 * Keeps the publications of one partition going. Publications of one channel and repository are sent in order, each
 * when it is due. The partition stores which publications are under way. The memory of the worker contains only the
 * publications that this run is sending.
 */

import { channelOf } from '../../src/channels/index.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { publicationsUnderWay } from '../../src/foundation/metrics.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import { hasEnded, listUnderWay, readPublication } from '../../src/store/tables/publications.ts';
import { Attempt, deliveryMs, graceMs } from './attempt.ts';
import { type PublishContext, receiverOf } from './context.ts';
import { type Destination, Places } from './places.ts';

/** Pause after an attempt that could not begin, in milliseconds. After the pause, the attempt is tried again. */
const laterMs = 1000;
/** How long a stopping worker waits for deliveries to end on their own, in milliseconds. */
const stopMs = 5000;
/** Maximum duration of the timer, in milliseconds. */
const maxMs = 3_600_000;

export class Publisher {
  private readonly context: PublishContext;
  private readonly runId = ulid();
  private readonly places = new Places();
  private readonly busy = new Map<string, Promise<void>>();
  /** When this run first saw an attempt that a former lead left open, by publication. */
  private readonly openSince = new Map<string, number>();
  private readonly stopping = new AbortController();
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, in milliseconds of `performance.now()`. */
  private wakesAt = Number.POSITIVE_INFINITY;

  constructor(context: PublishContext) {
    this.context = context;
  }

  /**
   * Starts publications that are due and not running. This function must be called after each commit. It does nothing
   * while this process does not lead the partition.
   */
  readonly kick = (): void => {
    if (this.stopped || !this.context.lead.acts) return;
    const partition = this.context.partition();
    const waiting = listUnderWay(partition);
    publicationsUnderWay.set({ partition: partition.name }, waiting.length);
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    for (const { id } of waiting) {
      if (this.busy.has(id)) continue;
      const publication = readPublication(partition, id);
      if (!publication || hasEnded(publication)) continue;
      const destination = destinationOf(publication);
      if (!this.places.take(destination)) continue;
      const at = this.dueAt(publication, now);
      if (at <= now) this.start(publication, destination);
      else {
        this.places.free(destination);
        next = Math.min(next, at);
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.wakeAt(next - now);
  };

  /**
   * Starts no further publications, and aborts deliveries that do not end soon. The next run of the worker finds out
   * whether an aborted attempt succeeded.
   */
  async close(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const cutOff = setTimeout(() => this.stopping.abort(new Error('the worker stops')), stopMs);
    await Promise.all(this.busy.values());
    clearTimeout(cutOff);
  }

  /**
   * Returns when a publication is due. If an earlier run left an attempt open, the publication is due when that run can
   * no longer be sending. If
   * `nextAttemptAt` is in the future, the publication is due at that time. In all other cases, the publication is due
   * when the breaker of its receiver allows an attempt.
   */
  private dueAt(publication: PublicationRecord, now: number): number {
    if (publication.sending) return now + this.formerMs(publication);
    this.openSince.delete(publication.id);
    const { nextAttemptAt } = publication;
    if (nextAttemptAt !== null && nextAttemptAt > now) return nextAttemptAt;
    return now + this.context.breakers.take(destinationOf(publication).receiver);
  }

  /**
   * Returns how long a former lead may still be sending, in milliseconds. A receiver that is asked before that has no item
   * yet, and would get a second one. The time is measured by this process's own clock.
   */
  private formerMs({ id, channel, sending }: PublicationRecord): number {
    if (!this.context.formerMayLive || sending?.by === this.runId || !channelOf(channel).canLookUp) return 0;
    const since = this.openSince.get(id) ?? performance.now();
    this.openSince.set(id, since);
    return Math.max(0, since + deliveryMs + graceMs - performance.now());
  }

  private start(publication: PublicationRecord, destination: Destination): void {
    const { id, channel } = publication;
    const done = new Attempt(this.context, publication, this.runId, this.stopping.signal)
      .run()
      .then(() => 0)
      .catch((error: Error) => {
        this.context.logger.warn({ publicationId: publication.id, err: error }, 'publication is tried again');
        return laterMs;
      })
      .then((ms) => {
        // An attempt that sent nothing shows nothing about the receiver, so it counts as neither success nor failure.
        // It is still recorded, because the breaker's test attempt must end.
        this.context.breakers.record(channel, destination.receiver, 'neither');
        this.places.free(destination);
        this.busy.delete(id);
        this.wakeAt(ms);
      });
    this.busy.set(id, done);
  }

  private wakeAt(ms: number): void {
    const at = performance.now() + Math.min(Math.max(ms, 0), maxMs);
    if (this.stopped || at >= this.wakesAt) return;
    clearTimeout(this.timer);
    this.wakesAt = at;
    this.timer = setTimeout(() => {
      this.wakesAt = Number.POSITIVE_INFINITY;
      this.kick();
    }, at - performance.now());
    this.timer.unref();
  }
}

function destinationOf({ repoId, channel, connection }: PublicationRecord): Destination {
  return { repoId, channel, receiver: receiverOf(channel, connection, repoId) };
}
