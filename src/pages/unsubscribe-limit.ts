/**
 * Limits the requests to the unsubscribe page, which needs no API key. Requests with invalid links have a limit per
 * client. Requests with valid links have a limit per recipient. Writes have limits per recipient and per organization.
 * Requests with valid links have no limit per client. With such a limit, someone who guesses links through a shared
 * proxy would block recipients behind the same proxy. With several gateways, the home of a client, recipient or
 * organization counts. A method returns a promise only if another gateway has to be asked.
 */
import { type Homes, soleHome } from '../cluster/homes.ts';
import { ServiceError } from '../foundation/errors.ts';
import { ClientAddress } from '../http/client-address.ts';
import { clientKey } from '../http/client-key.ts';
import { type Admission, IngestionLimit, type IngestionRate } from '../ingress/limit.ts';
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
  private readonly clients: Buckets;
  private readonly visitors: Buckets;
  private readonly recipients: Buckets;
  private readonly organizations: Buckets;

  /**
   * @param trustedProxies addresses and networks whose X-Forwarded-For header is trusted
   * @param now returns the time in milliseconds
   */
  constructor(trustedProxies: readonly string[], now: () => number = Date.now, homes = soleHome) {
    this.addresses = new ClientAddress(trustedProxies);
    this.now = now;
    const bucketsOf = (name: string, rate: IngestionRate) => new Buckets(`unsubscribe ${name}`, rate, now, homes);
    this.clients = bucketsOf('guesses', guesses);
    this.visitors = bucketsOf('visits', visits);
    this.recipients = bucketsOf('changes', changes);
    this.organizations = bucketsOf('changes together', changesTogether);
  }

  /**
   * Counts a request with an invalid link towards the limit of its client.
   * @throws ServiceError `rateLimited`
   */
  guess(peer: string, forwarded: string | undefined): Promise<void> | undefined {
    return this.clients.take(clientKey(this.addresses.of(peer, forwarded) ?? peer, 48));
  }

  /**
   * Counts a request with a valid link towards the limit of its recipient.
   * @throws ServiceError `rateLimited`
   */
  visit({ orgId, address }: Recipient): Promise<void> | undefined {
    return this.visitors.take(`${orgId} ${address}`);
  }

  /**
   * Counts a write towards the limits of its recipient and its organization.
   * @throws ServiceError `rateLimited`
   */
  change({ orgId, address }: Recipient): Promise<void> | undefined {
    const counted = this.recipients.take(`${orgId} ${address}`);
    return counted ? counted.then(() => this.organizations.take(orgId)) : this.organizations.take(orgId);
  }

  /** Removes token buckets that are full again. */
  sweep(): void {
    for (const limit of [this.clients, this.visitors, this.recipients, this.organizations]) limit.sweep(this.now());
  }
}

/**
 * The token buckets of one limit. The buckets exist only in the memory of one process. Each key has a bucket of its
 * own, which is full at first.
 */
class Buckets {
  private readonly limit: IngestionLimit;
  private readonly admit: (key: string, question: string) => Admission | Promise<Admission>;

  constructor(name: string, rate: IngestionRate, now: () => number, homes: Homes) {
    this.limit = new IngestionLimit(() => [rate], 0);
    this.admit = homes.at(name, (key: string) => this.limit.admit(key, now()));
  }

  /** @throws ServiceError `rateLimited` if the bucket of the key is empty */
  take(key: string): Promise<void> | undefined {
    const admission = this.admit(key, key);
    if (admission instanceof Promise) return admission.then(assertAdmitted);
    assertAdmitted(admission);
    return undefined;
  }

  sweep(now: number): void {
    this.limit.sweep(now);
  }
}

function assertAdmitted(admission: Admission): void {
  if (admission.admitted) return;
  const retryAfter = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  throw new ServiceError('rateLimited', `Too many requests. Wait ${retryAfter} seconds.`, { retryAfter });
}
