/**
 * Tests the comparison of nodes: which differences refuse a start, what the messages advise, and that secrets can be
 * rotated node by node.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  clusterFile,
  differenceMessage,
  differences,
  instanceFault,
  makeIdentity,
  requireClusterId,
} from '../../../src/cluster/identity.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import type { Instance } from '../../../src/journal/instance.ts';
import type { Identity } from '../../../src/protocol/identity.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const secrets = { sealingKeys: [first], webhookSecrets: ['a secret of webhooks'], adminKey: 'rn_live_x' };

function identity(changes: Partial<typeof secrets> = {}, shape = {}, key = first): Identity {
  const common = { cluster: 'c1', partitions: 4, ...shape };
  return makeIdentity(common, createSealer(key), { ...secrets, ...changes });
}

const partsOf = (own: Identity, other: Identity) => differences(own, other, 'node b').map(({ part }) => part);

test('nodes with equal secrets match', () => {
  assert.deepEqual(differences(identity(), identity(), 'node b'), []);
});

test('each kind of difference is named, without a secret or a fingerprint', () => {
  const cases: [Identity, string, RegExp][] = [
    [identity({}, { cluster: 'c2' }), 'cluster', /this data directory belongs to cluster c1, node b to cluster c2/],
    [identity({}, { partitions: 8 }), 'partitions', /node b has 8, this node has 4/],
    [identity({ sealingKeys: [second] }, {}, second), 'digestKey', /Copy the files sealing-key and digest-key/],
    [identity({ sealingKeys: [second] }), 'sealingKeys', /node b does not know the key that this node uses/],
    [identity({ webhookSecrets: ['another secret'] }), 'webhookSecrets', /TIDINGS_WEBHOOK_SECRETS/],
    [identity({ adminKey: 'rn_live_y' }), 'adminKey', /Copy the file admin-key/],
  ];
  for (const [other, part, words] of cases) {
    const found = differences(identity(), other, 'node b');
    assert.deepEqual(
      found.map((each) => each.part),
      [part],
    );
    const message = differenceMessage(found, 'node b');
    assert.match(message, words);
    for (const hidden of ['a secret of', 'another secret', 'rn_live', ...other.webhookSecrets, other.adminKey])
      assert.ok(!message.includes(hidden), hidden);
  }
});

test('a fingerprint depends on a key that those who see it do not have', () => {
  const [one, other] = [identity(), identity({}, {}, second)];
  assert.notEqual(one.webhookSecrets[0], other.webhookSecrets[0]);
  assert.notEqual(one.adminKey, other.adminKey);
});

test('a sealing key is rotated node by node if each node knows it before one uses it', () => {
  const [before, prepared, changed, after] = [[first], [first, second], [second, first], [second]].map((sealingKeys) =>
    identity({ sealingKeys }),
  ) as [Identity, Identity, Identity, Identity];
  for (const [own, other] of [
    [prepared, before],
    [changed, prepared],
    [after, changed],
  ] as const) {
    assert.deepEqual([...partsOf(own, other), ...partsOf(other, own)], []);
  }
  assert.match(differences(changed, before, 'node b')[0]?.text ?? '', /node b does not know the key that this node/);
  assert.match(differences(before, changed, 'node b')[0]?.text ?? '', /this node does not know the key that node b/);
  assert.deepEqual(partsOf(identity({ sealingKeys: [second, third] }), after), []);
});

test('a webhook secret is rotated node by node if two nodes always have one in common', () => {
  const of = (...webhookSecrets: string[]) => identity({ webhookSecrets });
  assert.deepEqual(partsOf(of('new secret', 'old secret'), of('old secret')), []);
  assert.deepEqual(partsOf(of('new secret'), of('new secret', 'old secret')), []);
  assert.deepEqual(partsOf(of('new secret'), of('old secret')), ['webhookSecrets']);
});

test('instances run together only as nodes of one cluster with different names', () => {
  const node = (name: string, shape = {}): Instance => ({
    dataDir: `/srv/${name}`,
    node: name,
    identity: identity({}, shape),
  });
  const alone: Instance = { dataDir: '/srv/alone', node: undefined, identity: undefined };
  assert.equal(instanceFault(node('a'), node('b')), undefined);
  assert.match(
    instanceFault(alone, alone) ?? '',
    /Another Tidings instance.*data directory \/srv\/alone.*TIDINGS_NATS_URL/,
  );
  assert.match(instanceFault(alone, node('b')) ?? '', /cluster uses.*node b.*TIDINGS_NODE is not set.*cluster join/);
  assert.match(instanceFault(node('a'), alone) ?? '', /not a node of a cluster.*\/srv\/alone.*cluster init/);
  assert.match(instanceFault(node('a'), node('a')) ?? '', /Another node with the name a is running/);
  assert.match(instanceFault(node('a'), node('a', { cluster: 'c2' })) ?? '', /node a to cluster c2/);
  assert.match(instanceFault(node('a'), node('b', { partitions: 5 })) ?? '', /does not match node b.*\n.*node b has 5/);
});

test('a name of a node and a data directory of a cluster belong together', (t) => {
  const dataDir = temporaryFolder(t);
  assert.equal(requireClusterId({ node: '', dataDir }), undefined);
  assert.throws(() => requireClusterId({ node: 'a', dataDir }), /belongs to no cluster.*cluster init.*cluster join/);
  writeFileSync(clusterFile(dataDir), '{"cluster":"c1"}\n');
  assert.equal(requireClusterId({ node: 'a', dataDir }), 'c1');
  assert.throws(() => requireClusterId({ node: '', dataDir }), /TIDINGS_NODE is not set.*cluster\.json/);
  for (const text of ['', '{}', '{"cluster":""}', 'null']) {
    writeFileSync(clusterFile(dataDir), text);
    assert.throws(() => requireClusterId({ node: 'a', dataDir }), /does not contain the id of a cluster/);
  }
});
