/**
 * Limits the page for unsubscribing, which needs no API key: guesses per client, visits and writes per recipient, writes per
 * organisation. Clients do not share a limit with valid links, so that guesses behind one proxy hold up no recipient.
 */
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../foundation/errors.ts';
import { ClientAddress } from '../ingress/client-address.ts';
import { IngestionLimit, type IngestionRate } from '../ingress/limit.ts';
import type { Recipient } from '../store/tables/suppressions.ts';

const minuteMs = 60_000;
/** Requests with links that were not made here. */
const guesses: IngestionRate = { count: 120, periodMs: minuteMs };
const visits: IngestionRate = { count: 120, periodMs: minuteMs };
/** A person changes their mind a few times. */
const changes: IngestionRate = { count: 10, periodMs: 60 * minuteMs };
const changesTogether: IngestionRate = { count: 300, periodMs: minuteMs };

export class UnsubscribeLimit {
  private readonly addresses: ClientAddress;
  private readonly clients = bucketsOf(guesses);
  private readonly visitors = bucketsOf(visits);
  private readonly recipients = bucketsOf(changes);
  private readonly organisations = bucketsOf(changesTogether);

  /** @param trustedProxies addresses and networks whose X-Forwarded-For counts */
  constructor(trustedProxies: readonly string[]) {
    this.addresses = new ClientAddress(trustedProxies);
  }

  /**
   * Takes one request of a client with an invalid link at `now` (milliseconds).
   * @throws ServiceError `rateLimited`
   */
  guess(peer: string, forwarded: string | undefined, now: number): void {
    take(this.clients, clientOf(this.addresses.of(peer, forwarded) ?? peer), now);
  }

  /**
   * Takes one request with a recipient's link.
   * @throws ServiceError `rateLimited`
   */
  visit({ orgId, address }: Recipient, now: number): void {
    take(this.visitors, `${orgId} ${address}`, now);
  }

  /**
   * Takes one write.
   * @throws ServiceError `rateLimited`
   */
  change({ orgId, address }: Recipient, now: number): void {
    take(this.recipients, `${orgId} ${address}`, now);
    take(this.organisations, orgId, now);
  }

  /** Forgets buckets that are full again. */
  sweep(now: number): void {
    for (const limit of [this.clients, this.visitors, this.recipients, this.organisations]) limit.sweep(now);
  }
}

/** Token buckets, one for each key, full at start, of this process. */
function bucketsOf(rate: IngestionRate): IngestionLimit {
  return new IngestionLimit(() => [rate], 0);
}

function take(limit: IngestionLimit, key: string, now: number): void {
  const admission = limit.admit(key, now);
  if (admission.admitted) return;
  const retryAfter = Math.max(1, Math.ceil(admission.retryAfterMs / 1000));
  throw new ServiceError('rateLimited', `Too many requests. Wait ${retryAfter} seconds.`, { retryAfter });
}

/** One client: an IPv4 address, or a network of IPv6 as large as one customer of a provider gets (/48). */
function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  return plain.kind() === 'ipv4' ? plain.toString() : plain.toByteArray().slice(0, 6).join('.');
}
