/**
 * Tests which addresses are refused: those of every special network in IANA's registries, in every spelling. Also
 * tests which of these addresses the settings can allow.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AddressRule } from '../../../src/egress/address.ts';
import { targetFault } from '../../../src/egress/target.ts';

const special = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.0.9', '169.254.169.254', '172.16.0.1'],
  ...['172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1', '198.19.255.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  ...['::', '::1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::ffff:0:7f00:1'],
  ...['64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::1', 'fe80::1', 'fe80::1%eth0', '2606:4700::1%lo', 'febf::1'],
  ...['fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '2002:7f00:1::', '2001:0:1::', '2001:db8::1', '2001:2::1'],
  ...['100::1', '5f00::1', '3fff::1', '2001:20::1', '4000::1', 'e000::1', '', 'example.org', '1.2.3', '1.2.3.4.5'],
];

test('refuses every special network', () => {
  const rule = new AddressRule([]);
  assert.deepEqual(
    special.filter((address) => rule.judge(address) !== 'refused'),
    [],
  );
});

/** The entries of IANA's special-purpose registries for IPv4 and IPv6, each with its first and last address. */
const registries: Record<string, [first: string, last: string]> = {
  '0.0.0.0/8': ['0.0.0.0', '0.255.255.255'],
  '10.0.0.0/8': ['10.0.0.0', '10.255.255.255'],
  '100.64.0.0/10': ['100.64.0.0', '100.127.255.255'],
  '127.0.0.0/8': ['127.0.0.0', '127.255.255.255'],
  '169.254.0.0/16': ['169.254.0.0', '169.254.255.255'],
  '172.16.0.0/12': ['172.16.0.0', '172.31.255.255'],
  '192.0.0.0/24': ['192.0.0.0', '192.0.0.255'],
  '192.0.0.8/32': ['192.0.0.8', '192.0.0.8'],
  '192.0.0.9/32': ['192.0.0.9', '192.0.0.9'],
  '192.0.0.10/32': ['192.0.0.10', '192.0.0.10'],
  '192.0.0.170/31': ['192.0.0.170', '192.0.0.171'],
  '192.0.2.0/24': ['192.0.2.0', '192.0.2.255'],
  '192.31.196.0/24': ['192.31.196.0', '192.31.196.255'],
  '192.52.193.0/24': ['192.52.193.0', '192.52.193.255'],
  '192.88.99.0/24': ['192.88.99.0', '192.88.99.255'],
  '192.168.0.0/16': ['192.168.0.0', '192.168.255.255'],
  '192.175.48.0/24': ['192.175.48.0', '192.175.48.255'],
  '198.18.0.0/15': ['198.18.0.0', '198.19.255.255'],
  '198.51.100.0/24': ['198.51.100.0', '198.51.100.255'],
  '203.0.113.0/24': ['203.0.113.0', '203.0.113.255'],
  '224.0.0.0/4': ['224.0.0.0', '239.255.255.255'],
  '240.0.0.0/4': ['240.0.0.0', '255.255.255.254'],
  '255.255.255.255/32': ['255.255.255.255', '255.255.255.255'],
  '::/96, IPv4-compatible': ['::', '::ffff:ffff'],
  '64:ff9b::/96': ['64:ff9b::', '64:ff9b::ffff:ffff'],
  '64:ff9b:1::/48': ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  '100::/64': ['100::', '100::ffff:ffff:ffff:ffff'],
  '100:0:0:1::/64': ['100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
  '2001::/32': ['2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:1::1/128 to 3': ['2001:1::1', '2001:1::3'],
  '2001:2::/48': ['2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  '2001:3::/32': ['2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:4:112::/48': ['2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  '2001:10::/28': ['2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:20::/28': ['2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:30::/28': ['2001:30::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001::/23': ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2001:db8::/32': ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2002::/16': ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '2620:4f:8000::/48': ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  '3fff::/20': ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  '5f00::/16': ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fc00::/7': ['fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'fe80::/10': ['fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'ff00::/8': ['ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
};

test('refuses the first and the last address of every entry of the special-purpose registries', () => {
  const rule = new AddressRule([]);
  for (const [network, ends] of Object.entries(registries))
    for (const address of ends) assert.equal(rule.judge(address), 'refused', `${address} of ${network}`);
});

/**
 * Addresses that only machines within a cloud can reach, by cloud platform. The lists include IPv6 tunnels to these
 * addresses.
 */
const platforms: Record<string, readonly string[]> = {
  'Azure wire server': ['168.63.129.16', '::ffff:168.63.129.16', '::ffff:a83f:8110', '2002:a83f:8110::1'],
  'Azure wire server, translated': ['64:ff9b::a83f:8110', '64:ff9b:1::a83f:8110'],
  'metadata of most clouds': ['169.254.169.254', '169.254.170.2', '169.254.0.23', '169.254.42.42'],
  'metadata of Alibaba Cloud': ['100.100.100.200'],
  'metadata of Oracle Cloud': ['192.0.0.192'],
  'metadata of AWS, Google and Scaleway over IPv6': ['fd00:ec2::254', 'fd20:ce::254', 'fd00:42::42'],
  'private access to Google APIs': ['199.36.153.4', '199.36.153.11', '2600:2d00:2:1000::1'],
  'services of IBM Cloud': ['161.26.0.10', '166.8.0.1', '166.11.255.255'],
  'the former 6bone': ['3ffe::1'],
};

test('refuses addresses that only machines of a cloud reach, and accepts their neighbors', () => {
  const rule = new AddressRule([]);
  for (const [what, addresses] of Object.entries(platforms))
    for (const address of addresses) assert.equal(rule.judge(address), 'refused', `${address}: ${what}`);
  for (const address of ['168.63.129.15', '168.63.129.17', '199.36.153.3', '199.36.153.12', '161.27.0.1', '166.12.0.1'])
    assert.equal(rule.judge(address), 'public', address);
  assert.match(targetFault('https://168.63.129.16/', { allow: [], allowHttp: false }) ?? 'taken', /public address/);
});

test('accepts an address of a cloud that the settings allow', () => {
  const rule = new AddressRule(['168.63.129.16', '3ffe::/16']);
  assert.equal(rule.judge('168.63.129.16'), 'allowed');
  assert.equal(rule.judge('::ffff:168.63.129.16'), 'allowed');
  assert.equal(rule.judge('3ffe::1'), 'allowed');
  assert.equal(rule.judge('161.26.0.10'), 'refused');
});

test('accepts public addresses', () => {
  const rule = new AddressRule([]);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'])
    assert.equal(rule.judge(address), 'public', address);
});

test('accepts only addresses that the settings allow, in any spelling', () => {
  const rule = new AddressRule(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', '::ffff:7f00:1', 'fd12::1'])
    assert.equal(rule.judge(address), 'allowed', address);
  for (const address of ['10.2.0.1', '127.0.0.2', '::1', 'fc00::1', '64:ff9b::7f00:1'])
    assert.equal(rule.judge(address), 'refused', address);
});

test('refuses invalid targets by their text', () => {
  const strict = { allow: [], allowHttp: false };
  const faults: [string, RegExp][] = [
    ['example.org', /absolute/],
    ['ftp://example.org/', /https:/],
    ['http://example.org/', /plain http/],
    ['https://user@example.org/', /user name/],
    ['https://:secret@example.org/', /user name/],
    [`https://example.org/${'x'.repeat(2048)}`, /2048/],
  ];
  const spellings = ['2130706433', '0177.0.0.1', '0x7f.1', '127.1', '127.0.0.1.', '[::ffff:127.0.0.1]', '[::1]'];
  for (const host of [...spellings, '0', '169.254.169.254', '%31%32%37.0.0.1', '①②⑦.0.0.1'])
    faults.push([`https://${host}/`, /public address/]);
  for (const [url, expected] of faults) assert.match(targetFault(url, strict) ?? 'taken', expected, url);
  assert.equal(targetFault('https://example.org:8443/a?b=c', strict), undefined);
  assert.equal(targetFault('https://8.8.8.8/', strict), undefined);
});

test('accepts plain http when a setting allows it', () => {
  assert.equal(targetFault('http://8.8.8.8/', { allow: [], allowHttp: true }), undefined);
  assert.equal(targetFault('http://127.0.0.1/', { allow: ['127.0.0.0/8'], allowHttp: false }), undefined);
  assert.match(targetFault('http://8.8.8.8/', { allow: ['127.0.0.0/8'], allowHttp: false }) ?? '', /plain http/);
  // With these settings, the check accepts every host name. The address of a host name is checked later, when the name
  // is resolved.
  assert.equal(targetFault('http://receiver.internal/', { allow: ['127.0.0.0/8'], allowHttp: false }), undefined);
});
