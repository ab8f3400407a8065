/**
 * Tests that a revoked key stops on all nodes of a cluster: at once where the revocation can arrive, and within twenty
 * seconds on a node that is cut off from the NATS servers.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Cut } from '../helpers/cluster/cut.ts';
import { cellsOf, printTable, showProgress, spreadOf } from '../helpers/cluster/figures.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import type { TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const [maxMs, maxIsolatedMs] = [1000, 20_000];
const all = [0, 1, 2];
const isolated = 2;

/** A key, and the time at which its revocation was confirmed. */
interface Revoked {
  key: string;
  at: number;
}

test('a revoked key is refused on every node', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const cut = await Cut.start(
    t,
    nats.indexes.map((i) => nats.url(i)),
  );
  const urls = nats.indexes.map((i) => nats.url(i));
  const nodes = await Nodes.start(t, nats, {}, { urlsOf: (i) => (i === isolated ? cut.urls : urls) });

  await t.test('nodes that are connected refuse it at once', async (each) => {
    const took: number[] = [];
    const all = rounds(5, 100);
    for (let round = 0; round < all; round += 1) {
      const by = round % 3;
      const { key, at } = await revoke(nodes, await newKey(nodes, by), by);
      const others = nodes.live.filter((i) => i !== by);
      assert.equal(await ask(nodes.at(by), key), 401, 'the node that revoked it refuses it before its reply');
      took.push(...(await Promise.all(others.map((i) => refusedAfter(nodes.at(i), key, at)))));
      if (round % 20 === 19) showProgress(`revocation ${round + 1} of ${all}`);
    }
    print(each, 'connected', took);
    if (isLong) assert.ok(Math.max(...took) <= maxMs, `after ${Math.max(...took).toFixed(0)} ms`);
  });

  await t.test('an isolated node refuses it when its state is too old', async (each) => {
    const took: number[] = [];
    const all = rounds(1, 5);
    for (let round = 0; round < all; round += 1) {
      const made = await newKey(nodes, 0);
      cut.cut();
      const { key, at } = await revoke(nodes, made, 0);
      assert.equal(await ask(nodes.at(isolated), key), 200, 'the node cannot know of the revocation yet');
      took.push(await refusedAfter(nodes.at(isolated), key, at));
      assert.notEqual(await ask(nodes.at(isolated), nodes.at(isolated).adminKey), 200, 'it serves no other key either');
      // The request is repeated until the node has caught up. Then it knows the reason.
      cut.join();
      await waitUntil('the node knows that the key is revoked', async () => {
        const status = await ask(nodes.at(isolated), key);
        assert.notEqual(status, 200);
        return status === 401;
      });
      await nodes.at(isolated).ready();
      showProgress(`isolation ${round + 1} of ${all}: ${(took.at(-1) as number).toFixed(0)} ms`);
    }
    print(each, 'isolated', took);
    // The node asks by itself how current it is, so this time does not depend on the load of the machine.
    if (isLong) assert.ok(Math.max(...took) <= maxIsolatedMs, `after ${Math.max(...took).toFixed(0)} ms`);
  });

  await nodes.settled();
  await nodes.assertEqual();
});

function print(t: TestContext, what: string, took: readonly number[]): void {
  printTable(t, [
    ['node', 'revocations', 'p50 ms', 'p99 ms', 'max ms'],
    [what, ...cellsOf(spreadOf(took))],
  ]);
}

/** Makes a key on one node, and waits until all nodes accept it. */
async function newKey(nodes: Nodes, by: number): Promise<{ id: string; key: string }> {
  const body = { name: 'a key', scopes: ['*'], instance: true };
  const made = await nodes.at(by).api('POST', '/api/keys', body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  for (const i of all) {
    const accepts = async () => (await ask(nodes.at(i), made.body.key)) === 200;
    await waitUntil(`node ${i} accepts the key`, accepts);
  }
  return made.body;
}

async function revoke(nodes: Nodes, { id, key }: { id: string; key: string }, by: number): Promise<Revoked> {
  const { status, body } = await nodes.at(by).api('DELETE', `/api/keys/${id}`);
  assert.equal(status, 200, JSON.stringify(body));
  return { key, at: performance.now() };
}

async function ask(node: TestService, key: string): Promise<number> {
  return (await node.api('GET', '/api/repos', undefined, key)).status;
}

/** Returns how long after its revocation a node still accepted a key, in milliseconds. Later it never accepts it again. */
async function refusedAfter(node: TestService, key: string, at: number): Promise<number> {
  const after = await waitUntil('the key is refused', async () => {
    const status = await ask(node, key);
    return status !== 200 && performance.now() - at;
  });
  for (let i = 0; i < 3; i += 1) {
    assert.notEqual(await ask(node, key), 200);
    await pause(5);
  }
  return after;
}
