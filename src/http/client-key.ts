/** Makes the key under which a limit counts a client. */
import ipaddr from 'ipaddr.js';

/**
 * Returns the key under which a limit counts a client: its IPv4 address, or its IPv6 network, because one client can use
 * any address of its network. A text that is not an address is returned unchanged.
 * @param bits length of the network's prefix: 64 for one local network, 48 for all that a provider gives a customer
 */
export function clientKey(address: string, bits: 48 | 64): string {
  if (!ipaddr.isValid(address)) return address;
  const plain = ipaddr.process(address);
  if (plain.kind() === 'ipv4') return plain.toString();
  const network = plain.toByteArray().slice(0, bits / 8);
  return network.join('.');
}
