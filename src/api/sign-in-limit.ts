/**
 * Limits the sign-ins of a client, whether they succeed or fail. A client is an IPv4 address, or an IPv6 network of the
 * size /64. The counts are in memory, and their number has a maximum.
 */
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../foundation/errors.ts';
import { ClientAddress } from '../ingress/client-address.ts';

const windowMs = 60_000;
/** Maximum number of sign-ins per client in a window. */
export const signInsPerMinute = 5;
/** Maximum number of clients whose sign-ins are counted. At the maximum, the client that was added first is removed. */
const maxClients = 10_000;

export class SignInLimit {
  private readonly addresses: ClientAddress;
  /** Times of the sign-ins of the last minute per client, oldest first. */
  private readonly clients = new Map<string, number[]>();

  /** @param trustedProxies addresses and networks whose X-Forwarded-For header is trusted */
  constructor(trustedProxies: readonly string[]) {
    this.addresses = new ClientAddress(trustedProxies);
  }

  /**
   * Counts a sign-in. A refused one is not counted.
   * @param now milliseconds of a monotonic clock
   * @throws ServiceError `rateLimited` with the seconds to wait
   */
  take(peer: string, forwarded: string | undefined, now: number): void {
    const client = clientOf(this.addresses.of(peer, forwarded) ?? peer);
    const recent = (this.clients.get(client) ?? []).filter((time) => time > now - windowMs);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= signInsPerMinute) {
      const retryAfter = Math.max(1, Math.ceil((oldest + windowMs - now) / 1000));
      const message = `A client may sign in ${signInsPerMinute} times per minute. Wait ${retryAfter} seconds.`;
      throw new ServiceError('rateLimited', message, { retryAfter });
    }
    const first = this.clients.size >= maxClients ? this.clients.keys().next().value : undefined;
    if (first !== undefined && !this.clients.has(client)) this.clients.delete(first);
    this.clients.set(client, [...recent, now]);
  }

  /** Removes clients without a sign-in in the last minute. */
  sweep(now: number): void {
    for (const [client, times] of this.clients) {
      if ((times.at(-1) ?? 0) <= now - windowMs) this.clients.delete(client);
    }
  }
}

function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  return plain.kind() === 'ipv4' ? plain.toString() : plain.toByteArray().slice(0, 8).join('.');
}
