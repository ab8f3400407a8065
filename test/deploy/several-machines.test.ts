/**
 * Tests the files for several machines with Compose and systemd: the settings exist and are the same on all nodes, ports
 * and names agree, containers and units are hardened, and only the load balancer can be reached from outside.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { loadSettings, type SettingEntry, settingEntries } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import type { Settings } from '../../config/schema.ts';
import { contains, toBlockList } from '../../src/http/client-address.ts';
import { pathOf, readEnvironment, readText, readUnit, readYaml } from '../helpers/deploy-files.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { missing } from '../helpers/proxy.ts';

interface Service {
  image: string;
  restart: string;
  read_only?: boolean;
  stop_signal?: string;
  stop_grace_period?: string;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  command?: string[];
  environment: Record<string, string>;
  secrets?: string[];
  volumes: string[];
  ports?: string[];
  networks: string[] | Record<string, { ipv4_address?: string } | null>;
  healthcheck?: { test: string[] };
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string }[] } } | null>;
}

const compose = readYaml<Compose>('deploy/cluster/compose.yaml');
const services = Object.entries(compose.services);
const nats = services.filter(([name]) => name.startsWith('nats-'));
const nodes = services.filter(([name]) => name.startsWith('tidings-'));
const balancer = compose.services.balancer as Service;
const natsConfig = readText('deploy/cluster/nats-server.conf');
const nodeEnv = readEnvironment('deploy/systemd/tidings.env.example');
const natsEnv = readEnvironment('deploy/systemd/nats.env.example');
const known = [...settingEntries.map(({ env }) => env), 'TIDINGS_CONFIG'];

function defaultOf(variable: string): unknown {
  return (settingEntries.find(({ env }) => env === variable) as SettingEntry).default;
}

/** Returns the port that a line of the NATS configuration sets. */
function natsPort(line: RegExp): string {
  return line.exec(natsConfig)?.[1] ?? assert.fail(String(line));
}

const ports = {
  client: natsPort(/^port: (\d+)$/m),
  monitor: natsPort(/^http_port: (\d+)$/m),
  route: natsPort(/^ {2}port: (\d+)$/m),
};

/** Replaces the variables of a Compose value by those of the example file, or by their defaults. */
function filled(environment: Record<string, string>): Record<string, string> {
  const example = readEnvironment('deploy/cluster/.env.example');
  const fill = (value: string) =>
    value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, mark?: string, text?: string) => {
      return example[name] ?? (mark === '-' ? (text ?? '') : '');
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

/** Loads the settings of a node. Its file of secret settings is replaced by the example of the repository. */
function settingsOf(environment: Record<string, string>): Settings {
  return loadSettings({ ...environment, TIDINGS_CONFIG: pathOf('deploy/settings.example.json') });
}

/** Settings that decide whether the journal is replicated and whether it fits the servers. */
function assertClustered(settings: Settings): void {
  assert.equal(settings.journalReplicas, 3);
  const { servers, tls, credentials } = natsAddressesOf(settings.natsUrl);
  assert.deepEqual([servers.length, tls, credentials], [3, true, undefined], 'certificates are the credentials');
  const monitored = settings.natsMonitor.map((address) => new URL(address));
  assert.deepEqual(
    monitored.map(({ hostname, port }) => `${hostname}:${port}`),
    servers.map((server) => server.replace(`:${ports.client}`, `:${ports.monitor}`)),
  );
  for (const path of [settings.natsTlsCa, settings.natsTlsCert, settings.natsTlsKey]) assert.match(path, /^\/\w/);
  assert.ok(settings.partitions > 0 && settings.partitions < 17);
  const [, gigabytes] = /^ {2}max_file_store: (\d+)GB$/m.exec(natsConfig) ?? [];
  assert.ok((settings.partitions + 1) * settings.journalMaxBytes <= Number(gigabytes) * 2 ** 30, 'the streams fit');
  assert.equal(settings.ackDeadlineMs, 9000, 'an election is shorter');
}

test('Compose: containers are hardened, have a version and start again', () => {
  for (const [name, { image, restart, read_only, cap_drop, security_opt }] of services) {
    assert.deepEqual([read_only, cap_drop, security_opt], [true, ['ALL'], ['no-new-privileges:true']], name);
    assert.equal(restart, 'unless-stopped', name);
    if (image !== 'tidings') assert.match(image, /^[\w./-]+:v?\d+\.\d+\.\d+(-alpine)?$/, name);
  }
  const rights = services.flatMap(([, { cap_add }]) => cap_add ?? []);
  assert.deepEqual([...new Set(rights)].sort(), ['DAC_READ_SEARCH', 'NET_BIND_SERVICE']);
});

test('Compose: there are three NATS servers, of a version for clusters, each with its own name, key and data', () => {
  assert.equal(nats.length, 3);
  for (const [name, service] of nats) {
    const { environment, volumes } = service;
    assert.match(service.image, /^nats:2\.(1[2-9]|[2-9]\d)\./, name);
    assert.equal(environment.NATS_NAME, name);
    assert.deepEqual(
      JSON.parse(environment.NATS_ROUTES ?? ''),
      nats.map(([each]) => `tls://${each}:${ports.route}`),
    );
    const targets = new Map(volumes.map((volume) => volume.split(':').slice(0, 2).reverse() as [string, string]));
    assert.equal(targets.get(environment.NATS_CERT as string), `./certificates/${name}.pem`);
    assert.equal(targets.get(environment.NATS_KEY as string), `./certificates/${name}.key`);
    assert.equal(targets.get(environment.NATS_CA as string), './certificates/ca.pem');
    assert.equal(targets.get(environment.NATS_STORE as string), name, 'its own volume');
    assert.equal(targets.get(service.command?.[1] as string), './nats-server.conf');
    assert.deepEqual([service.stop_signal, service.stop_grace_period], ['SIGUSR2', '60s'], 'lame duck mode');
    assert.match(service.healthcheck?.test.at(-1) ?? '', new RegExp(`127\\.0\\.0\\.1:${ports.monitor}/healthz$`));
  }
});

test('Compose: there are three nodes, with the same settings but for their names, and each with its own data', () => {
  assert.deepEqual(
    nodes.map(([, { environment }]) => environment.TIDINGS_NODE),
    ['a', 'b', 'c'],
  );
  const common = nodes.map(([, { environment }]) => ({ ...environment, TIDINGS_NODE: '' }));
  for (const each of common) assert.deepEqual(each, common[0]);
  for (const [name, { environment, volumes, secrets = [], healthcheck, stop_grace_period }] of nodes) {
    for (const variable of Object.keys(environment)) assert.ok(known.includes(variable), variable);
    assert.deepEqual(volumes, [`${name}:/data`]);
    const settings = settingsOf(filled(environment));
    assertClustered(settings);
    assert.deepEqual(
      natsAddressesOf(settings.natsUrl).servers,
      nats.map(([server]) => `${server}:${ports.client}`),
    );
    const files = [environment.TIDINGS_CONFIG, settings.natsTlsCa, settings.natsTlsCert, settings.natsTlsKey];
    assert.deepEqual(
      files.map((file) => basename(file as string)),
      secrets,
    );
    assert.match(healthcheck?.test.join(' ') ?? '', /127\.0\.0\.1:9464\/readyz'/);
    assert.equal(stop_grace_period, '60s');
    const secret = settingEntries.filter((entry) => entry.secret && entry.env !== 'TIDINGS_NATS_URL');
    for (const { env } of secret) assert.ok(!(env in environment), env);
  }
});

test('Compose: only the load balancer has ports on the machine, and nodes trust only its address', () => {
  assert.deepEqual(
    services.filter(([, { ports: published }]) => published).map(([name]) => name),
    ['balancer'],
  );
  const { front } = balancer.networks as Record<string, { ipv4_address: string }>;
  for (const [, { environment }] of nodes) assert.equal(environment.TIDINGS_TRUSTED_PROXIES, front?.ipv4_address);
  const subnet = compose.networks.front?.ipam?.config[0]?.subnet ?? '';
  assert.ok(contains(toBlockList([subnet]), front?.ipv4_address ?? ''));
  assert.equal(compose.networks.journal?.internal, true);
  for (const [, { networks }] of nats) assert.deepEqual(networks, ['journal']);
  assert.equal(balancer.environment.NODES, nodes.map(([name]) => `${name}:${defaultOf('TIDINGS_PORT')}`).join(' '));
});

test('Compose: mounted files exist or are made, and volumes, networks and secrets are declared', () => {
  for (const [name, { volumes, networks, secrets = [] }] of services) {
    for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
      if (source.startsWith('./certificates/')) continue;
      const isThere = source.startsWith('.')
        ? existsSync(pathOf(`deploy/cluster/${source}`))
        : source in compose.volumes;
      assert.ok(isThere, `${name}: ${source}`);
    }
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
      assert.ok(network in compose.networks, network);
    for (const secret of secrets) assert.ok(secret in compose.secrets, secret);
  }
  const ignored = readText('.gitignore').split('\n');
  for (const path of ['deploy/cluster/.env', 'deploy/cluster/certificates/']) assert.ok(ignored.includes(path), path);
});

test('the load balancers ask the operations port whether a node is ready, and forward nothing to it', () => {
  const [api, ops] = [defaultOf('TIDINGS_PORT'), defaultOf('TIDINGS_OPS_PORT')];
  const caddy = readText('deploy/cluster/Caddyfile');
  assert.match(caddy, /^\treverse_proxy \{\$NODES\} \{$/m);
  assert.match(caddy, /^\t\thealth_uri \/readyz$/m);
  assert.match(caddy, new RegExp(`^\t\thealth_port ${ops}$`, 'm'));
  // The directive has no matcher, so it applies to all paths.
  assert.doesNotMatch(caddy, /^\s*(handle|route|@\w+|respond)\b/m);
  assert.match(caddy, /max_size 25MiB/);
  assert.match(caddy, /keepalive 8s/);
  const haproxy = readText('deploy/cluster/haproxy.cfg');
  assert.match(haproxy, /^ {2}option httpchk GET \/readyz$/m);
  assert.match(haproxy, new RegExp(`^ {2}default-server check port ${ops} `, 'm'));
  const servers = [...haproxy.matchAll(/^ {2}server \w+ \S+:(\d+)$/gm)];
  assert.deepEqual(
    servers.map(([, port]) => Number(port)),
    [api, api, api],
  );
});

test('HAProxy accepts the configuration', { skip: missing('haproxy', '-v') }, (t) => {
  const file = join(temporaryFolder(t), 'haproxy.cfg');
  // The certificate of the operator is not here.
  writeFileSync(file, readText('deploy/cluster/haproxy.cfg').replace(/ ssl crt \S+$/m, ''));
  const { status, stdout, stderr } = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});

test('the NATS servers sync, accept the largest batch, and ask clients and other servers for a certificate', () => {
  assert.match(natsConfig, /^ {2}sync_interval: always$/m);
  assert.match(natsConfig, /^max_payload: 8MB$/m);
  assert.equal(natsConfig.match(/^ *verify: true$/gm)?.length, 2);
  const variables = [...new Set([...natsConfig.matchAll(/: \$(NATS_\w+)$/gm)].map(([, name]) => name))].sort();
  assert.deepEqual(variables, Object.keys(natsEnv).sort());
  for (const [name, { environment }] of nats) assert.deepEqual(Object.keys(environment).sort(), variables, name);
});

test('systemd: the examples of the environments belong together', () => {
  for (const variable of Object.keys(nodeEnv)) assert.ok(known.includes(variable), variable);
  const settings = settingsOf(nodeEnv);
  assertClustered(settings);
  const { servers } = natsAddressesOf(settings.natsUrl);
  assert.deepEqual(
    JSON.parse(natsEnv.NATS_ROUTES ?? ''),
    servers.map((server) => `tls://${server.replace(`:${ports.client}`, `:${ports.route}`)}`),
  );
  assert.equal(servers[0], `${natsEnv.NATS_LISTEN}:${ports.client}`);
  assert.equal(basename(natsEnv.NATS_CERT ?? ''), `${natsEnv.NATS_LISTEN}.pem`);
  const haproxy = readText('deploy/cluster/haproxy.cfg');
  assert.match(haproxy, new RegExp(`^ {2}server ${settings.node} ${settings.host}:${defaultOf('TIDINGS_PORT')}$`, 'm'));
  assert.equal(settings.opsHost, settings.host, 'the load balancer reaches the operations port');
});

test('systemd: the units have absolute paths, time to hand over, and the options of the handbook', () => {
  const [, example = ''] = /## systemd\n\n```ini\n([\s\S]*?)```/.exec(readText('docs/operations.md')) ?? [];
  const documented = readUnit(example).filter(({ name }) => name !== 'Environment' && name !== 'After');
  const node = readUnit(readText('deploy/systemd/tidings-node.service'));
  for (const line of documented)
    assert.ok(
      node.some((each) => JSON.stringify(each) === JSON.stringify(line)),
      `${line.name}=${line.value}`,
    );
  const server = readUnit(readText('deploy/systemd/nats-server.service'));
  const assigned = (unit: typeof node, name: string) => unit.find((line) => line.name === name)?.value;
  assert.equal(assigned(server, 'KillSignal'), 'SIGUSR2', 'lame duck mode');
  for (const unit of [node, server]) {
    assert.deepEqual([...new Set(unit.map(({ section }) => section))], ['Unit', 'Service', 'Install']);
    for (const name of ['ExecStart', 'EnvironmentFile']) assert.match(assigned(unit, name) ?? '', /^\//);
    assert.ok(Number(assigned(unit, 'TimeoutStopSec')) >= 60);
    const options = ['NoNewPrivileges', 'PrivateTmp', 'ProtectHome', 'ProtectKernelModules', 'RestrictSUIDSGID'];
    for (const option of options) assert.equal(assigned(unit, option), 'yes', option);
    assert.deepEqual([assigned(unit, 'ProtectSystem'), assigned(unit, 'CapabilityBoundingSet')], ['strict', '']);
  }
  // The folders that systemd makes for the data are those of the environments.
  assert.equal(`/var/lib/${assigned(node, 'StateDirectory')}`, nodeEnv.TIDINGS_DATA_DIR);
  assert.equal(`/var/lib/${assigned(server, 'StateDirectory')}`, natsEnv.NATS_STORE);
  assert.equal(assigned(node, 'EnvironmentFile'), '/etc/tidings/tidings.env');
  assert.equal(assigned(server, 'EnvironmentFile'), '/etc/nats/nats.env');
});

const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not installed';

test('systemd-analyze accepts the units', { skip: noSystemd }, () => {
  for (const unit of ['nats-server.service', 'tidings-node.service']) {
    const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', pathOf(`deploy/systemd/${unit}`)], {
      encoding: 'utf8',
    });
    // The programs need not be installed here. Faults of units that the machine itself has are not reported.
    const faults = stderr.split('\n').filter((line) => line.includes(unit) && !/is not executable: No such/.test(line));
    assert.deepEqual(faults, []);
  }
});
