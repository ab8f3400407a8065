/**
 * Sends the queued deliveries of webhook endpoints. Each endpoint gets one delivery at a time and in order; many
 * endpoints are served concurrently. The result of an attempt is journaled, and the endpoint counts as busy until the
 * result is folded. If the process dies before that, the next process sends the delivery again with the same id.
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
import type { Lead } from '../partition/lead.ts';
import type { PartitionOwner } from '../partition/owner.ts';
import { type AttemptTools, attemptDelivery } from './attempt.ts';

/** The dependencies of a sender, provided by its worker. */
export interface SenderOptions extends AttemptTools {
  owner: Pick<PartitionOwner, 'partition' | 'reach'>;
  /** Only the lead of the directory sends. */
  lead: Pick<Lead, 'acts'>;
  /** The lane of the directory. */
  lane: Lane;
}

/**
 * Number of endpoints that are served concurrently. It is large enough that a few hundred hanging endpoints of one
 * customer delay others by seconds only.
 */
const concurrency = 100;
/**
 * Maximum time until the next check of the queues, in milliseconds. A longer wait could miss due deliveries, because
 * the clock can be changed during the wait.
 */
const maxSleepMs = 30_000;
/** Maximum time that deliveries under way may continue after the worker was stopped, in milliseconds. */
const stopMs = 2000;
/**
 * While the sender waits until an outcome is folded, it regularly checks whether the worker was stopped. This is the
 * interval between two checks, in milliseconds.
 */
const maxWaitMs = 5000;

export class WebhookSender {
  private readonly options: SenderOptions;
  /** Endpoints with a delivery under way. The map keeps an endpoint until the outcome of the delivery is folded. */
  private readonly busy = new Map<string, Promise<void>>();
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(options: SenderOptions) {
    this.options = options;
  }

  /**
   * Sends the deliveries that are due. This function must be called after each commit. It does nothing before the fold
   * has caught up.
   */
  kick(): void {
    const { owner, lead } = this.options;
    if (this.stopped || !lead.acts) return;
    clearTimeout(this.timer);
    const now = Date.now();
    let next = now + maxSleepMs;
    for (const head of listQueueHeads(owner.partition)) {
      if (this.busy.has(head.endpointId)) continue;
      if (head.dueAt > now) next = Math.min(next, head.dueAt);
      else if (this.busy.size < concurrency) this.start(head);
    }
    endpointQueue.set(countQueue(owner.partition));
    this.timer = setTimeout(() => this.kick(), next - now).unref();
  }

  /**
   * Stops starting deliveries. Running deliveries get a short time to end. The next process sends unfinished deliveries
   * again.
   */
  async close(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    const late = setTimeout(() => this.stopping.abort(), stopMs);
    await Promise.all(this.busy.values());
    clearTimeout(late);
  }

  private start(head: Queued): void {
    const { endpointId } = head;
    const done = this.deliver(head)
      .catch((error: Error) => this.later(error))
      .finally(() => {
        this.busy.delete(endpointId);
        this.kick();
      });
    this.busy.set(endpointId, done);
  }

  private async deliver({ endpointId, number }: Queued): Promise<void> {
    const { owner, lane } = this.options;
    const endpoint = readWebhookEndpoint(owner.partition, endpointId);
    const delivery = readWebhookDelivery(owner.partition, endpointId, number);
    if (!endpoint || !delivery) return;
    const body = await attemptDelivery(this.options, endpoint, delivery, this.stopping.signal);
    // The attempt ended because this process stopped, not because the receiver failed, so there is no outcome to
    // journal.
    if (this.stopping.signal.aborted) return;
    endpointAttempts.inc({ outcome: body.outcome });
    endpointSeconds.observe(body.attempt.ms / 1000);
    const { seq } = await lane.enqueue({ id: ulid(), at: Date.now(), kind: 'result', body });
    while (!this.stopped && !(await owner.reach(seq, maxWaitMs)));
  }

  /**
   * Pauses when the journal has not accepted an outcome. The endpoint stays busy during the pause. After the pause, the
   * delivery is sent again.
   */
  private async later(error: Error): Promise<void> {
    this.options.logger.warn({ err: error }, 'a webhook is sent again');
    await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 500));
  }
}
