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
import type { NatsCluster } from './nats-cluster.ts';
import { loopback, type Place } from './places.ts';
import { temporaryFolder } from './ports.ts';
import { startService, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** Number of repository partitions of the nodes. */
const partitions = 2;
const names = ['a', 'b', 'c'];

/** A node that has just started or continued is not expected to answer quickly for this time, in milliseconds. */
const warmUpMs = 10_000;

export class Nodes {
  /** The services by index. A node that was restarted has a new service. */
  readonly services: TestService[] = [];
  private readonly down = new Set<number>();
  /** When a node was restarted or continued, by index. */
  private readonly returnedAt = new Map<number, number>();

  /**
   * Starts three nodes. The first one makes the cluster, and the others join it.
   * @param more settings in addition to the test defaults
   * @param places where each node runs; on loopback by default
   */
  static async start(
    t: TestContext,
    nats: NatsCluster,
    more: Record<string, string> = {},
    places: readonly Place[] = [],
  ): Promise<Nodes> {
    const nodes = new Nodes();
    const folder = temporaryFolder(t);
    for (const [i, node] of names.entries()) {
      const { enter, reach } = places[i] ?? loopback;
      const env = {
        TIDINGS_HOST: reach,
        TIDINGS_OPS_HOST: reach,
        TIDINGS_NODE: node,
        // Each node connects to another server first.
        TIDINGS_NATS_URL: [0, 1, 2].map((step) => nats.url((i + step) % 3)).join(','),
        TIDINGS_PARTITIONS: String(partitions),
        // The default depends on the number of cores.
        TIDINGS_WORKERS: '1',
        TIDINGS_JOURNAL_REPLICAS: '3',
        TIDINGS_JOURNAL_MAX_BYTES: '268435456',
        TIDINGS_ACK_DEADLINE_MS: '9000',
        ...more,
      };
      const dataDir = join(folder, node);
      const first = nodes.services[0];
      const token = first && nodes.tokenOf(first);
      const settings = { ...env, PATH: process.env.PATH ?? '', TIDINGS_DATA_DIR: dataDir };
      const command = token ? ['cluster', 'join', '--token', token] : ['cluster', 'init'];
      const { code, output } = await TestService.commandIn(enter, settings, ...command);
      assert.equal(code, 0, output);
      nodes.services.push(await startService(t, { dataDir, env, enter }));
    }
    return nodes;
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

  /** Starts a node again with its data, and waits until it is ready. */
  async restart(t: TestContext, i: number): Promise<void> {
    const { env, dataDir, enter } = this.at(i);
    this.services[i] = await startService(t, { dataDir, env, enter });
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
      return report.faults.length === 0 && report.nodes.length === names.length && report;
    });
  }

  /** Waits until all nodes have folded all records, and each partition has one lead. No load may run. */
  async settled(): Promise<ClusterReport> {
    return waitUntil('all nodes have folded everything', async () => {
      const report = await this.report();
      const isEven = report.partitions.every(
        ({ nodes, leads }) =>
          leads.length === 1 && nodes.length === names.length && new Set(nodes.map(({ seq }) => seq)).size === 1,
      );
      return isEven && report;
    });
  }

  /** Waits until each node leads as many partitions as the others, or one more or less. */
  balanced(): Promise<ClusterReport> {
    return waitUntil('the leads are spread', async () => {
      const report = await this.sound();
      const counts = report.nodes.map(({ leads }) => leads);
      return counts.length === names.length && Math.max(...counts) - Math.min(...counts) < 2 && report;
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

  private tokenOf(first: TestService): string {
    const output = first.tidings('cluster', 'init');
    return /^Made a token.*: (\/.*)$/m.exec(output)?.[1] ?? assert.fail(output);
  }
}
