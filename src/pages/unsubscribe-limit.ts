/**
 * Limits the requests to the unsubscribe page, which needs no API key. Requests with invalid links have a limit per
 * client. Requests with valid links have a limit per recipient. Writes have limits per recipient and per organization.
 * Requests with valid links have no limit per client. With such a limit, someone who guesses links through a shared
 * proxy would block recipients behind the same proxy.
 */
import { ServiceError } from '../foundation/errors.ts';
import { ClientAddress } from '../http/client-address.ts';
import { clientKey } from '../http/client-key.ts';
import { IngestionLimit, type IngestionRate } from '../ingress/limit.ts';
import type { Recipient } from '../store/tables/suppressions.ts';

const minuteMs = 60_000;
/** Maximum number of requests with invalid links per client. A link is invalid when this service did not make it. */
const guesses: IngestionRate = { count: 120, periodMs: minuteMs };
const visits: IngestionRate = { count: 120, periodMs: minuteMs };
/** Maximum number of writes per recipient. A person may change their mind a few times. */
const changes: IngestionRate = { count: 10, periodMs: 60 * minuteMs };
const changesTogether: IngestionRate = { count: 300, periodMs: minuteMs };

export class UnsubscribeLimit {
  private readonly addresses: ClientAddress;
  private readonly now: () => number;
  private readonly clients = bucketsOf(guesses);
  private readonly visitors = bucketsOf(visits);
  private readonly recipients = bucketsOf(changes);
  private readonly organizations = bucketsOf(changesTogether);

  /**
   * @param trustedProxies addresses and networks whose X-Forwarded-For header is trusted
   * @param now returns the time in milliseconds
   */
  constructor(trustedProxies: readonly string[], now: () => number = Date.now) {
    this.addresses = new ClientAddress(trustedProxies);
    this.now = now;
  }

  /**
   * Counts a request with an invalid link towards the limit of its client.
   * @throws ServiceError `rateLimited`
   */
  guess(peer: string, forwarded: string | undefined): void {
    take(this.clients, clientKey(this.addresses.of(peer, forwarded) ?? peer, 48), this.now());
  }

  /**
   * Counts a request with a valid link towards the limit of its recipient.
   * @throws ServiceError `rateLimited`
   */
  visit({ orgId, address }: Recipient): void {
    take(this.visitors, `${orgId} ${address}`, this.now());
  }

  /**
   * Counts a write towards the limits of its recipient and its organization.
   * @throws ServiceError `rateLimited`
   */
  change({ orgId, address }: Recipient): void {
    take(this.recipients, `${orgId} ${address}`, this.now());
    take(this.organizations, orgId, this.now());
  }

  /** Removes token buckets that are full again. */
  sweep(): void {
    for (const limit of [this.clients, this.visitors, this.recipients, this.organizations]) limit.sweep(this.now());
  }
}

/**
 * Makes the token buckets for one limit. The buckets exist only in the memory of this process. Each key has a bucket of
 * its own, which is full at first.
 */
function bucketsOf(rate: IngestionRate): IngestionLimit {
  return new IngestionLimit(() => [rate], 0);
}

function take(limit: IngestionLimit, key: string, now: number): void {
  const admission = limit.admit(key, now);
  if (admission.admitted) return;
  const retryAfter = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  throw new ServiceError('rateLimited', `Too many requests. Wait ${retryAfter} seconds.`, { retryAfter });
}
