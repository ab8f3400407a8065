/**
 * Starts Tidings on several nodes of one NATS cluster. Each node is the real service with a data directory of its own, as
 * on a machine of its own. Tests kill, suspend and restart single nodes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ClusterReport } from '../../src/cluster/status.ts';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { assertEqualStores } from './equal-stores.ts';
import { tokenIn } from './machines.ts';
import type { NatsCluster } from './nats-cluster.ts';
import { loopback, type Place } from './places.ts';
import { temporaryFolder } from './ports.ts';
import { type ServiceOptions, startService, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** Number of repository partitions of the nodes. */
const partitions = 2;
const names = ['a', 'b', 'c', 'd'];
const atStart = 3;

/** Where nodes differ from those of the other tests. */
export interface NodesOptions {
  /** Returns the addresses of NATS servers that a node knows. By default, each node knows all servers. */
  urlsOf?: (i: number) => readonly string[];
  /** The main program of another build, which the nodes run. */
  program?: string;
  /** Where each node runs; on loopback by default. */
  places?: readonly Place[];
}

/** A node that has just started or continued is not expected to answer quickly for this time, in milliseconds. */
const warmUpMs = 10_000;

export class Nodes {
  /** The services by index. A node that was restarted has a new service. */
  readonly services: TestService[] = [];
  private readonly folder: string;
  private readonly envOf: (i: number) => Record<string, string>;
  private readonly places: readonly Place[];
  private readonly down = new Set<number>();
  /** When a node was restarted or continued, by index. */
  private readonly returnedAt = new Map<number, number>();

  private constructor(folder: string, envOf: (i: number) => Record<string, string>, places: readonly Place[]) {
    this.folder = folder;
    this.envOf = envOf;
    this.places = places;
  }

  /**
   * Starts three nodes. The first one makes the cluster, and the others join it.
   * @param more settings in addition to the test defaults
   */
  static async start(
    t: TestContext,
    nats: NatsCluster,
    more: Record<string, string> = {},
    options: NodesOptions = {},
  ): Promise<Nodes> {
    // Each node connects to another server first.
    const { urlsOf = (i: number) => [0, 1, 2].map((step) => nats.url((i + step) % 3)), program, places = [] } = options;
    const envOf = (i: number): Record<string, string> => ({
      TIDINGS_HOST: (places[i] ?? loopback).reach,
      TIDINGS_OPS_HOST: (places[i] ?? loopback).reach,
      TIDINGS_NODE: names[i] as string,
      TIDINGS_NATS_URL: urlsOf(i).join(','),
      TIDINGS_PARTITIONS: String(partitions),
      // The default depends on the number of cores.
      TIDINGS_WORKERS: '1',
      TIDINGS_JOURNAL_REPLICAS: '3',
      TIDINGS_JOURNAL_MAX_BYTES: '268435456',
      TIDINGS_ACK_DEADLINE_MS: '9000',
      ...more,
    });
    const nodes = new Nodes(temporaryFolder(t), envOf, places);
    await nodes.add(t, program);
    // A node waits for offers of snapshots when it starts, so the others start at the same time.
    const joined = [];
    for (let i = 1; i < atStart; i += 1) joined.push(await nodes.join(i, program));
    await Promise.all(joined.map((options, i) => nodes.begin(t, 1 + i, options)));
    return nodes;
  }

  /** Lets one more node join the cluster, and starts it. */
  async add(t: TestContext, program?: string): Promise<TestService> {
    const i = this.services.length;
    return this.begin(t, i, await this.join(i, program));
  }

  /** Makes the data directory of a node. The first node makes the cluster. */
  private async join(i: number, program?: string): Promise<ServiceOptions> {
    const env = this.envOf(i);
    const dataDir = join(this.folder, names[i] as string);
    const first = this.services[0];
    const token = first && (await this.tokenOf(first));
    const settings = { ...env, PATH: process.env.PATH ?? '', TIDINGS_DATA_DIR: dataDir };
    const command = token ? ['cluster', 'join', '--token', token] : ['cluster', 'init'];
    const launch = { enter: (this.places[i] ?? loopback).enter, ...(program && { program }) };
    const { code, output } = await TestService.commandAs(launch, settings, ...command);
    assert.equal(code, 0, output);
    return { dataDir, env, ...launch };
  }

  /** Starts a node for the first time. */
  private async begin(t: TestContext, i: number, options: ServiceOptions): Promise<TestService> {
    const service = await startService(t, options);
    this.services[i] = service;
    return service;
  }

  /** Indexes of the nodes that run. */
  get live(): number[] {
    return [...this.services.keys()].filter((i) => !this.down.has(i));
  }

  /** Indexes of the nodes that run and have not been started or continued lately. */
  get steady(): number[] {
    return this.live.filter((i) => performance.now() > (this.returnedAt.get(i) ?? -warmUpMs) + warmUpMs);
  }

  indexOf(node: string): number {
    return names.indexOf(node);
  }

  at(i: number): TestService {
    return this.services[i] as TestService;
  }

  /** Kills all processes of a node at once, as a power cut does. */
  async kill(i: number): Promise<void> {
    this.down.add(i);
    this.signal(i, 'SIGKILL');
    await this.at(i).exit();
  }

  /** Stops a node as an operator does. */
  async stop(i: number): Promise<void> {
    this.down.add(i);
    await this.at(i).stop();
  }

  /**
   * Starts a node again with its data, and waits until it is ready.
   * @param program the main program of another build, which the node runs from now on
   */
  async restart(t: TestContext, i: number, program = this.at(i).launch.program): Promise<void> {
    const { env, dataDir, launch } = this.at(i);
    const { enter = [] } = launch;
    this.services[i] = await startService(t, { dataDir, env, enter, ...(program && { program }) });
    this.returned(i);
  }

  /** Suspends all processes of a node, or lets them continue. */
  freeze(i: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    if (signal === 'SIGSTOP') this.down.add(i);
    else this.returned(i);
    this.signal(i, signal);
  }

  /** Returns the state of the cluster as an operator sees it on a node. */
  async report(i = this.live[0] ?? 0): Promise<ClusterReport> {
    const { output } = await this.at(i).run('cluster', 'status', '--json');
    return JSON.parse(output) as ClusterReport;
  }

  /** Waits until all nodes are ready and serve all partitions, each of which has one lead. The load may go on. */
  sound(): Promise<ClusterReport> {
    return waitUntil('no node reports a fault', async () => {
      const report = await this.report();
      return report.faults.length === 0 && report.nodes.length === this.services.length && report;
    });
  }

  /** Waits until all nodes have folded all records, and each partition has one lead. No load may run. */
  async settled(): Promise<ClusterReport> {
    return waitUntil('all nodes have folded everything', async () => {
      const report = await this.report();
      const isEven = report.partitions.every(
        ({ nodes, leads }) =>
          leads.length === 1 &&
          nodes.length === this.services.length &&
          new Set(nodes.map(({ seq }) => seq)).size === 1,
      );
      return isEven && report;
    });
  }

  /** Waits until each node leads as many partitions as the others, or one more or less. */
  balanced(): Promise<ClusterReport> {
    return waitUntil('the leads are spread', async () => {
      const report = await this.sound();
      const counts = report.nodes.map(({ leads }) => leads);
      return counts.length === this.services.length && Math.max(...counts) - Math.min(...counts) < 2 && report;
    });
  }

  /**
   * Asserts that all nodes have the same bytes. Ticks arrive all the time, so the nodes are suspended at one position, and
   * the comparison is repeated until they stand at the same one.
   */
  async assertEqual(): Promise<void> {
    await waitUntil('the stores are equal', async () => {
      await this.settled();
      const dirs = this.services.map(({ dataDir }) => dataDir);
      for (const i of this.services.keys()) this.signal(i, 'SIGSTOP');
      try {
        for (const name of partitionNames(partitions)) await assertEqualStores(name, dirs);
        return true;
      } catch (error) {
        // One node may have folded a tick more.
        if (/meta "cursor"/.test((error as Error).message)) return false;
        throw error;
      } finally {
        for (const i of this.services.keys()) this.signal(i, 'SIGCONT');
      }
    });
  }

  private signal(i: number, signal: NodeJS.Signals): void {
    const { supervisor, gateway, worker } = this.at(i).pids();
    for (const pid of [supervisor, gateway, worker]) if (pid > 0) process.kill(pid, signal);
  }

  private returned(i: number): void {
    this.down.delete(i);
    this.returnedAt.set(i, performance.now());
  }

  private async tokenOf(first: TestService): Promise<string> {
    const { output } = await first.run('cluster', 'init');
    return tokenIn(output);
  }
}
