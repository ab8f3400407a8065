/**
 * Lists networks that look public but are not: they exist inside one cloud only, or were returned to the registry. The
 * library's ranges cover the special-purpose registries of IANA; these networks are in no such registry.
 */

/** In CIDR form. Metadata addresses in link-local, shared and unique local networks need no entry here. */
export const platformNetworks: readonly string[] = [
  // Azure: platform services of every virtual machine (wire server, DNS, health probes, machine configuration).
  '168.63.129.16/32',
  // Google Cloud: restricted and private access to its APIs, routed inside a virtual network only.
  '199.36.153.4/30',
  '199.36.153.8/30',
  '2600:2d00:2:1000::/64',
  // IBM Cloud: infrastructure services (DNS, mirrors, time) and private service endpoints of its machines.
  '161.26.0.0/16',
  '166.8.0.0/14',
  // The former 6bone (RFC 3701), returned and reserved.
  '3ffe::/16',
];
