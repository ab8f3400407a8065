/**
 * Tests the files of `deploy/` for several machines by starting what they describe: three NATS servers and three nodes with
 * the configuration and the environments of the examples, on three addresses of the loopback interface, and a load balancer.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { connectionFault } from '../../src/journal/connect.ts';
import { afterwards, kill } from '../helpers/cleanup.ts';
import { clusterServer, noCluster } from '../helpers/cluster-options.ts';
import { pathOf, readEnvironment, readText } from '../helpers/deploy-files.ts';
import { externalSettings } from '../helpers/external-nats.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { missing } from '../helpers/proxy.ts';
import { noLimits, TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const machines = [0, 1, 2];
const names = ['a', 'b', 'c'];
/** Nodes start faster with fewer partitions than the examples have. */
const few = { TIDINGS_PARTITIONS: '2' };
const noTools: string | false = noCluster || missing('openssl', 'version');

/**
 * Three machines. Each has an address of its own on the loopback interface, so that the ports of the files in `deploy/`
 * need not be changed. The process id is a part of the addresses, so that two tests can run at a time.
 */
class Machines {
  readonly folder: string;
  readonly addresses: readonly string[];
  private readonly servers: (ChildProcess | undefined)[] = [];

  constructor(t: TestContext) {
    this.folder = temporaryFolder(t);
    const [high, low] = [1 + ((process.pid >> 8) % 250), process.pid % 256];
    this.addresses = machines.map((i) => `127.${high}.${low}.${i + 1}`);
    afterwards(t, async () => {
      await Promise.all(this.servers.map((server) => server && kill(server)));
    });
  }

  /** Reads an example of an environment and changes it to that of a machine. */
  environment(file: string, i: number): Record<string, string> {
    const entries = Object.entries(readEnvironment(file)).map(([name, value]) => {
      const placed = value
        .replace(/\/etc\/(nats|tidings)\//g, `${this.folder}/certificates/`)
        .replace(/\/var\/lib\//, `${this.folder}/${i}-`)
        .replace(/10\.0\.0\.([123])(?!\d)/g, (_, number) => this.addresses[number - 1] as string);
      return [name, placed.replace('10.0.0.10', this.addresses[0] as string)] as const;
    });
    const own = (value: string) => value.replaceAll(this.addresses[0] as string, this.addresses[i] as string);
    const perMachine = ['NATS_LISTEN', 'NATS_CERT', 'NATS_KEY', 'TIDINGS_HOST', 'TIDINGS_OPS_HOST'];
    const changed = entries.map(([name, value]) => [name, perMachine.includes(name) ? own(value) : value]);
    return { PATH: process.env.PATH ?? '', ...Object.fromEntries(changed) };
  }

  makeCertificates(): void {
    const script = pathOf('deploy/cluster/make-certificates.sh');
    const made = spawnSync('sh', [script, join(this.folder, 'certificates'), ...this.addresses], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
  }

  serverEnvironment(i: number): Record<string, string> {
    return { ...this.environment('deploy/systemd/nats.env.example', i), NATS_NAME: `nats-${i + 1}` };
  }

  startServer(i: number): void {
    const args = ['-c', pathOf('deploy/cluster/nats-server.conf')];
    this.servers[i] = spawn(clusterServer?.path ?? '', args, { env: this.serverEnvironment(i), stdio: 'ignore' });
  }

  /** Stops a server as the unit does, in lame duck mode. Returns its exit code. */
  async stopServer(i: number): Promise<number | null> {
    const server = this.servers[i] as ChildProcess;
    const ended = once(server, 'exit');
    server.kill('SIGUSR2');
    const [code] = await ended;
    return code;
  }

  async serverAnswers(i: number, path: string): Promise<Record<string, unknown> | undefined> {
    const reply = await fetch(`http://${this.addresses[i]}:8222${path}`).catch(() => undefined);
    return reply?.status === 200 ? ((await reply.json()) as Record<string, unknown>) : undefined;
  }

  nodeEnvironment(i: number): Record<string, string> {
    const environment = this.environment('deploy/systemd/tidings.env.example', i);
    writeFileSync(join(this.folder, 'certificates/settings.json'), readText('deploy/settings.example.json'));
    // Messages of a start are only needed if it fails.
    return { ...environment, TIDINGS_NODE: names[i] as string, TIDINGS_LOG_LEVEL: 'warn', ...noLimits, ...few };
  }

  /** Starts a node and waits until it is ready. */
  async startNode(t: TestContext, i: number): Promise<TestService> {
    const node = new TestService(this.nodeEnvironment(i));
    afterwards(t, () => node.stop());
    await waitUntil(`node ${i} is ready\n${node.log}`, () => this.isReady(i));
    return node;
  }

  async isReady(i: number): Promise<boolean> {
    const reply = await fetch(`http://${this.addresses[i]}:9464/readyz`).catch(() => undefined);
    return reply?.status === 200;
  }
}

/** Runs a command of Tidings on a machine, which has to succeed. */
async function tidings(environment: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, output } = await TestService.command(environment, ...args);
  assert.equal(code, 0, output);
  return output;
}

/** Starts Caddy with the configuration of `deploy/`, without TLS. Returns its address. */
async function startBalancer(t: TestContext, { folder, addresses }: Machines): Promise<string> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, `{\n\tadmin off\n}\n${readText('deploy/cluster/Caddyfile')}`);
  const nodes = addresses.map((address) => `${address}:8080`).join(' ');
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const env = { PATH: process.env.PATH ?? '', ...home, SITE: url, NODES: nodes };
  const child = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  afterwards(t, () => kill(child));
  await waitUntil('the load balancer answers', async () => (await statusOf(`${url}/healthz`)) === 200);
  return url;
}

async function statusOf(url: string, options: RequestInit = {}): Promise<number> {
  return fetch(url, options).then(
    async (reply) => {
      await reply.arrayBuffer();
      return reply.status;
    },
    () => 0,
  );
}

async function deliver(url: string, secret: string, number: number): Promise<number> {
  const body = JSON.stringify(pullPayload(number));
  return statusOf(`${url}/api/webhooks/scm`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-scm-event': 'pull_request',
      'x-scm-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    },
  });
}

test('three machines work as the files in deploy/ describe them', { skip: noTools }, async (t) => {
  const cluster = new Machines(t);
  cluster.makeCertificates();

  await t.test('nats-server accepts the configuration', () => {
    const args = ['-t', '-c', pathOf('deploy/cluster/nats-server.conf')];
    const env = cluster.serverEnvironment(0);
    const checked = spawnSync(clusterServer?.path ?? '', args, { env, encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stderr);
  });

  for (const i of machines) cluster.startServer(i);
  await t.test('three NATS servers find each other, sync, and refuse clients without a certificate', async () => {
    for (const i of machines) {
      await waitUntil(`server ${i} is healthy`, () => cluster.serverAnswers(i, '/healthz'));
      const varz = (await cluster.serverAnswers(i, '/varz')) as { jetstream: { config: object }; server_name: string };
      const { sync_always, max_storage } = varz.jetstream.config as { sync_always: boolean; max_storage: number };
      assert.deepEqual([varz.server_name, sync_always, max_storage], [`nats-${i + 1}`, true, 16 * 2 ** 30]);
    }
    const ca = join(cluster.folder, 'certificates/ca.pem');
    const stranger = externalSettings(`tls://${cluster.addresses[0]}:4222`, { natsTlsCa: ca });
    assert.match((await connectionFault(stranger, 'cli'))?.message ?? '', /client certificate/);
  });

  const nodes: TestService[] = [];
  await t.test('a node makes the cluster, and two others join it with tokens', async () => {
    const makeToken = async (): Promise<string> => {
      const made = await tidings(cluster.nodeEnvironment(0), 'cluster', 'init');
      return /^Made a token.*: (\/.*)$/m.exec(made)?.[1] ?? assert.fail(made);
    };
    await makeToken();
    nodes.push(await cluster.startNode(t, 0));
    const others = [1, 2].map(async (i) => {
      await tidings(cluster.nodeEnvironment(i), 'cluster', 'join', '--token', await makeToken());
      return cluster.startNode(t, i);
    });
    nodes.push(...(await Promise.all(others)));
  });

  await t.test('doctor finds no fault on a node', async () => {
    const output = await tidings(cluster.nodeEnvironment(1), 'doctor', '--offline');
    for (const line of [
      /✓ this machine is node b of cluster \w{26}$/m,
      /✓ folded up to: directory \d+, p00 \d+, p01 \d+$/m,
      /✓ NATS server 127\.\S+:4222 answers: nats-3, version 2\./,
      /✓ journal connection: TLS, a client certificate$/m,
      /✓ durability level: replicated$/m,
      /✓ all 3 streams have 3 copies, and all are current$/m,
      /✓ nodes that answer: a, b, c$/m,
      /✓ keys and number of partitions are those of the other nodes$/m,
      /✓ clock agrees with the clock of the NATS server$/m,
    ])
      assert.match(output, line);
  });

  const noCaddy = missing('caddy', 'version');
  await t.test('the load balancer goes on when a node is killed', { skip: noCaddy }, async (step) => {
    const [a] = nodes as [TestService];
    const { secret, adminKey } = a;
    const url = await startBalancer(step, cluster);
    // On a busy machine, the answers of nodes can come too late for the load balancer.
    await waitUntil('a webhook is accepted', async () => (await deliver(url, secret, 1)) === 202);
    await a.kill();
    const api = `http://${cluster.addresses[0]}:8080/healthz`;
    await waitUntil('the processes of the node have ended', async () => (await statusOf(api)) === 0);
    await waitUntil('the balancer has left the node out', async () => {
      const statuses = await Promise.all(
        Array.from({ length: 6 }, () =>
          statusOf(`${url}/api/repos`, { headers: { authorization: `Bearer ${adminKey}` } }),
        ),
      );
      return statuses.every((status) => status === 200);
    });
    await waitUntil('another webhook is accepted', async () => (await deliver(url, secret, 2)) === 202);
  });

  await t.test('a NATS server that is stopped lets its clients go, and doctor names it', async () => {
    assert.equal(await cluster.stopServer(2), 0);
    for (const i of [1, 2]) await waitUntil(`node ${i} is ready`, () => cluster.isReady(i));
    const { code, output } = await TestService.command(cluster.nodeEnvironment(1), 'doctor', '--offline');
    assert.equal(code, 1);
    assert.match(output, /✗ NATS server 127\.\S+:4222 does not answer: /);
    assert.match(output, /✗ NATS server nats-3 is offline: its copies of directory, p00, p01 are missing$/m);
    assert.match(output, /! durability level: replicated-unsynced/);
  });

  const text = readFileSync(join(cluster.folder, 'certificates/ca.key'), 'utf8');
  for (const { log } of nodes) assert.ok(!log.includes(text.split('\n')[1] ?? ''), 'no key is logged');
});
