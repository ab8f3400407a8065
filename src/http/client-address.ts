/**
 * Finds the address of the client behind trusted proxies. Addresses that a client itself writes into X-Forwarded-For
 * are ignored.
 */
import { BlockList, isIP } from 'node:net';

export class ClientAddress {
  private readonly proxies: BlockList;

  /** @param trustedProxies addresses and networks in CIDR form */
  constructor(trustedProxies: readonly string[]) {
    this.proxies = toBlockList(trustedProxies);
  }

  /**
   * Starts at the connection and follows the proxies back to the client. Returns the first address that does not belong
   * to a trusted proxy. Example: `peer` is 10.0.0.1, the header is `9.9.9.9, 8.8.8.8`, and 10.0.0.0/8 is trusted. The
   * result is 8.8.8.8.
   * @param peer the address of the connection
   * @param forwarded the X-Forwarded-For header
   * @returns undefined when a trusted proxy has added a header entry that is not an address
   */
  of(peer: string, forwarded = ''): string | undefined {
    let source = peer;
    const hops = forwarded.split(',');
    while (contains(this.proxies, source)) {
      const hop = hops.pop()?.trim();
      if (hop === undefined || hop === '') return source;
      if (isIP(hop) === 0) return undefined;
      source = hop;
    }
    return source;
  }
}

/** Converts addresses and networks in CIDR form to a `BlockList`, which looks up addresses fast. */
export function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** Whether an address is on the list. An IPv4-mapped IPv6 address counts as the IPv4 address that it contains. */
export function contains(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
