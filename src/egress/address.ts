/**
 * Which addresses requests may go to: public unicast ones, and the networks that the settings allow besides. It judges
 * addresses only; names are resolved, and connections made, by others.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { platformNetworks } from './platform-networks.ts';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/** IPv6 addresses that anybody has been given; whatever lies outside is special or not given out yet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const platforms = platformNetworks.map(toNetwork);

/** How an address is judged: in a network of the settings, public, or neither. */
export type Verdict = 'allowed' | 'public' | 'refused';

export class AddressRule {
  private readonly networks: readonly Network[];

  /**
   * @param allow addresses and networks in CIDR form
   * @throws Error when one of them cannot be read
   */
  constructor(allow: readonly string[]) {
    this.networks = allow.map(toNetwork);
  }

  /** @param address an IPv4 or IPv6 address, without brackets; what is none is refused */
  judge(address: string): Verdict {
    // A zone (fe80::1%eth0) names an interface of this machine: nothing public has one.
    if (isIP(address) === 0 || address.includes('%')) return 'refused';
    // An IPv4 address in IPv6 clothes is the IPv4 address.
    const plain = ipaddr.process(address);
    if (this.networks.some((network) => contains(network, plain))) return 'allowed';
    return isPublic(plain) ? 'public' : 'refused';
  }
}

/**
 * Whether an address is reachable by anyone. Addresses of the special-purpose registries are not: private, loopback,
 * link-local, translated, tunnelled. Neither are those that a cloud answers for its own machines.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (platforms.some((network) => contains(network, address))) return false;
  return address.kind() === 'ipv4' || contains(globalUnicast, address);
}

function contains(network: Network, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return network[0].kind() === address.kind() && address.match(network);
}

function toNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}
