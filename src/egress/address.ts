/**
 * Decides to which IP addresses the service may send requests: to public unicast addresses, and to networks that the
 * settings allow. Callers resolve names and make connections.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { platformNetworks } from './platform-networks.ts';

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * The IPv6 addresses that registries assign for public use. All other IPv6 addresses are special or not assigned yet.
 */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const platforms = platformNetworks.map(toNetwork);

/**
 * The verdict on an address.
 * - `allowed`: the address is in a network of the settings.
 * - `public`: the address is public.
 * - `refused`: the address is neither public nor in a network of the settings.
 */
export type Verdict = 'allowed' | 'public' | 'refused';

export class AddressRule {
  private readonly networks: readonly Network[];

  /**
   * @param allow addresses and networks in CIDR form
   * @throws Error when one of these addresses or networks is not valid
   */
  constructor(allow: readonly string[]) {
    this.networks = allow.map(toNetwork);
  }

  /** @param address an IPv4 or IPv6 address, without brackets. The verdict on any other text is `refused`. */
  judge(address: string): Verdict {
    // A zone (`eth0` in `fe80::1%eth0`) names an interface of this machine. Public addresses have no zone.
    if (isIP(address) === 0 || address.includes('%')) return 'refused';
    // An IPv4-mapped IPv6 address (::ffff:10.0.0.1) gets the verdict of the IPv4 address that it contains.
    const plain = ipaddr.process(address);
    if (this.networks.some((network) => contains(network, plain))) return 'allowed';
    return isPublic(plain) ? 'public' : 'refused';
  }
}

/**
 * Whether an address is publicly reachable. Addresses of the special-purpose registries are not public. Examples are
 * private, loopback, link-local, translated and tunneled addresses. Addresses that exist only within one cloud are not
 * public either.
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
