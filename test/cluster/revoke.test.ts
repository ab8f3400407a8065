/**
 * Tests that a revoked key stops on all nodes of a cluster: at once where the revocation can arrive, and within twenty
 * seconds on a node that is cut off from the NATS servers.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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
      const known = (i: number) => async () => (await ask(nodes.at(i), key)) === 401;
      took.push(...(await Promise.all(others.map((i) => acceptedFor(nodes.at(i), key, known(i), at)))));
      if (round % 20 === 19) showProgress(`revocation ${round + 1} of ${all}`);
    }
    print(each, 'by a connected node', took);
    if (isLong) assert.ok(Math.max(...took) <= maxMs, `after ${Math.max(...took).toFixed(0)} ms`);
  });

  // Each round takes more than twenty seconds. `test/e2e/positions.test.ts` covers a node whose fold stands still.
  const isolations = rounds(0, 5);
  const only = isolations === 0 && 'only in the long form: --long or --rounds=N';
  await t.test('an isolated node refuses it when its state is too old', { skip: only }, async (each) => {
    const took: number[] = [];
    for (let round = 0; round < isolations; round += 1) {
      const made = await newKey(nodes, 0);
      cut.cut();
      const { key, at } = await revoke(nodes, made, 0);
      assert.equal(await ask(nodes.at(isolated), key), 200, 'the node cannot know of the revocation yet');
      took.push(await acceptedFor(nodes.at(isolated), key, () => performance.now() > at + maxIsolatedMs, at));
      cut.join();
      const known = async () => (await ask(nodes.at(isolated), key)) === 401;
      assert.equal(await acceptedFor(nodes.at(isolated), key, known, at), 0, 'a state this old is never served');
      await nodes.at(isolated).ready();
      showProgress(`isolation ${round + 1} of ${isolations}: ${(took.at(-1) as number).toFixed(0)} ms`);
    }
    print(each, 'by an isolated node', took);
    if (isLong) assert.ok(Math.max(...took) <= maxIsolatedMs, `after ${Math.max(...took).toFixed(0)} ms`);
  });

  await nodes.settled();
  await nodes.assertEqual();
});

function print(t: TestContext, what: string, took: readonly number[]): void {
  printTable(t, [
    ['accepted until', 'count', 'p50 ms', 'p99 ms', 'max ms'],
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

/**
 * Sends requests until `isOver`. Returns how long after its revocation a key was accepted for the last time, in
 * milliseconds; 0 if it was not accepted.
 */
async function acceptedFor(
  node: TestService,
  key: string,
  isOver: () => boolean | Promise<boolean>,
  at: number,
): Promise<number> {
  let last = 0;
  await waitUntil('the time is over', async () => {
    if ((await ask(node, key)) === 200) last = performance.now() - at;
    return isOver();
  });
  return last;
}
