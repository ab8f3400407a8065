/**
 * Lists networks that look public but are not: networks that exist inside one cloud only, and networks that were
 * returned to the registry. The address ranges of the library `ipaddr.js` cover only IANA's special-purpose registries.
 * Those registries do not contain the networks in this list.
 */

/**
 * The networks in CIDR form. Metadata addresses in link-local, shared and unique local networks need no entry, because
 * these networks are never public.
 */
export const platformNetworks: readonly string[] = [
  // Azure: platform services of every virtual machine (wire server, DNS, health probes, machine configuration).
  '168.63.129.16/32',
  // Google Cloud: restricted and private access to Google's APIs, routed only inside virtual networks.
  '199.36.153.4/30',
  '199.36.153.8/30',
  '2600:2d00:2:1000::/64',
  // IBM Cloud: infrastructure services (DNS, mirrors, time) and private endpoints of cloud services.
  '161.26.0.0/16',
  '166.8.0.0/14',
  // The former 6bone network (RFC 3701), which was returned and is now reserved.
  '3ffe::/16',
];
