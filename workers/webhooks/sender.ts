/**
 * Sends what waits in the queues of webhook endpoints: one delivery of an endpoint at a time and in its order, many endpoints
 * beside each other. What came of an attempt goes back through the journal; until it is folded the endpoint is busy, so a
 * process that dies in between leaves the delivery to the next one, which sends it again under the same id.
 */
import { ulid } from '../../src/foundation/ids.ts';
import { endpointAttempts, endpointQueue, endpointSeconds } from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import {
  countQueue,
  listQueueHeads,
  type Queued,
  readWebhookDelivery,
} from '../../src/store/tables/webhook-deliveries.ts';
import { readWebhookEndpoint } from '../../src/store/tables/webhook-endpoints.ts';
import type { PartitionOwner } from '../partition/owner.ts';
import { attemptDelivery, type Means } from './attempt.ts';

/** What a sender needs from its worker. */
export interface SenderOptions extends Means {
  owner: Pick<PartitionOwner, 'partition' | 'caughtUp' | 'reach'>;
  /** The lane of the directory. */
  lane: Lane;
}

/** Endpoints that are sent to at one time: enough that a few hundred hanging ones of one customer are the others' seconds. */
const atOnce = 100;
/** Longest sleep until the next look, in milliseconds; a clock can be set meanwhile. */
const longestSleepMs = 30_000;
/** What is under way when the worker stops has so long to end. */
const stopMs = 2000;
/** A journal or fold that does not go on is waited for in such steps. */
const patienceMs = 5000;

export class WebhookSender {
  private readonly options: SenderOptions;
  /** Endpoints that are being sent to, until the outcome is folded. */
  private readonly busy = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /** Sends what is due. Call it after each commit; it does nothing before the fold has caught up. */
  kick(): void {
    const { owner } = this.options;
    if (this.stopped || !owner.caughtUp) return;
    clearTimeout(this.timer);
    const now = Date.now();
    let next = now + longestSleepMs;
    for (const head of listQueueHeads(owner.partition)) {
      if (this.busy.has(head.endpointId)) continue;
      if (head.dueAt > now) next = Math.min(next, head.dueAt);
      else if (this.busy.size < atOnce) this.start(head);
    }
    endpointQueue.set(countQueue(owner.partition));
    this.timer = setTimeout(() => this.kick(), next - now).unref();
  }

  /** Stops starting; what is under way gets a moment, and is sent again by the next process if that is too short. */
  async close(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const late = setTimeout(() => this.stopping.abort(), stopMs);
    await Promise.all(this.busy.values());
    clearTimeout(late);
  }

  private start(head: Queued): void {
    const { endpointId } = head;
    const done = this.carryOut(head)
      .catch((error: Error) => this.later(error))
      .finally(() => {
        this.busy.delete(endpointId);
        this.kick();
      });
    this.busy.set(endpointId, done);
  }

  private async carryOut({ endpointId, number }: Queued): Promise<void> {
    const { owner, lane } = this.options;
    const endpoint = readWebhookEndpoint(owner.partition, endpointId);
    const delivery = readWebhookDelivery(owner.partition, endpointId, number);
    if (!endpoint || !delivery) return;
    const body = await attemptDelivery(this.options, endpoint, delivery, this.stopping.signal);
    // The receiver did not fail: we left.
    if (this.stopping.signal.aborted) return;
    endpointAttempts.inc({ outcome: body.outcome });
    endpointSeconds.observe(body.attempt.ms / 1000);
    const { seq } = await lane.enqueue({ id: ulid(), at: Date.now(), kind: 'result', body });
    while (!this.stopped && !(await owner.reach(seq, patienceMs)));
  }

  /** The journal did not take the outcome: after a moment the delivery is sent again. The endpoint stays busy until then. */
  private async later(error: Error): Promise<void> {
    this.options.logger.warn({ err: error }, 'a webhook is sent again');
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 500));
  }
}
