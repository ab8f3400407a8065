/**
 * Limits the sign-ins of a client, whether they succeed or fail. A client is an IPv4 address, or an IPv6 network of the
 * size /64. If a proxy does not state the client, all clients of the proxy count together, with a higher maximum. The
 * counts are in memory, and their number has a maximum. With several gateways, the home of a
 * client counts its sign-ins.
 */
import { type Homes, soleHome } from '../cluster/homes.ts';
import { ServiceError } from '../foundation/errors.ts';
import { ClientAddress, contains, toBlockList } from '../http/client-address.ts';
import { clientKey } from '../http/client-key.ts';

const windowMs = 60_000;
/** Maximum number of sign-ins per client in a window. */
export const signInsPerMinute = 5;
/**
 * Maximum number of sign-ins in a window of all clients that a proxy hides. It is higher, so that one of them does not
 * easily keep the others from signing in.
 */
export const hiddenSignInsPerMinute = 60;
/** Maximum number of clients whose sign-ins are counted. At the maximum, the client that was added first is removed. */
const maxClients = 10_000;

export class SignInLimit {
  private readonly addresses: ClientAddress;
  private readonly isProxy: (address: string) => boolean;
  /** Times of the sign-ins of the last minute per client, oldest first. */
  private readonly clients = new Map<string, number[]>();
  private readonly homes: Homes;
  private readonly countAtHome: (
    client: string,
    question: { client: string; most: number },
  ) => number | Promise<number>;

  /** @param trustedProxies addresses and networks whose X-Forwarded-For header is trusted */
  constructor(trustedProxies: readonly string[], homes = soleHome) {
    this.homes = homes;
    this.countAtHome = homes.at('sign-in', ({ client, most }: { client: string; most: number }) =>
      this.count(client, most, performance.now()),
    );
    this.addresses = new ClientAddress(trustedProxies);
    const proxies = toBlockList(trustedProxies);
    this.isProxy = (address) => contains(proxies, address);
  }

  /**
   * Counts a sign-in. A refused one is not counted.
   * @param peer the address of the connection
   * @param forwarded the X-Forwarded-For header
   * @param now milliseconds of a monotonic clock
   * @returns a promise only if another gateway counts the sign-in
   * @throws ServiceError `rateLimited` with the seconds to wait
   */
  take(peer: string, forwarded: string | undefined, now: number): Promise<void> | undefined {
    const address = this.addresses.of(peer, forwarded?.split(',').map(withoutPort).join());
    // The header of a proxy that is not trusted is not believed, but it shows that the address is not the client's.
    const isHidden = address === undefined || (address === peer && (forwarded !== undefined || this.isProxy(peer)));
    const most = isHidden ? hiddenSignInsPerMinute : signInsPerMinute;
    const client = `${clientKey(address ?? peer, 64)}${isHidden ? ' hidden' : ''}`;
    const wait = this.homes.isSole ? this.count(client, most, now) : this.countAtHome(client, { client, most });
    if (wait instanceof Promise) return wait.then((later) => assertNoWait(later, most, isHidden));
    assertNoWait(wait, most, isHidden);
    return undefined;
  }

  /** Counts a sign-in. Returns 0, or how long to wait if the maximum is reached, in milliseconds. */
  private count(client: string, most: number, now: number): number {
    const recent = (this.clients.get(client) ?? []).filter((time) => time > now - windowMs);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= most) return Math.max(1, oldest + windowMs - now);
    const first = this.clients.size >= maxClients ? this.clients.keys().next().value : undefined;
    if (first !== undefined && !this.clients.has(client)) this.clients.delete(first);
    this.clients.set(client, [...recent, now]);
    return 0;
  }

  /** Removes clients without a sign-in in the last minute. */
  sweep(now: number): void {
    for (const [client, times] of this.clients) {
      if ((times.at(-1) ?? 0) <= now - windowMs) this.clients.delete(client);
    }
  }
}

/** @throws ServiceError `rateLimited` */
function assertNoWait(waitMs: number, most: number, isHidden: boolean): void {
  if (waitMs === 0) return;
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
  const whose = isHidden
    ? 'A proxy hides the client (see TIDINGS_TRUSTED_PROXIES), so all its clients together may'
    : 'A client may';
  const message = `${whose} sign in ${most} times per minute. Wait ${retryAfter} seconds.`;
  throw new ServiceError('rateLimited', message, { retryAfter });
}

/**
 * Some proxies add the port of the client: `8.8.8.8:1234`, `[2001:db8::1]:1234`. The list of allowed senders refuses
 * such an entry, but a limit must not count all clients of the proxy as one.
 */
function withoutPort(hop: string): string {
  const match = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i.exec(hop.trim());
  return match?.[1] ?? match?.[2] ?? hop;
}
