/**
 * Tests the Compose file: the containers are hardened, all settings in the file exist, and the operations port is not
 * published.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings, settingEntries } from '../../config/load.ts';
import { contains, toBlockList } from '../../src/http/client-address.ts';
import { pathOf, readText, readYaml } from '../helpers/deploy-files.ts';

interface Service {
  image: string;
  profiles?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  networks: string[] | Record<string, { ipv4_address?: string } | null>;
  healthcheck?: { test: string[] };
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
  networks: Record<string, { ipam?: { config: { subnet: string }[] } } | null>;
}

const compose = readYaml<Compose>('deploy/compose.yaml');
const services = Object.entries(compose.services);
const { tidings, caddy } = compose.services as { tidings: Service; caddy: Service };

/**
 * Replaces each variable in a value of the Compose file. Uses the variable's value in `given`, or its default if
 * `given` does not contain the variable.
 */
function withDefaults(value: string, given: Record<string, string> = {}): string {
  return value.replace(
    /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
    (_, name: string, mark: string | undefined, text: string) => given[name] ?? (mark === '-' ? text : ''),
  );
}

/** Returns the variables of a text with lines like NAME=value. Comments are ignored. */
function variablesIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
}

test('every service runs without privileges and on a read-only file system', () => {
  for (const [name, service] of services) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
  }
  assert.ok(tidings.volumes?.includes('data:/data'));
});

test('images have a version, and all services but Tidings belong to a profile', () => {
  for (const [name, { image, profiles }] of services) {
    if (name === 'tidings') continue;
    assert.match(image, /^[\w./-]+:v?\d+\.\d+\.\d+$/, name);
    assert.equal(profiles?.length, 1, name);
  }
});

test('the variables of Tidings are settings, and are valid together with the example file', () => {
  const known = [...settingEntries.map(({ env }) => env), 'TIDINGS_CONFIG'];
  const environment = tidings.environment ?? {};
  for (const name of Object.keys(environment)) assert.ok(known.includes(name), name);
  const example = variablesIn(readText('deploy/.env.example'));
  const settingsFile = pathOf(join('deploy', withDefaults(compose.secrets['settings.json']?.file ?? '')));
  const env = Object.fromEntries(
    Object.entries(environment).map(([key, value]) => [key, withDefaults(value, example)]),
  );
  const settings = loadSettings({ ...env, TIDINGS_CONFIG: settingsFile });
  assert.equal(settings.publicUrl, example.TIDINGS_PUBLIC_URL);
  assert.equal(env.TIDINGS_CONFIG, `/run/secrets/${tidings.secrets?.[0]}`);
});

test('a start without a public URL fails with the name of the variable', () => {
  assert.match(tidings.environment?.TIDINGS_PUBLIC_URL ?? '', /^\$\{TIDINGS_PUBLIC_URL:\?.+\}$/);
});

test('the environment holds no secret', () => {
  const secret = settingEntries.filter((entry) => entry.secret || /Token|Key|Credentials/.test(entry.name));
  assert.ok(secret.length > 4);
  for (const { env } of secret) assert.ok(!(env in (tidings.environment ?? {})), env);
});

test('the operations port is not published, and the other ports are on loopback', () => {
  for (const [name, { ports = [] }] of services) {
    for (const port of ports) {
      assert.doesNotMatch(port, /9464/, name);
      if (name !== 'caddy') assert.match(port, /^127\.0\.0\.1:\d+:\d+$/, name);
    }
  }
  assert.deepEqual(tidings.ports, ['127.0.0.1:8080:8080']);
  assert.match(tidings.healthcheck?.test.join(' ') ?? '', /127\.0\.0\.1:9464\/readyz/);
});

test('only the address of Caddy is a trusted proxy', () => {
  const { front } = caddy.networks as Record<string, { ipv4_address: string }>;
  assert.equal(tidings.environment?.TIDINGS_TRUSTED_PROXIES, front?.ipv4_address);
  const subnet = compose.networks.front?.ipam?.config[0]?.subnet ?? '';
  assert.ok(contains(toBlockList([subnet]), front?.ipv4_address ?? ''), `${subnet} holds the address`);
});

test('mounted files exist, and used volumes and networks are declared', () => {
  for (const [name, { volumes = [], networks, secrets = [] }] of services) {
    for (const volume of volumes) {
      const [source = ''] = volume.split(':');
      if (source.startsWith('.')) assert.ok(existsSync(pathOf(join('deploy', source))), `${name}: ${source}`);
      else assert.ok(source in compose.volumes, `${name}: ${source}`);
    }
    for (const network of Array.isArray(networks) ? networks : Object.keys(networks))
      assert.ok(network in compose.networks, `${name}: ${network}`);
    for (const secret of secrets) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
  }
  for (const { file } of Object.values(compose.secrets))
    assert.ok(existsSync(pathOf(join('deploy', withDefaults(file)))), file);
});

test('files of the operator are neither in the repository nor in the image', () => {
  const ignored = readText('.gitignore').split('\n');
  for (const path of ['deploy/.env', 'deploy/settings.json']) assert.ok(ignored.includes(path), path);
  assert.ok(!readText('.dockerignore').includes('!deploy'));
});
