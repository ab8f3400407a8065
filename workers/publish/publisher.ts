/**
 * Keeps the publications of one partition going: in order for a channel of a repository, each when its time
 * has come. What is under way stands in the partition; in memory is only what this life of the worker does with it.
 */
import { ulid } from '../../src/foundation/ids.ts';
import { publicationsUnderWay } from '../../src/foundation/metrics.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import { hasEnded, listUnderWay, readPublication } from '../../src/store/tables/publications.ts';
import { Attempt } from './attempt.ts';
import { type PublishContext, receiverOf } from './context.ts';
import { type Destination, Places } from './places.ts';

/** What could not begin is tried again this soon, in milliseconds. */
const laterMs = 1000;
/** A stopping worker gives deliveries this long to end by themselves. */
const stopMs = 5000;
/** Timers hold no more than this, in milliseconds. */
const longestMs = 3_600_000;

export class Publisher {
  private readonly context: PublishContext;
  private readonly life = ulid();
  private readonly places = new Places();
  private readonly busy = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  private wakesAt = Number.POSITIVE_INFINITY;

  constructor(context: PublishContext) {
    this.context = context;
  }

  /** Starts what is due and not under way. Call it after each commit, and not before the fold has caught up. */
  readonly kick = (): void => {
    if (this.stopped || !this.context.caughtUp()) return;
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

  /** Stops starting, and ends what does not end soon; an attempt that is cut off is cleared up by the next life. */
  async close(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const cutOff = setTimeout(() => this.stopping.abort(new Error('the worker stops')), stopMs);
    await Promise.all(this.busy.values());
    clearTimeout(cutOff);
  }

  /** What an earlier life left open is due at once; else its own time, and that of the receiver's breaker. */
  private dueAt(publication: PublicationRecord, now: number): number {
    if (publication.sending) return now;
    const { nextAttemptAt } = publication;
    if (nextAttemptAt !== null && nextAttemptAt > now) return nextAttemptAt;
    return now + this.context.breakers.take(destinationOf(publication).receiver);
  }

  private start(publication: PublicationRecord, destination: Destination): void {
    const { id, channel } = publication;
    const done = new Attempt(this.context, publication, this.life, this.stopping.signal)
      .run()
      .then(() => 0)
      .catch((error: Error) => {
        this.context.logger.warn({ publicationId: publication.id, err: error }, 'publication is tried again');
        return laterMs;
      })
      .then((ms) => {
        // An attempt that did not come to send has nothing to say of the receiver, but lets others try.
        this.context.breakers.tell(channel, destination.receiver, 'neither');
        this.places.free(destination);
        this.busy.delete(id);
        this.wakeAt(ms);
      });
    this.busy.set(id, done);
  }

  private wakeAt(ms: number): void {
    const at = performance.now() + Math.min(Math.max(ms, 0), longestMs);
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
