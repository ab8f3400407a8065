/**
 * Limits the page for unsubscribing, which needs no API key: requests per client, and writes per recipient and organisation.
 * Each limit is a token bucket, full at start, of this process.
 */
import ipaddr from 'ipaddr.js';
import { ServiceError } from './errors.ts';
import { ClientAddress } from './ingress/client-address.ts';
import { IngestionLimit, type IngestionRate } from './ingress/limit.ts';
import type { Recipient } from './store/suppressions.ts';

const minuteMs = 60_000;
/** Mail providers send the one-click requests of many recipients from few addresses. */
const perClient: IngestionRate = { count: 120, periodMs: minuteMs };
/** A person changes their mind a few times. */
const perRecipient: IngestionRate = { count: 10, periodMs: 60 * minuteMs };
const perOrganisation: IngestionRate = { count: 300, periodMs: minuteMs };

export class UnsubscribeLimit {
  private readonly addresses: ClientAddress;
  private readonly clients = bucketsOf(perClient);
  private readonly recipients = bucketsOf(perRecipient);
  private readonly organisations = bucketsOf(perOrganisation);

  /** @param trustedProxies addresses and networks whose X-Forwarded-For counts */
  constructor(trustedProxies: readonly string[]) {
    this.addresses = new ClientAddress(trustedProxies);
  }

  /**
   * Takes one request of a client at `now` (milliseconds), whatever it asks for.
   * @throws ServiceError `rateLimited`
   */
  request(peer: string, forwarded: string | undefined, now: number): void {
    take(this.clients, clientOf(this.addresses.of(peer, forwarded) ?? peer), now);
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
    for (const limit of [this.clients, this.recipients, this.organisations]) limit.sweep(now);
  }
}

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
