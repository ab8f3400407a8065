/**
 * Splits a cluster 2 : 1. Each node and its NATS server are in a network of their own (`test/helpers/networks.ts`), and
 * the network of the node that publishes is cut off. This node refuses writes from the first one on and reads before they
 * are too old, and stops leading by its own clock. The others go on, and nothing is doubled.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { askStatus } from '../../src/journal/cluster.ts';
import type { Journal } from '../../src/journal/connect.ts';
import { Elections } from '../helpers/cluster/elections.ts';
import {
  endStage,
  leadSeconds,
  nextItemMs,
  prepareStage,
  progress,
  publishingNode,
  type Stage,
  seconds,
} from '../helpers/cluster-faults.ts';
import { isLong, noCluster, rounds } from '../helpers/cluster-options.ts';
import { assertLoad } from '../helpers/load-check.ts';
import { Networks, noNetworks } from '../helpers/networks.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Maximum time until the cut-off node refuses reads, and until the others lead its partitions, in milliseconds. */
const [refusedMs, takeOverMs] = [20_000, (leadSeconds + 5) * 1000];
/** A lead stops beginning things this long after it was cut off, in milliseconds: 3 s before the end of its lease. */
const leadsMs = (leadSeconds - 3) * 1000;
/** Maximum time until the others lead after an election of the servers that took longer than usual, in milliseconds. */
const electedMs = 5000;
/** The deadline of the journal (9 s), and time for the answer, in milliseconds. */
const writeMs = 12_000;

test('a node that is cut off serves nothing old, and the others take over', {
  skip: noCluster || noNetworks(),
}, async (t) => {
  const networks = Networks.make(t, 3);
  const stage = await prepareStage(t, { places: networks.places, receiverHost: networks.test });
  const all = rounds(1, 5);
  for (let round = 1; round <= all; round += 1)
    await t.test(`split ${round} of ${all}`, (each) => split(each, stage, networks));
  assertLoad((await endStage(t, stage)).faults);
});

/** Cuts off the node that publishes, together with the server that leads the stream of the partition. */
async function split(t: TestContext, stage: Stage, networks: Networks): Promise<void> {
  const { nats, nodes, load } = stage;
  const victim = await publishingNode(stage);
  await nats.lead(load.partition, victim);
  const journal = await nats.connect(victim);
  const elections = new Elections(await nats.connect((victim + 1) % 3), [load.partition]);
  networks.cut(victim);
  const begun = performance.now();
  try {
    const [writes, readsMs, leadMs, itemMs] = await Promise.all([
      refusedWrites(stage, victim),
      refusedReadsMs(stage, victim),
      endOfLeadMs(journal, nodes.at(victim).env.TIDINGS_NODE as string),
      nextItemMs(stage),
    ]);
    const electionMs = elections.since(begun, load.partition);
    progress(
      t,
      `the node refused writes (${writes.map(({ status, ms }) => `${status} after ${seconds(ms)}`).join(', ')}) and, after ${seconds(readsMs)}, reads; it stopped leading after ${seconds(leadMs)}; effects went on after ${seconds(itemMs)} (election ${seconds(electionMs)})`,
    );
    for (const { status, ms } of writes) {
      assert.ok(status >= 500, `a write got ${status}`);
      assert.ok(ms <= writeMs, `a write was refused after ${ms} ms`);
    }
    assert.ok(readsMs <= refusedMs, `reads were answered for ${readsMs} ms`);
    assert.ok(leadMs <= leadsMs, `the node led for ${leadMs} ms`);
    const maxMs = Math.max(isLong ? takeOverMs : 2 * takeOverMs, electionMs + electedMs);
    assert.ok(itemMs <= maxMs, `no item for ${itemMs} ms`);
  } finally {
    networks.mend(victim);
  }
  await nats.healed();
  await nodes.sound();
  progress(t, `the split lasted ${seconds(performance.now() - begun)} until everything was healed`);
}

/** Sends a delivery and a command to a node at once. Returns the statuses, and how long the answers took. */
function refusedWrites({ nodes }: Stage, i: number): Promise<{ status: number; ms: number }[]> {
  const node = nodes.at(i);
  const begun = performance.now();
  const writes = [
    node.deliver('pull_request', pullPayload(999)),
    node.api('POST', '/api/keys', { name: 'made while cut off', org: 'acme', scopes: ['repos:read'] }),
  ];
  return Promise.all(writes.map(async (write) => ({ status: (await write).status, ms: performance.now() - begun })));
}

async function refusedReadsMs({ nodes, load }: Stage, i: number): Promise<number> {
  const begun = performance.now();
  // The contract of the API has no 503: a node that cannot serve answers 500 with `Retry-After`.
  await waitUntil('the node refuses reads', async () => (await nodes.at(i).api('GET', load.draftPath)).status === 500);
  return performance.now() - begun;
}

/** Asks a node through its own server until it leads nothing. Returns when it was asked last while it led. */
async function endOfLeadMs(journal: Journal, node: string): Promise<number> {
  const begun = performance.now();
  let ledAt = begun;
  await waitUntil('the node leads nothing', async () => {
    const askedAt = performance.now();
    const answers = (await askStatus(journal)).filter((answer) => answer.node === node);
    const leads = answers.some((answer) => answer.from === 'worker' && answer.partitions.some(({ leads }) => leads));
    if (leads) ledAt = askedAt;
    return answers.some(({ from }) => from === 'worker') && !leads;
  });
  return ledAt - begun;
}
