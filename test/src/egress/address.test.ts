/**
 * The judgement of addresses: every special network of the registries, in every spelling, and the networks of the settings.
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

test('takes public addresses', () => {
  const rule = new AddressRule([]);
  for (const address of ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1', '::ffff:8.8.8.8'])
    assert.equal(rule.judge(address), 'public', address);
});

test('takes what the settings allow, in any spelling, and nothing beside it', () => {
  const rule = new AddressRule(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', '::ffff:7f00:1', 'fd12::1'])
    assert.equal(rule.judge(address), 'allowed', address);
  for (const address of ['10.2.0.1', '127.0.0.2', '::1', 'fc00::1', '64:ff9b::7f00:1'])
    assert.equal(rule.judge(address), 'refused', address);
});

test('tells from the text what cannot be a target', () => {
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

test('takes plain http where a setting allows it', () => {
  assert.equal(targetFault('http://8.8.8.8/', { allow: [], allowHttp: true }), undefined);
  assert.equal(targetFault('http://127.0.0.1/', { allow: ['127.0.0.0/8'], allowHttp: false }), undefined);
  assert.match(targetFault('http://8.8.8.8/', { allow: ['127.0.0.0/8'], allowHttp: false }) ?? '', /plain http/);
  // Where the name lies is told when it is resolved.
  assert.equal(targetFault('http://receiver.internal/', { allow: ['127.0.0.0/8'], allowHttp: false }), undefined);
});
