/**
 * cluster-accept: measures the rate and the processor time of signed deliveries of three nodes on a cluster of three
 * nats-servers, against those of one node on one nats-server. All of them share this machine and its disk. So the
 * figures are about the cost of replication. They are not about what three machines accept.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deliveryBytes, poolSize } from '../deliveries.ts';
import { answerFaults, cpuOf, othersShare, ratio } from '../figures.ts';
import { foldFaults, waitUntilFolded } from '../folded.ts';
import { clusterServer, type NatsServers, startNatsServers } from '../nats-servers.ts';
import { acknowledgedIn, serviceTarget, startDeliveries, subjectsOf } from '../receivers.ts';
import { runRounds, sendWith, type Target } from '../rounds.ts';
import type { BenchContext, Figure, Measured, Scenario, Subject } from '../scenario.ts';
import { type BenchService, liftedLimits, secret, startBenchService, withoutSettings } from '../service.ts';

const connections = 256;
const nodeNames = ['a', 'b', 'c'];
const origin = 'https://github.com';
/** The loads of the cluster: all connections are spread over its gateways, or all go to one of them. */
const [spread, throughGateway] = ['three nodes', 'one of three nodes'];
/** A raw publish to three servers on one disk has a third of the rate of a publish to one. */
const [minRate, minPerCoreSecond] = [0.3, 0.8];
const run = promisify(execFile);

export const clusterAccept: Scenario = {
  name: 'cluster-accept',
  question:
    'How much slower do three nodes with three copies accept deliveries than one node, on the same cores and disk?',
  run: async (context) => [await measure(context)],
};

async function measure(context: BenchContext): Promise<Measured> {
  const server = await clusterServer();
  if ('missing' in server) return nothing(server.missing);
  const single = await startNatsServers(context, server.path, 1);
  const env = { TIDINGS_NATS_URL: single.urls.join(',') };
  const one = await startBenchService(context, origin, { env });
  const servers = await startNatsServers(context, server.path, 3);
  const nodes = await startNodes(context, servers);
  const { load, run: loadRun } = await startDeliveries(context, one.secret, { repeats: true });
  const target = serviceTarget(one, loadRun);
  const alone: Target = { ...target, name: 'one node', pids: { ...target.pids, ...single.pids } };
  const urls = nodes.map(({ url }) => url);
  const cluster: Target = {
    ...{ name: spread, durability: 'fsync on two of three servers before each reply', url: '', urls },
    pids: { ...servers.pids, ...pidsOf(nodes) },
    settle: async ({ acknowledged }) => {
      for (const node of nodes) await waitUntilFolded(node, loadRun, acknowledged);
    },
  };
  const throughOne: Target = { ...cluster, name: throughGateway, urls: urls.slice(0, 1) };
  const targets = [alone, cluster, throughOne];
  const results = await runRounds('cluster-accept', targets, sendWith(load, { connections }), context, load.pid);
  await load.stop();
  const faults = results.flatMap((each) => answerFaults(each.target.name, each.all, 202));
  const [ofOne = [], ...ofCluster] = results.map(({ all }) => acknowledgedIn(all));
  const stores = [
    { service: one, acknowledged: ofOne },
    ...nodes.map((service) => ({ service, acknowledged: ofCluster.flat() })),
  ];
  let checked = 0;
  for (const { service, acknowledged } of stores) {
    const found = await foldFaults(service, [{ run: loadRun, acknowledged }]);
    faults.push(...found.faults);
    checked += found.checked;
  }
  const subjects = subjectsOf(results, true).map(withNodesTogether);
  const [first] = subjects as [Subject];
  return {
    load: `${connections} connections over all nodes, ${poolSize.toLocaleString('en-GB')} repeating bodies, ${(deliveryBytes() / 1000).toFixed(1)} KB each`,
    connections,
    subjects,
    figures: subjects.slice(1).flatMap((each) => figuresOf(each, first)),
    othersShare: othersShare(results.flatMap(({ runs }) => runs)),
    faults,
    notes: [
      `All nats-servers are ${server.version} and call fsync before each acknowledgement. One node has one server and one copy of each stream, three nodes have three of both.`,
      `${checked} deliveries with a 202 reply were looked up, those of the cluster on each node.`,
    ],
  };
}

/**
 * The rate is judged with all gateways. The processor time of a gateway is judged with one: three gateways have three sets
 * of lanes, so each gets smaller batches, as several gateways of one node do.
 */
function figuresOf(subject: Subject, one: Subject): Figure[] {
  const rate = (subject.perSecond?.median ?? 0) / (one.perSecond?.median ?? 1);
  const perCoreSecond = (one.cpu.gateway ?? 0) / (subject.cpu.gateway ?? 1);
  const isSpread = subject.name === spread;
  return [
    ratio(`rate of ${subject.name}, of one node`, rate, isSpread ? { line: { atLeast: minRate } } : {}),
    ratio(
      `deliveries per core-second of the gateways with ${subject.name}, of one node`,
      perCoreSecond,
      isSpread ? {} : { line: { atLeast: minPerCoreSecond } },
    ),
    ratio(`processor time per delivery with ${subject.name}, of one node`, cpuOf(subject) / cpuOf(one)),
  ];
}

/** Makes a cluster of three nodes. Each node connects to another server first. */
async function startNodes(context: BenchContext, { urls }: NatsServers): Promise<BenchService[]> {
  const nodes: BenchService[] = [];
  for (const [i, node] of nodeNames.entries()) {
    const dataDir = mkdtempSync(join(context.folder, 'tidings-bench-node-'));
    context.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const env = {
      TIDINGS_NODE: node,
      TIDINGS_NATS_URL: urls.map((_, step) => urls[(i + step) % urls.length]).join(','),
      TIDINGS_JOURNAL_REPLICAS: '3',
      TIDINGS_ACK_DEADLINE_MS: '9000',
    };
    const [first] = nodes;
    const token = first && /^Made a token.*: (\/.*)$/m.exec(await command(context, first.env, 'init'))?.[1];
    const settings = { ...liftedLimits, TIDINGS_WEBHOOK_SECRETS: secret, TIDINGS_DATA_DIR: dataDir, ...env };
    await command(context, settings, ...(token === undefined ? ['init'] : ['join', '--token', token]));
    nodes.push(await startBenchService(context, origin, { env, dataDir }));
  }
  return nodes;
}

/** Runs a command about the cluster, and returns its output. */
async function command(
  { serviceFolder }: BenchContext,
  env: Record<string, string>,
  ...args: string[]
): Promise<string> {
  const folder =
    serviceFolder === undefined ? fileURLToPath(new URL('../../../', import.meta.url)) : resolve(serviceFolder);
  const program = join(folder, 'dist/src/main.js');
  return (await run(process.execPath, [program, 'cluster', ...args], { env: { ...withoutSettings(), ...env } })).stdout;
}

/** Returns the process ids of all nodes, each with the name of its node. */
function pidsOf(nodes: readonly BenchService[]): Record<string, number> {
  const named = nodes.flatMap(({ pids }, i) =>
    Object.entries(pids).map(([name, pid]) => [`${name} ${nodeNames[i]}`, pid]),
  );
  return Object.fromEntries(named);
}

/** Adds up the processor times of equal processes of all nodes, and of all nats-servers. */
function withNodesTogether(subject: Subject): Subject {
  const cpu: Record<string, number> = {};
  for (const [name, time] of Object.entries(subject.cpu)) {
    const [process = name] = /^[a-z-]+/.exec(name) ?? [];
    cpu[process] = (cpu[process] ?? 0) + time;
  }
  return { ...subject, cpu };
}

/** The results on a machine without a nats-server for clusters. */
function nothing(reason: string): Measured {
  const none = { subjects: [], figures: [], faults: [] };
  return { load: 'none', connections: null, ...none, othersShare: 0, notes: [`Nothing was measured: ${reason}.`] };
}
