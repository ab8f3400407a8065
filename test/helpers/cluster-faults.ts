/**
 * Runs faults on a cluster of three nodes and three NATS servers under load. Afterwards nothing that was acknowledged may
 * be lost or doubled, all nodes must have the same bytes, and no node may have reported a difference.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { afterwards } from './cleanup.ts';
import type { LoadReport } from './cluster-load.ts';
import { ClusterLoad } from './cluster-load.ts';
import { Nodes } from './cluster-nodes.ts';
import { isLong, noCluster, rounds } from './cluster-options.ts';
import { assertLoad } from './load-check.ts';
import { type NatsCluster, startCluster } from './nats-cluster.ts';
import type { Place } from './places.ts';
import { type OfficeChat, startOfficeChat } from './receivers/office-chat.ts';
import { waitUntil } from './wait-until.ts';

/** A cluster under load. */
export interface Stage {
  /** The test that ends the cluster. Nodes that are started again end with it. */
  readonly t: TestContext;
  readonly nats: NatsCluster;
  readonly nodes: Nodes;
  readonly load: ClusterLoad;
  readonly chat: OfficeChat;
}

/** One kind of fault. */
export interface Fault {
  /** What the service does during the fault, for the title of the test. */
  title: string;
  /** Deliveries per second in the long form. */
  perSecond: number;
  /** What the long form with all its rounds must have acknowledged, and how long its reads may take (99 %). */
  long?: { deliveries: number; readMs: number };
  /** Causes the fault once or several times, and asserts what must hold meanwhile. */
  run(t: TestContext, stage: Stage): Promise<void>;
}

/** How a stage is set up. Everything is optional. */
export interface StageOptions {
  /** Deliveries per second. */
  perSecond?: number;
  /** The main program of another build. */
  program?: string;
  /** Where the nodes and the servers run. */
  places?: readonly Place[];
  /** Address on which the receiver listens. */
  receiverHost?: string;
  publishers?: number;
}

/** The lease of a lead in seconds. The short form has the shortest one that is allowed. */
export const leadSeconds = isLong ? 15 : 12;
/** Deliveries per second in the short form. */
const shortPerSecond = 30;

/** Time in which an item that was sent arrives, in milliseconds. */
const onWayMs = 300;

/** Registers a test that causes faults on one cluster, one after another. */
export function testFaults(name: string, faults: readonly Fault[]): void {
  test(name, { skip: noCluster }, async (t) => {
    const perSecond = isLong ? Math.max(...faults.map(({ perSecond }) => perSecond)) : shortPerSecond;
    const stage = await prepareStage(t, { perSecond });
    let isSound = true;
    for (const fault of faults) {
      await t.test(fault.title, async (each) => {
        assert.ok(isSound, 'the cluster has failed before');
        isSound = false;
        await fault.run(each, stage);
        isSound = true;
      });
    }
    assert.ok(isSound);
    const report = await endStage(t, stage);
    assertLoad(report.faults);
    // Only the long form runs alone, so only there are times comparable.
    for (const { long } of isLong ? faults : []) {
      if (!long) continue;
      assert.ok((report.reads?.p99 ?? 0) < long.readMs, `reads took ${report.reads?.p99} ms (99 %)`);
      if (rounds(0, 20) >= 20) assert.ok(report.deliveries >= long.deliveries, `${report.deliveries} deliveries`);
    }
  });
}

/** Starts a cluster and puts it under load. */
export async function prepareStage(t: TestContext, options: StageOptions = {}): Promise<Stage> {
  const { perSecond = shortPerSecond, program, places = [], receiverHost = '127.0.0.1', publishers = 1 } = options;
  const nats = await startCluster(t, { places });
  const settings = {
    TIDINGS_EGRESS_ALLOW: receiverHost,
    TIDINGS_EGRESS_ALLOW_HTTP: 'true',
    TIDINGS_LEAD_SECONDS: String(leadSeconds),
  };
  const nodes = await Nodes.start(t, nats, settings, { places, ...(program && { program }) });
  const chat = await startOfficeChat(t, receiverHost);
  const load = new ClusterLoad(nodes, chat);
  await load.prepare({ publishers });
  load.begin(perSecond);
  // After a failed test, the load must not keep the process alive.
  afterwards(t, () => load.end());
  return { t, nats, nodes, load, chat };
}

/** Ends the load, checks that all nodes are equal, and reports what was found. */
export async function endStage(t: TestContext, { nodes, load }: Stage): Promise<LoadReport> {
  await load.end();
  await nodes.settled();
  const report = await load.find();
  for (const line of linesOf(report)) t.diagnostic(line);
  assert.equal(report.stale, 0, 'no read is older than asked for');
  await nodes.assertEqual();
  for (const service of nodes.services) assert.equal(await service.metric('tidings_replica_diverged'), 0);
  return report;
}

/** Returns the node that publishes: the lead of the repository's partition. */
export async function publishingNode({ nodes, load }: Stage): Promise<number> {
  const [lead] = await waitUntil('the partition has a lead', async () => {
    const { partitions } = await nodes.report();
    const leads = partitions.find(({ name }) => name === load.partition)?.leads ?? [];
    return leads.length === 1 && leads;
  });
  return nodes.indexOf(lead as string);
}

/** Waits for the next item at the receiver, and returns how long it took, in milliseconds. */
export async function nextItemMs({ load }: Stage): Promise<number> {
  const begun = performance.now();
  // An item that was sent before the fault can still be on its way.
  await pause(onWayMs);
  const { items } = load;
  await waitUntil('the receiver gets another item', () => load.items > items, 60_000);
  return performance.now() - begun;
}

/** Reports a step. The long form shows it at once, because the test runner shows diagnostics only at the end of a test. */
export function progress(t: TestContext, text: string): void {
  t.diagnostic(text);
  if (isLong) process.stderr.write(`  ${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/** Formats milliseconds such as 1.3 s. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** Returns the middle one of some values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function linesOf({ faults, reads, ...report }: LoadReport): string[] {
  const rows: [string, string | number][] = [
    ['deliveries acknowledged', report.deliveries],
    ['answers of 500 or above', report.refused],
    ['never acknowledged', report.failed],
    ['lost', faults.lost.length],
    ['folded twice', faults.foldedTwice.length],
    ['publications', report.publications],
    ['doubled', faults.doubled.length],
    ['outcome unknown', report.unknown],
    ['longest time without an item', seconds(report.longestGapMs)],
    ['reads that asked for a position', report.asked],
    ['of these, older than asked for', report.stale],
  ];
  if (reads) {
    const { p50, p99, max } = reads;
    rows.push(['other reads', reads.reads], ['of these, not answered with 200', reads.refused]);
    rows.push(['times of reads', `p50 ${p50} ms, p99 ${p99} ms, maximum ${max} ms`]);
  }
  return rows.map(([what, value]) => `${what.padEnd(34)} ${value}`);
}
