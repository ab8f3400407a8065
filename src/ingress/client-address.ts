/**
 * Tells the address of the client behind trusted proxies. Text that a client itself writes into X-Forwarded-For does not count.
 */
import { BlockList, isIP } from 'node:net';

export class ClientAddress {
  private readonly proxies: BlockList;

  /** @param trustedProxies addresses and networks in CIDR form */
  constructor(trustedProxies: readonly string[]) {
    this.proxies = toBlockList(trustedProxies);
  }

  /**
   * The last address that is not a trusted proxy's, from the connection backwards.
   * @param peer the address of the connection
   * @param forwarded the X-Forwarded-For header
   * @returns undefined when a trusted proxy names something that is not an address
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

/** Addresses and networks in CIDR form as a list to look in. */
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

/** Whether an address is on the list. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function contains(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
