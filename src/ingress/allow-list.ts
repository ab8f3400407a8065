/**
 * Which addresses webhooks may come from (spec part 5). Behind a proxy the address is the one that the nearest trusted hop
 * has seen; what a client itself writes into X-Forwarded-For is not believed.
 */
import { BlockList, isIP } from 'node:net';

/** The settings of the list: addresses and networks in CIDR form. */
export interface AllowListSettings {
  webhookAllow: readonly string[];
  trustedProxies: readonly string[];
}

export class AllowList {
  private readonly allowed: BlockList | undefined;
  private readonly proxies: BlockList;

  /** An empty list allows every address. */
  constructor({ webhookAllow, trustedProxies }: AllowListSettings) {
    this.allowed = webhookAllow.length > 0 ? toBlockList(webhookAllow) : undefined;
    this.proxies = toBlockList(trustedProxies);
  }

  /**
   * Whether a request is taken.
   * @param peer the address of the connection; asked for only when there is a list
   * @param forwarded the X-Forwarded-For header
   */
  admits(peer: () => string, forwarded: string | undefined): boolean {
    if (!this.allowed) return true;
    const source = this.sourceOf(peer(), forwarded);
    return source !== undefined && contains(this.allowed, source);
  }

  /** The last address that is no trusted proxy's, from the connection backwards; undefined for one that is none. */
  private sourceOf(peer: string, forwarded = ''): string | undefined {
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

function toBlockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** An IPv4 address in IPv6 clothes is the IPv4 address. */
function contains(list: BlockList, address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
