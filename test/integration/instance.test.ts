/**
 * Tests on a real nats-server which instances may use one journal, and which servers and streams a node of a cluster
 * accepts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceFault } from '../../src/cluster/identity.ts';
import { askInstances, claimInstance, type Instance } from '../../src/journal/instance.ts';
import { instanceSubject } from '../../src/journal/subjects.ts';
import { atLeast, ensureStream, requireClusterServer, requirePartitions } from '../../src/journal/topology.ts';
import type { Identity } from '../../src/protocol/identity.ts';
import { startNats } from '../helpers/journal.ts';
import { feed } from '../helpers/partition-owner.ts';
import { smallRecord, streamBytes } from '../helpers/partition-stream.ts';

const identity: Identity = {
  ...{ cluster: 'c1', partitions: 2, digestKey: 'd' },
  ...{ sealingKeys: ['s'], webhookSecrets: ['w'], adminKey: 'k' },
};
const alone =
  (dataDir: string): (() => Instance) =>
  () => ({ dataDir, node: undefined, identity: undefined });
const node = (name: string, more: Partial<Identity> = {}): (() => Instance) => {
  return () => ({ dataDir: `/srv/${name}`, node: name, identity: { ...identity, ...more } });
};

test('one instance alone, or several nodes of one cluster, may use a journal', async (t) => {
  const nats = await startNats(t);
  const claim = async (self: () => Instance) => {
    const journal = await nats.connect();
    await claimInstance(journal, self, instanceFault);
    return journal;
  };
  const first = await claim(alone('/srv/one'));
  await assert.rejects(claim(alone('/srv/two')), /Another Tidings instance uses this NATS server.*\/srv\/one/);
  await assert.rejects(claim(node('a')), /not a node of a cluster.*\/srv\/one/);
  await first.close();

  await claim(node('a'));
  await claim(node('b'));
  await assert.rejects(claim(alone('/srv/two')), /A cluster uses these NATS servers.*TIDINGS_NODE is not set/);
  await assert.rejects(claim(node('b')), /Another node with the name b is running/);
  await assert.rejects(claim(node('c', { webhookSecrets: ['x'] })), /the webhook secret/);
  const listed = await askInstances(await nats.connect());
  assert.deepEqual(listed.map((instance) => instance.node).sort(), ['a', 'b']);
});

test('of two nodes with one name that start at the same time, both do not run', async (t) => {
  const nats = await startNats(t);
  const starts = await Promise.allSettled(
    [1, 2].map(async () => claimInstance(await nats.connect(), node('a'), instanceFault)),
  );
  assert.ok(starts.some(({ status }) => status === 'rejected'));
});

test('an instance of an earlier version, which answers with its data directory, is refused', async (t) => {
  const nats = await startNats(t);
  const former = await nats.connect();
  former.connection.subscribe(instanceSubject, { callback: (_, message) => void message.respond('/srv/former') });
  await former.connection.flush();
  const refused = /\/srv\/former/;
  await assert.rejects(claimInstance(await nats.connect(), alone('/srv/two'), instanceFault), refused);
  await assert.rejects(claimInstance(await nats.connect(), node('a'), instanceFault), refused);
});

test('a node refuses streams of another number of partitions, but not its own streams that are missing', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const check = (count: number, stored: readonly string[] = []) =>
    requirePartitions(journal, count, (name) => stored.includes(name));
  await check(2);
  for (const name of ['directory', 'p00']) await ensureStream(journal, name, streamBytes);
  await check(2);
  await feed(journal).enqueue(smallRecord('one'));
  await assert.rejects(check(2), /have streams of 1 partitions, but this node has 2 partitions/);
  await check(2, ['p00', 'p01']);
  await ensureStream(journal, 'p01', streamBytes);
  await check(2);
  await assert.rejects(check(1), /have the stream TIDINGS_P01.*more partitions than the 1 partition of this node/);
});

test('a node refuses a server that is too old for a cluster', async (t) => {
  const nats = await startNats(t);
  const journal = await nats.connect();
  const version = journal.connection.info?.version ?? '';
  const check = () => requireClusterServer(journal);
  if (atLeast(version, [2, 12, 0])) check();
  else assert.throws(check, /has version 2\.\d+\.\d+: several machines need nats-server 2\.12\.0 or later/);
  const old = { connection: { info: { version: '2.11.9' } } } as typeof journal;
  assert.throws(() => requireClusterServer(old), /version 2\.11\.9/);
});
