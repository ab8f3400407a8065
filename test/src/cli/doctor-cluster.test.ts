/** Tests the findings of `tidings doctor` about a node of several machines. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import {
  checkMembership,
  describeClock,
  describeIdentity,
  describeNodes,
  describeReplicas,
  describeServers,
} from '../../../src/cli/doctor-cluster.ts';
import type { ClusterReport } from '../../../src/cluster/status.ts';
import type { ServerAnswer, StreamReplicas } from '../../../src/journal/servers.ts';
import type { Identity } from '../../../src/protocol/identity.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const natsUrl = 'nats://127.0.0.1:1,nats://127.0.0.1:2,nats://127.0.0.1:3';

const server = (i: number, more: object = {}): ServerAnswer => ({
  ...{ address: `nats-${i}:4222`, name: `nats-${i}`, version: '2.15.2', cluster: 'tidings', isOld: false },
  ...more,
});
const silent = (i: number): ServerAnswer => ({ address: `nats-${i}:4222`, fault: 'CONNECTION_REFUSED' });

const follower = (name: string, more: object = {}) => ({
  name,
  current: true,
  offline: false,
  active: 1,
  lag: 0,
  ...more,
});
const stream = (partition: string, more: Partial<StreamReplicas> = {}): StreamReplicas => ({
  ...{ partition, replicas: 3, leader: 'nats-1', followers: [follower('nats-2'), follower('nats-3')] },
  ...more,
});

test('the settings and the data directory of a node belong to one cluster', (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const settings = (node: string) =>
    loadSettings({ TIDINGS_NODE: node, TIDINGS_DATA_DIR: dataDir, ...(node && { TIDINGS_NATS_URL: natsUrl }) });
  assert.deepEqual(checkMembership(settings('')), [], 'one machine has no finding');
  const [missing] = checkMembership(settings('a'));
  assert.equal(missing?.verdict, 'fault');
  assert.match(missing?.text ?? '', /belongs to no cluster\. Run "tidings cluster init" on the first machine, or/);
  mkdirSync(dataDir);
  writeFileSync(join(dataDir, 'cluster.json'), '{"cluster": "01abc"}\n');
  assert.deepEqual(checkMembership(settings('a')), [
    { verdict: 'ok', text: 'this machine is node a of cluster 01abc' },
  ]);
  assert.match(checkMembership(settings(''))[0]?.text ?? '', /belongs to a cluster, but TIDINGS_NODE is not set/);
  writeFileSync(join(dataDir, 'cluster.json'), 'damaged');
  assert.match(checkMembership(settings('a'))[0]?.text ?? '', /does not contain the id of a cluster\. Restore it/);
  rmSync(dataDir, { recursive: true });
});

test('each NATS server is named, and too few are a fault of their own', () => {
  assert.deepEqual(describeServers([server(1)], true), [
    { verdict: 'ok', text: 'NATS server nats-1:4222 answers: nats-1, version 2.15.2' },
  ]);
  const one = describeServers([server(1), server(2), silent(3)], true);
  assert.deepEqual(
    one.map(({ verdict }) => verdict),
    ['ok', 'ok', 'fault'],
  );
  assert.equal(
    one[2]?.text,
    'NATS server nats-3:4222 does not answer: CONNECTION_REFUSED. Start it, or remove it from TIDINGS_NATS_URL',
  );
  const two = describeServers([server(1), silent(2), silent(3)], true);
  assert.match(two[3]?.text ?? '', /^this machine reaches 1 of 3 NATS servers\. .* no record is accepted until 2 run$/);
  assert.equal(
    describeServers([silent(1), silent(2), silent(3)], true).length,
    3,
    'the doctor says itself that none answers',
  );
});

test('a NATS server of another cluster, or one that is too old, is a fault', () => {
  const other = describeServers([server(1), server(2, { cluster: '' })], true);
  assert.match(other[1]?.text ?? '', /It belongs to no cluster, and other servers of TIDINGS_NATS_URL do not/);
  const old = server(1, { version: '2.10.27', isOld: true });
  assert.match(describeServers([old], true)[0]?.text ?? '', /several machines need version 2\.12 or later$/);
  assert.equal(describeServers([old], false)[0]?.verdict, 'ok', 'one machine may use it');
});

test('streams with few copies, copies that are behind, and servers that are offline are faults', () => {
  assert.deepEqual(describeReplicas([stream('directory'), stream('p00')], 3), [
    { verdict: 'ok', text: 'all 2 streams have 3 copies, and all are current' },
  ]);
  const alone = { replicas: 1, followers: [] };
  assert.deepEqual(describeReplicas([stream('directory'), stream('p00', alone)], 3), [
    {
      verdict: 'fault',
      text: 'stream of p00 has 1 copy, expected 3 (TIDINGS_JOURNAL_REPLICAS). Run: nats stream edit TIDINGS_P00 --replicas 3',
    },
  ]);
  assert.equal(describeReplicas([stream('directory', alone)], 1)[0]?.verdict, 'note');
  const late = { followers: [follower('nats-2', { current: false, lag: 7 }), follower('nats-3')] };
  assert.deepEqual(describeReplicas([stream('directory', late), stream('p00'), stream('p01', late)], 3), [
    {
      verdict: 'fault',
      text: 'NATS server nats-2 is behind with its copies of directory, p01. Stop no other server until it has caught up',
    },
  ]);
  const off = { followers: [follower('nats-2'), follower('nats-3', { current: true, offline: true })] };
  assert.deepEqual(
    describeReplicas([stream('directory', off)], 3).map(({ text }) => text),
    ['NATS server nats-3 is offline: its copies of directory are missing'],
  );
  assert.match(describeReplicas([stream('p00', { leader: '' })], 3)[0]?.text ?? '', /^stream of p00 has no leader/);
});

test('nodes that answer are named, and faults of the cluster are faults', () => {
  const node = (name: string) => ({
    ...{ node: name, version: '1.0.0', foldVersion: 1, ready: true, waitingFor: [], clockOffsetMs: 0, leads: 1 },
  });
  const report = (nodes: string[], faults: string[] = [], notes: string[] = []): ClusterReport => ({
    ...{ nodes: nodes.map(node), partitions: [], faults, notes },
  });
  assert.deepEqual(describeNodes(report(['a', 'b']), 'a'), [{ verdict: 'ok', text: 'nodes that answer: a, b' }]);
  assert.deepEqual(describeNodes(report(['a'], ['p00 has no lead'], ['run upgrade']), 'a'), [
    { verdict: 'note', text: 'nodes that answer: a. No other node was heard' },
    { verdict: 'fault', text: 'p00 has no lead' },
    { verdict: 'note', text: 'run upgrade' },
  ]);
  const off = describeNodes(report(['b', 'c']), 'a');
  assert.match(off[0]?.text ?? '', /^node a does not answer: the service does not run on this machine$/);
  const all = describeNodes(report([], ['p00 has no lead']), 'a');
  assert.deepEqual(
    all.map(({ verdict }) => verdict),
    ['note', 'note', 'note'],
    'a cluster that is stopped has no fault',
  );
});

test('a node whose keys are not those of the others is a fault', () => {
  const own: Identity = {
    ...{ cluster: '01abc', partitions: 2, digestKey: 'd', sealingKeys: ['s'], webhookSecrets: ['w'], adminKey: 'a' },
  };
  const other = (node: string | undefined, more: Partial<Identity> = {}) => ({
    ...{ dataDir: '/x', node, identity: { ...own, ...more } },
  });
  assert.deepEqual(describeIdentity(own, [other('a'), other('b')], 'a'), [
    { verdict: 'ok', text: 'keys and number of partitions are those of the other nodes' },
  ]);
  const [fault] = describeIdentity(own, [other('a'), other('b', { webhookSecrets: ['another'] })], 'a');
  assert.equal(fault?.verdict, 'fault');
  assert.match(fault?.text ?? '', /^this node differs in the webhook secret: this node and node b have none in common/);
  assert.deepEqual(describeIdentity(own, [other('a', { adminKey: 'x' })], 'a'), [], 'alone, nothing can be compared');
  assert.deepEqual(describeIdentity(undefined, [other('b')], 'a'), []);
});

test('a clock that is off is a fault', () => {
  assert.deepEqual(
    [0, 2, -2].map((offset) => describeClock(offset).verdict),
    ['ok', 'ok', 'ok'],
  );
  assert.deepEqual(describeClock(-2.1), {
    verdict: 'fault',
    text: 'clock is 2.1 seconds behind the clock of the NATS server: check its NTP service',
  });
  assert.match(describeClock(31).text, /31\.0 seconds ahead of .*: a node is not ready beyond 30 seconds/);
});
