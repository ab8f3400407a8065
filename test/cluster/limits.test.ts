/**
 * Tests limits over the nodes of a cluster: they are exact whichever node gets a request. When the node that counts for a
 * key dies, each other node grants at most the limit once.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { homeAmong, weighed } from '../../src/cluster/rendezvous.ts';
import { instanceUsage } from '../../src/store/tables/usage.ts';
import { printTable, showProgress } from '../helpers/cluster/figures.ts';
import { Nodes } from '../helpers/cluster-nodes.ts';
import { noCluster, rounds } from '../helpers/cluster-options.ts';
import { startCluster } from '../helpers/nats-cluster.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { type Answer, read } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const perMinute = 100;
const asked = 400;
const webhooksPerMinute = 20;
/** Each minute of the ingestion limit, another delivery is due every three seconds. */
const webhookMs = 60_000 / webhooksPerMinute;
const deliveries = 60;
/**
 * Requests that are sent at once, in the first attempt and in later ones. On a busy machine, a node may not answer in time,
 * and another one counts alone. Then it is tried again with fewer.
 */
const widths = [400, 200, 100, 50, 25, 12, 6, 3];

test('limits hold over the nodes of a cluster', { skip: noCluster }, async (t) => {
  const nats = await startCluster(t);
  const nodes = await Nodes.start(t, nats, {
    TIDINGS_LIMIT_API_PER_MINUTE: String(perMinute),
    TIDINGS_LIMIT_API_ORG_FACTOR: '0',
    TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: String(webhooksPerMinute),
  });

  await t.test('exactly 100 of 400 requests pass, whichever node gets them', async (each) => {
    const rows = [['requests', 'at once', 'passed', 'counted alone']];
    for (let round = 0; round < rounds(1, 20); round += 1) {
      await untilNoneAlone(nodes, async (width) => {
        const key = await newKey(nodes);
        const replies = await askAll(nodes, key, asked - nodes.live.length, width);
        for (const { status, headers } of replies) {
          assert.ok(status === 200 || status === 429, `status ${status}`);
          assert.equal(headers.get('x-ratelimit-limit'), String(perMinute));
        }
        const passed = nodes.live.length + passedOf(replies);
        return (alone) => {
          rows.push([String(asked), String(width), String(passed), String(alone)]);
          assert.ok(passed >= perMinute && passed <= perMinute * 3, `${passed} requests passed`);
          if (alone === 0) assert.equal(passed, perMinute);
        };
      });
    }
    printTable(each, rows);
  });

  await t.test('the ingestion limit holds over all nodes', async (each) => {
    const rows = [['deliveries', 'not delayed', 'counted alone']];
    let owner = 0;
    for (let round = 0; round < rounds(1, 20); round += 1) {
      await untilNoneAlone(nodes, async (width) => {
        owner += 1;
        const before = await sumOf(nodes, 'tidings_webhooks_delayed_total');
        const begun = performance.now();
        await deliverAll(nodes, owner, width);
        // A place that becomes free while the deliveries arrive is used.
        const more = Math.ceil((performance.now() - begun) / webhookMs);
        const atOnce = deliveries - ((await sumOf(nodes, 'tidings_webhooks_delayed_total')) - before);
        return (alone) => {
          rows.push([String(deliveries), String(atOnce), String(alone)]);
          assert.ok(atOnce >= webhooksPerMinute, `${atOnce} deliveries were accepted at once`);
          if (alone === 0) assert.ok(atOnce <= webhooksPerMinute + more, `${atOnce} deliveries were accepted at once`);
        };
      });
    }
    printTable(each, rows);
  });

  await t.test('at most 300 requests pass when the node that counts dies', async (each) => {
    const rows = [['before the death', 'at once', 'after it was noticed', 'counted alone']];
    for (let round = 0; round < rounds(1, 10); round += 1) {
      rows.push(await grantedOverDeath(t, nodes));
      showProgress(`death ${round + 1} of ${rounds(1, 10)}`);
    }
    printTable(each, rows);
  });

  await nodes.settled();
  await nodes.assertEqual();
});

/** Kills the node that counts for a key, and asks the others. Returns how many requests passed. */
async function grantedOverDeath(t: TestContext, nodes: Nodes): Promise<string[]> {
  const home = homeAmong(weighed(['a-0', 'b-0', 'c-0']), instanceUsage) as string;
  const victim = nodes.indexOf(home.charAt(0));
  const [key, other] = [await newKey(nodes), await newKey(nodes)];
  const before = nodes.live.length + passedOf(await askAll(nodes, key, perMinute / 2));
  await nodes.kill(victim);
  const alone = await countedAlone(nodes);
  const atOnce = passedOf(await askAll(nodes, key, asked));
  const passed = before + atOnce;
  assert.ok((await countedAlone(nodes)) > alone, `node ${victim} was the home of the key`);
  // Then one of the others counts for the key.
  await homesAnswer(nodes, other);
  const after = passedOf(await askAll(nodes, key, asked));
  assert.ok(passed + after >= perMinute && passed + after <= 3 * perMinute, `${passed} and ${after} requests passed`);
  const counted = await countedAlone(nodes);
  await nodes.restart(t, victim);
  return [before, atOnce, after, counted - alone].map(String);
}

/**
 * Repeats an attempt until no node had to count alone.
 * @param attempt gets the number of requests to send at once, and returns the checks of the attempt, which get the number
 *   of requests that were counted alone
 */
async function untilNoneAlone(
  nodes: Nodes,
  attempt: (width: number) => Promise<(alone: number) => void>,
): Promise<void> {
  for (const width of widths) {
    const before = await countedAlone(nodes);
    const check = await attempt(width);
    const alone = (await countedAlone(nodes)) - before;
    check(alone);
    if (alone === 0) return;
    await homesAnswer(nodes, await newKey(nodes));
  }
  assert.fail('in each attempt, a node did not answer in time');
}

/** Waits until no node counts requests with a key alone. A node that was silent is asked again after some seconds. */
async function homesAnswer(nodes: Nodes, key: string): Promise<void> {
  await waitUntil('the nodes answer each other', async () => {
    const before = await countedAlone(nodes);
    await askAll(nodes, key, nodes.live.length);
    return (await countedAlone(nodes)) === before;
  });
}

/** Makes an instance key, and waits until all nodes accept it. This takes one request per node from its minute. */
async function newKey(nodes: Nodes): Promise<string> {
  const [first] = nodes.live as [number];
  const made = await nodes.at(first).api('POST', '/api/keys', { name: 'a key', scopes: ['*'], instance: true });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { key } = made.body;
  const after = { 'tidings-after': made.headers.get('tidings-position') ?? '' };
  for (const i of nodes.live) assert.equal((await ask(nodes, i, key, after)).status, 200);
  return key;
}

/** Sends requests, `width` at once, spread evenly over the live nodes. */
function askAll(nodes: Nodes, key: string, count: number, width = count): Promise<Answer[]> {
  const { live } = nodes;
  return inParallel(count, width, (nth) => ask(nodes, live[nth % live.length] as number, key));
}

/** Does something `count` times, `width` at once. */
async function inParallel<T>(count: number, width: number, act: (nth: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) results.push(await act(next++));
  };
  await Promise.all(Array.from({ length: Math.min(count, width) }, worker));
  return results;
}

async function ask(nodes: Nodes, i: number, key: string, more: Record<string, string> = {}): Promise<Answer> {
  return read(await fetch(`${nodes.at(i).url}/api/repos`, { headers: { authorization: `Bearer ${key}`, ...more } }));
}

function passedOf(replies: readonly Answer[]): number {
  return replies.filter(({ status }) => status === 200).length;
}

/** Sends the deliveries of one organization, `width` at once, spread evenly over the nodes. */
async function deliverAll(nodes: Nodes, owner: number, width: number): Promise<void> {
  const login = `owner${owner}`;
  const repository = {
    id: 900 + owner,
    full_name: `${login}/base`,
    owner: { login, id: 90_000 + owner, type: 'Organization' },
  };
  const replies = await inParallel(deliveries, width, (nth) =>
    nodes.at(nth % nodes.services.length).deliver('pull_request', pullPayload(nth + 1, {}, repository)),
  );
  for (const { status } of replies) assert.equal(status, 202);
}

/** Number of requests and deliveries that a node has counted because another one did not answer. */
function countedAlone(nodes: Nodes): Promise<number> {
  return sumOf(nodes, 'tidings_limits_local_total');
}

async function sumOf(nodes: Nodes, metric: string): Promise<number> {
  const values = await Promise.all(nodes.live.map((i) => nodes.at(i).metric(metric)));
  return values.reduce((sum, value) => sum + value, 0);
}
