/**
 * Starts a cluster of three real nats-servers on loopback. The servers have the configuration of the supervised server, without
 * TLS and users, and a monitoring port each. Tests kill, stop, suspend and restart single servers.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { connectJournal, type Journal } from '../../src/journal/connect.ts';
import type { NatsSettings } from '../../src/journal/credentials.ts';
import { streamOf } from '../../src/journal/subjects.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { afterwards, kill } from './cleanup.ts';
import { clusterServer } from './cluster-options.ts';
import { externalSettings } from './external-nats.ts';
import { quiet } from './journal.ts';
import { loopback, type Place } from './places.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { pauseProcess } from './standstill.ts';
import { waitUntil } from './wait-until.ts';

/** Options of a cluster. */
export interface ClusterOptions {
  /** Indexes of the servers that do not call fsync before they acknowledge. */
  lazy?: readonly number[];
  /** Where each server runs; on loopback by default. */
  places?: readonly Place[];
}

/** One server of a cluster. */
interface Server {
  readonly name: string;
  readonly place: Place;
  readonly port: number;
  readonly routePort: number;
  readonly monitorPort: number;
  readonly folder: string;
  process: ChildProcess | undefined;
  isFrozen: boolean;
  /** The connection for requests about streams. */
  asking: Promise<Journal> | undefined;
}

/** The content of a stream as one server reports it. */
export interface StoredStream {
  messages: number;
  bytes: number;
  firstSeq: number;
  lastSeq: number;
}

/** The part of a stream that `/jsz` reports. */
interface ReportedStream {
  name: string;
  state: { messages: number; bytes: number; first_seq: number; last_seq: number };
}

/** Number of servers. A record is acknowledged when two of them have it. */
const size = 3;
const fixedPart = fileURLToPath(new URL('../../../config/nats-server.conf', import.meta.url));

/** Starts a cluster and waits until it accepts streams. All servers end when the test ends. */
export async function startCluster(t: TestContext, options: ClusterOptions = {}): Promise<NatsCluster> {
  const cluster = await NatsCluster.prepare(t, options);
  for (const i of cluster.indexes) await cluster.start(i);
  await cluster.healed();
  return cluster;
}

export class NatsCluster {
  private readonly t: TestContext;
  private readonly servers: readonly Server[];

  private constructor(t: TestContext, servers: readonly Server[]) {
    this.t = t;
    this.servers = servers;
  }

  /** Writes the configuration of each server. Starts none. */
  static async prepare(t: TestContext, options: ClusterOptions): Promise<NatsCluster> {
    const { lazy = [], places = [] } = options;
    const folder = temporaryFolder(t);
    const servers: Server[] = [];
    for (let i = 0; i < size; i++) {
      const [port, routePort, monitorPort] = [await freePort(), await freePort(), await freePort()];
      const name = `n${i}`;
      const place = places[i] ?? loopback;
      const none = { process: undefined, isFrozen: false, asking: undefined };
      servers.push({ name, place, port, routePort, monitorPort, folder: join(folder, name), ...none });
    }
    const routes = servers.map(({ place, routePort }) => `"nats://${place.host}:${routePort}"`).join(', ');
    for (const [i, server] of servers.entries()) {
      mkdirSync(server.folder);
      writeFileSync(join(server.folder, 'server.conf'), configOf(server, routes, lazy.includes(i)));
    }
    const cluster = new NatsCluster(t, servers);
    afterwards(t, () => cluster.end());
    return cluster;
  }

  /** The indexes of the servers, which all methods take. */
  get indexes(): number[] {
    return [...this.servers.keys()];
  }

  /** Returns the address of a server for clients in the same network. */
  url(i: number): string {
    return `nats://${this.at(i).place.host}:${this.at(i).port}`;
  }

  /** Returns the address of a server's monitoring port. */
  monitor(i: number): string {
    return `http://${this.at(i).place.reach}:${this.at(i).monitorPort}`;
  }

  /** Returns the settings of a client that knows this server only. */
  settings(i: number): NatsSettings {
    return externalSettings(`nats://${this.at(i).place.reach}:${this.at(i).port}`);
  }

  /** Returns the number of clients of a server whose names begin with `prefix`. */
  async clients(i: number, prefix: string): Promise<number> {
    const answer = await this.ask(i, '/connz');
    const connections = (answer?.connections ?? []) as { name?: string }[];
    return connections.filter(({ name }) => name?.startsWith(prefix)).length;
  }

  /** Connects to one server. The connection closes when the test ends. */
  async connect(i: number): Promise<Journal> {
    const journal = await connectJournal(this.settings(i), { role: 'cli', name: `test on ${this.at(i).name}` }, quiet);
    afterwards(this.t, () => journal.close());
    return journal;
  }

  /** Starts a server, with the data and the ports of its last start. Waits until it accepts clients. */
  async start(i: number): Promise<void> {
    const server = this.at(i);
    assert.ok(!isRunning(server), `server ${i} runs already`);
    const [command, ...args] = [...server.place.enter, program(), '-c', join(server.folder, 'server.conf')];
    const child = spawn(command as string, args, {
      stdio: 'ignore',
      // The supervised server has as many threads.
      env: { PATH: process.env.PATH ?? '', GOMAXPROCS: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
    });
    server.process = child;
    server.isFrozen = false;
    await waitUntil(`server ${i} answers`, async () => {
      if (!isRunning(server)) throw new Error(`server ${i} does not start: ${readFileSync(logOf(server), 'utf8')}`);
      return (await this.ask(i, '/varz')) !== undefined;
    });
  }

  /** Kills a server with SIGKILL. */
  async kill(i: number): Promise<void> {
    this.forget(i);
    await kill(this.running(i));
  }

  /** Stops a server in order, with SIGTERM. */
  async stop(i: number): Promise<void> {
    await this.endWith(i, 'SIGTERM');
  }

  /** Stops a server in lame duck mode. It first hands its streams over and lets its clients go. */
  async lameDuck(i: number): Promise<void> {
    await this.endWith(i, 'SIGUSR2');
  }

  /** Suspends a server. Its connections stay open, but it answers nothing until it is thawed. */
  async freeze(i: number): Promise<void> {
    this.forget(i);
    this.at(i).isFrozen = true;
    await pauseProcess(this.running(i).pid as number);
  }

  /** Continues a server that was suspended. */
  thaw(i: number): void {
    this.running(i).kill('SIGCONT');
    this.at(i).isFrozen = false;
  }

  /** Waits until every server runs, all know the same leader of the cluster, and all replicas are current. */
  async healed(): Promise<void> {
    for (const i of this.indexes) {
      await waitUntil(`server ${i} is healthy`, async () => {
        const meta = (await this.ask(i, '/jsz'))?.meta_cluster as
          | { leader?: string; cluster_size?: number }
          | undefined;
        const health = await this.ask(i, '/healthz');
        return health?.status === 'ok' && meta?.cluster_size === this.servers.length && (meta.leader ?? '') !== '';
      });
    }
  }

  /** Creates the stream of a partition, with a replica on each of three servers. */
  async makeStream(partition: PartitionName, maxBytes: number, replicas = 3): Promise<void> {
    await ensureStream(await this.asking(), partition, maxBytes, replicas);
  }

  /** Waits until the stream of a partition has a leader among the servers that run, and returns its index. */
  leaderOf(partition: PartitionName): Promise<number> {
    return waitUntil(`${partition} has a leader`, async () => {
      const info = await this.request(({ manager }) => manager.streams.info(streamOf(partition)));
      const leader = this.servers.find(({ name }) => name === info?.cluster?.leader);
      return leader && isRunning(leader) && !leader.isFrozen ? this.servers.indexOf(leader) : undefined;
    });
  }

  /** Makes a server the leader of a partition's stream. */
  async lead(partition: PartitionName, i: number): Promise<void> {
    const subject = `$JS.API.STREAM.LEADER.STEPDOWN.${streamOf(partition)}`;
    const body = JSON.stringify({ placement: { preferred: this.at(i).name } });
    await waitUntil(`server ${i} leads ${partition}`, async () => {
      if ((await this.leaderOf(partition)) === i) return true;
      await this.request(({ connection }) => connection.request(subject, body, { timeout: 5000 }));
      return false;
    });
  }

  /** Waits until all replicas of a partition's stream contain as much as the leader, and returns that. */
  replicated(partition: PartitionName): Promise<StoredStream> {
    return waitUntil(`the replicas of ${partition} are equal`, async () => {
      const states = await Promise.all(this.indexes.map((i) => this.stored(i, partition)));
      const texts = new Set(states.map((state) => JSON.stringify(state)));
      return texts.size === 1 ? states[0] : undefined;
    });
  }

  private async stored(i: number, partition: PartitionName): Promise<StoredStream | undefined> {
    const answer = await this.ask(i, '/jsz?streams=true');
    const accounts = answer?.account_details as { stream_detail?: ReportedStream[] }[] | undefined;
    const details = accounts?.flatMap(({ stream_detail }) => stream_detail ?? []);
    const state = details?.find(({ name }) => name === streamOf(partition))?.state;
    if (!state) return undefined;
    const { messages, bytes, first_seq: firstSeq, last_seq: lastSeq } = state;
    return { messages, bytes, firstSeq, lastSeq };
  }

  /** Asks the monitoring port of a server. Returns undefined if it does not answer soon. */
  private async ask(i: number, path: string): Promise<Record<string, unknown> | undefined> {
    try {
      const reply = await fetch(`${this.monitor(i)}${path}`, { signal: AbortSignal.timeout(2000) });
      return (await reply.json()) as Record<string, unknown>;
    } catch {
      return undefined;
    }
  }

  /** Sends a request through a server that runs. Returns undefined if the request fails. */
  private async request<T>(send: (journal: Journal) => Promise<T>): Promise<T | undefined> {
    try {
      return await send(await this.asking());
    } catch {
      return undefined;
    }
  }

  /** Returns a connection to the first server that runs. */
  private asking(): Promise<Journal> {
    const i = this.servers.findIndex((server) => isRunning(server) && !server.isFrozen);
    const server = this.at(i);
    server.asking ??= connectJournal(this.settings(i), { role: 'cli', name: 'test cluster' }, quiet);
    return server.asking;
  }

  private async endWith(i: number, signal: NodeJS.Signals): Promise<void> {
    this.forget(i);
    const child = this.running(i);
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** Closes the connection for requests to a server that is about to fail. */
  private forget(i: number): void {
    const server = this.at(i);
    void server.asking?.then((journal) => journal.close()).catch(() => {});
    server.asking = undefined;
  }

  private async end(): Promise<void> {
    for (const i of this.indexes) this.forget(i);
    await Promise.all(this.servers.map(({ process: child }) => child && kill(child)));
  }

  private running(i: number): ChildProcess {
    const { process: child } = this.at(i);
    assert.ok(child && isRunning(this.at(i)), `server ${i} does not run`);
    return child;
  }

  private at(i: number): Server {
    const server = this.servers[i];
    assert.ok(server, `there is no server ${i}`);
    return server;
  }
}

/** Returns the configuration of the supervised server with the changes that make it a member of a cluster. */
function configOf(server: Server, routes: string, isLazy: boolean): string {
  const { name, place, port, routePort, monitorPort, folder } = server;
  // Elsewhere, the test and the other servers reach a server through two networks.
  const listen = place.host === place.reach ? place.host : '0.0.0.0';
  const values: Record<string, string> = {
    LISTEN: `"${listen}:${port}"`,
    LOG: JSON.stringify(join(folder, 'server.log')),
    STORE: JSON.stringify(join(folder, 'jetstream')),
    // More than a service reserves for its streams by default.
    MAX_STORE: '1TB',
  };
  const fixed = readFileSync(fixedPart, 'utf8')
    .replace(/^server_name: .*$/m, `server_name: ${name}`)
    .replace(/^tls \{[^}]*\}$/m, '')
    .replace(/^ *sync_interval: .*$/m, (line) => (isLazy ? '' : line))
    .replace(/\$TIDINGS_NATS_(\w+)/g, (_, variable: string) => values[variable] as string);
  return `${fixed}
http: "${listen}:${monitorPort}"
lame_duck_grace_period: "1s"
lame_duck_duration: "30s"
cluster { name: tidings, listen: "${place.host}:${routePort}", no_advertise: true, routes: [${routes}] }
`;
}

function logOf({ folder }: Server): string {
  return join(folder, 'server.log');
}

function program(): string {
  assert.ok(clusterServer, 'there is no nats-server for clusters');
  return clusterServer.path;
}

function isRunning({ process: child }: Server): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null;
}
