/**
 * Makes one attempt to deliver a publication, in four steps: render, journal `sending`, let the channel deliver, and
 * journal the outcome. The last step is retried until the journal accepts the outcome. After a kill, a `sending` record
 * shows the next run that something may have been sent. Without such a record, nothing was sent (`docs/architecture.md`
 * decision 24).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type Delivered, DeliveryError } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { publicationSeconds, publications } from '../../src/foundation/metrics.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import { readPublication, readReference } from '../../src/store/tables/publications.ts';
import type { Lead } from '../partition/lead.ts';
import { organizationOf } from '../render/organization.ts';
import { ConnectionError, deliveryBase, type PublishContext, receiverOf } from './context.ts';
import { hostAccess } from './host.ts';
import { type Mailing, mailingFor } from './recipients.ts';
import { givenUp, retryAt } from './schedule.ts';

type Failed = Extract<ResultBody, { result: 'publishFailed' }>;
type Outcome = Failed | Extract<ResultBody, { result: 'published' }>;

/** Everything that an attempt prepares before it may send. */
interface Prepared {
  payload: unknown;
  base: ReturnType<typeof deliveryBase>;
  mailing: Mailing;
}

/**
 * Maximum time of a delivery (`deliveryMs`), and how long a channel may take to react to the abort (`graceMs`), in
 * milliseconds.
 */
export const deliveryMs = 60_000;
export const graceMs = 1000;
const pollMs = 5;
const busyMs = 500;

const interrupted =
  'The service ended while the publication was being sent. The publication may have arrived, and the service cannot check this. Check at the receiver. If it did not arrive, resend the publication.';

export class Attempt {
  private readonly context: PublishContext;
  private readonly publication: PublicationRecord;
  /** Whether an earlier run of the worker left an attempt open. The receiver may already have the item. */
  private readonly open: boolean;
  private readonly runId: string;
  private readonly stopping: AbortSignal;

  /**
   * @param runId id of this run of the worker; it distinguishes the attempts of this run from those of earlier runs
   * @param stopping aborts the delivery when the worker stops
   */
  constructor(context: PublishContext, publication: PublicationRecord, runId: string, stopping: AbortSignal) {
    this.context = context;
    this.publication = publication;
    this.runId = runId;
    this.stopping = stopping;
    this.open = publication.sending !== null && publication.sending.by !== runId;
  }

  /**
   * Makes the attempt and waits until its outcome is folded.
   * @throws ServiceError `unavailable` when the attempt could not begin; in that case nothing was sent
   */
  async run(): Promise<void> {
    const { publication, open } = this;
    const current = publication.sending?.attempt ?? 0;
    if (open && !channelOf(publication.channel).canLookUp)
      return this.end(this.failure(current, interrupted, { unknown: true }));
    if (publication.tries >= givenUp && publication.sending?.by !== this.runId) {
      const error = publication.attempts.at(-1)?.error ?? interrupted;
      return this.end(
        this.failure(current, `The service gave up after ${publication.tries} attempts. ${error}`, { unknown: open }),
      );
    }
    const prepared = await this.prepare().catch((error: unknown) => this.unprepared(error, current));
    if ('result' in prepared) return this.end(prepared);
    const attempt = await this.begin(prepared.mailing);
    if (attempt === undefined) return;
    await this.end(await this.deliver(prepared, attempt));
  }

  /** Carries out all preparations that can fail. Nothing is sent during the preparations. */
  private async prepare(): Promise<Prepared> {
    const { context, publication } = this;
    const { id, repoId, draftId, revision, channel, asDraft, connection, pagesUrl, personaPath } = publication;
    const base = deliveryBase(context, channel, connection);
    const { settings } = connection;
    const work = {
      task: 'payload',
      publicationId: id,
      repoId,
      draftId,
      revision,
      channel,
      asDraft,
      settings,
      pagesUrl,
      ...(personaPath !== undefined && { personaPath }),
    } as const;
    const partition = context.partition();
    const { payload } = await context.pool.run(
      { dataDir: context.dataDir, partition: partition.name, work },
      { organization: organizationOf(partition, repoId) },
    );
    return { payload, base, mailing: mailingFor(context, publication, this.runId, base.settings) };
  }

  private unprepared(error: unknown, attempt: number): Failed {
    if (error instanceof ServiceError && error.kind === 'unavailable') throw error;
    const isExpected = error instanceof ConnectionError || error instanceof ServiceError;
    if (!isExpected || (error instanceof ServiceError && error.kind === 'internal'))
      this.context.logger.error({ publicationId: this.publication.id, err: error }, 'publication cannot be rendered');
    const expected = error instanceof ServiceError ? (error.details?.channel ?? error.message) : undefined;
    const reason = isExpected ? (expected ?? (error as Error).message) : 'Rendering failed; see the log.';
    return this.failure(attempt, reason, { unknown: this.open });
  }

  /**
   * Journals the start of the attempt and waits until the record is folded. Returns undefined if another attempt has
   * begun meanwhile, or if this process no longer leads the partition.
   */
  private async begin(mailing: Mailing): Promise<number | undefined> {
    const { context, publication, runId } = this;
    const { lead } = context;
    // If this run has already journaled the start of an attempt without sending anything, that attempt continues.
    if (publication.sending?.by === runId) return lead.holds ? publication.sending.attempt : undefined;
    // The next lead could not know that nothing was sent, and would end the attempt as unknown.
    if (!lead.acts) return undefined;
    const attempt = publication.attempted + 1;
    const recipients = mailing.sending;
    const what = { publicationId: publication.id, attempt, by: runId, ...(recipients && { recipients }) };
    await this.journal({ result: 'publicationSending', ...what }, lead.stamp);
    const now = readPublication(context.partition(), publication.id);
    const isOurs = now?.sending?.attempt === attempt && now.sending.by === runId;
    // This check comes as late as possible. A process that was stopped for seconds may have been replaced meanwhile.
    return isOurs && lead.holds ? attempt : undefined;
  }

  private async deliver({ payload, base, mailing }: Prepared, attempt: number): Promise<Outcome> {
    const { context, publication } = this;
    const { id, repoId, channel, connection } = publication;
    const stop = publicationSeconds.startTimer({ channel });
    const receiver = receiverOf(channel, connection, repoId);
    const reference = readReference(context.partition(), publication) ?? null;
    const signal = AbortSignal.any([this.stopping, AbortSignal.timeout(deliveryMs)]);
    try {
      const resumed = this.open || attempt > 1;
      const host = hostAccess(context, repoId, signal);
      const { recipients } = mailing;
      const delivery = { ...base, signal, publicationId: id, reference, resumed, host, recipients };
      const delivered = await inTime(channelOf(channel).deliver(payload, delivery), signal);
      context.breakers.record(channel, receiver, 'answered');
      return { ...this.success(attempt, delivered), ...reachedBy(mailing, delivered) };
    } catch (error) {
      const failure = this.toDeliveryError(error, signal);
      context.breakers.record(channel, receiver, failure.outcome === 'refused' ? 'answered' : 'failed');
      return { ...this.failed(attempt, failure), ...reachedBy(mailing, failure) };
    } finally {
      stop();
    }
  }

  private success(attempt: number, { url, reference, counts = {}, page }: Delivered): Outcome {
    const publicationId = this.publication.id;
    const outcome = { publicationId, attempt, url, reference, counts: { ...counts }, ...(page && { page }) };
    return { result: 'published', ...outcome, countsRanges: true };
  }

  /**
   * Returns the outcome of a failed delivery. If it is unclear whether the item arrived, the next attempt asks the
   * receiver. If the receiver cannot be asked, the publication fails.
   */
  private failed(attempt: number, { outcome, message, retryAfterMs }: DeliveryError): Failed {
    const { channel, tries } = this.publication;
    const isUnclear = outcome === 'unknown' && !channelOf(channel).canLookUp;
    if (outcome === 'refused' || isUnclear) return this.failure(attempt, message, { unknown: isUnclear });
    const next = retryAt(tries + 1, Date.now(), retryAfterMs);
    if (next !== null) return this.failure(attempt, message, { retryAt: next });
    return this.failure(attempt, `The service gave up after ${tries + 1} attempts. ${message}`, {
      unknown: outcome === 'unknown',
    });
  }

  /**
   * Converts an error to a `DeliveryError`. A `DeliveryError` of the channel is returned unchanged. After a timeout, a
   * stop of the worker or a defect of the channel, the item may have arrived.
   */
  private toDeliveryError(error: unknown, signal: AbortSignal): DeliveryError {
    if (error instanceof DeliveryError) return error;
    if (error instanceof ConnectionError) return new DeliveryError('retry', error.message);
    if (this.stopping.aborted)
      return new DeliveryError('unknown', 'The service was stopped while the publication was being sent.');
    if (signal.aborted)
      return new DeliveryError('unknown', `The receiver did not answer within ${deliveryMs / 1000} seconds.`);
    this.context.logger.error({ publicationId: this.publication.id, err: error }, 'delivery failed');
    return new DeliveryError('unknown', 'The delivery failed on the server; see its log for the reason.');
  }

  private failure(attempt: number, error: string, more: Partial<Pick<Failed, 'retryAt' | 'unknown'>>): Failed {
    const publicationId = this.publication.id;
    const outcome = { publicationId, attempt, error, retryAt: null, unknown: false, ...more };
    return { result: 'publishFailed', ...outcome, reports: true };
  }

  /**
   * Journals the outcome, and retries until the journal accepts it. The record of an item that was sent must not be
   * lost.
   */
  private async end(outcome: Outcome): Promise<void> {
    const { channel } = this.publication;
    publications.inc({ channel, outcome: outcomeName(outcome) });
    for (;;) {
      try {
        return await this.journal(outcome);
      } catch (error) {
        if (error instanceof ServiceError && error.kind === 'tooLarge' && outcome.result === 'published')
          return this.end(this.failure(outcome.attempt, error.message, {}));
        this.context.logger.warn({ publicationId: outcome.publicationId, err: error }, 'outcome is enqueued again');
        if (this.stopping.aborted) throw error;
        await pause(busyMs, undefined, { ref: false });
      }
    }
  }

  /**
   * Enqueues a result and waits until it is folded.
   * @param stamp the stamp of the lead, if the result begins something
   */
  private async journal(body: ResultBody, stamp: Lead['stamp'] = {}): Promise<void> {
    const { lane, folded } = this.context;
    const { seq } = await lane.enqueue({ id: ulid(), at: Date.now(), kind: 'result', body, ...stamp });
    while (folded() < seq && !this.stopping.aborted) await pause(pollMs, undefined, { ref: false });
  }
}

function reachedBy(mailing: Mailing, ended: Delivered | DeliveryError): Pick<Outcome, 'reached'> {
  const reached = mailing.outcome(ended);
  return reached ? { reached } : {};
}

function outcomeName(outcome: Outcome): 'completed' | 'retried' | 'failed' | 'unknown' {
  if (outcome.result === 'published') return 'completed';
  if (outcome.retryAt !== null) return 'retried';
  return outcome.unknown ? 'unknown' : 'failed';
}

/** Waits for a delivery. Rejects soon after the signal aborts, even if the channel ignores the signal. */
async function inTime<T>(delivery: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new Promise<never>((_, reject) => {
    const end = () => setTimeout(() => reject(signal.reason), graceMs).unref();
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
  return Promise.race([delivery, over]);
}
