/**
 * Runs the recipes of docs/operations.md exactly as printed. Archives of data contain no key. A test restores a data
 * directory from an archive of data and the archive of keys. The service can then open every stored secret.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterwards } from '../helpers/cleanup.ts';
import { filesWith } from '../helpers/files-with.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const operations = readFileSync(join(root, 'docs/operations.md'), 'utf8');
const noGpg = spawnSync('gpg', ['--version']).status !== 0 && 'needs gpg';

/** Returns the shell commands between the markers of a recipe. */
function recipe(name: string): string {
  const marked = new RegExp(`<!-- ${name}:start -->\n([^]*?)<!-- ${name}:end -->`).exec(operations)?.[1] ?? '';
  const commands = /```sh\n([\s\S]*?)```/.exec(marked)?.[1];
  assert.ok(commands, `docs/operations.md has the recipe ${name}`);
  return commands;
}

/** The folders for the backups of one installation. `run` uses them instead of the folders that the document names. */
class Places {
  readonly backup: string;
  readonly safe: string;
  private readonly gpg: string;

  constructor(t: TestContext) {
    const folder = temporaryFolder(t);
    [this.backup, this.safe, this.gpg] = ['backup', 'safe', 'gpg'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const place of [this.backup, this.safe, this.gpg]) mkdirSync(place, { mode: 0o700 });
    writeFileSync(join(this.gpg, 'passphrase'), 'a long passphrase');
    afterwards(t, () => void spawnSync('gpgconf', ['--homedir', this.gpg, '--kill', 'all']));
  }

  run(name: string, dataDir: string, env: Record<string, string>): string {
    const commands = recipe(name)
      .replaceAll('/var/lib/tidings', dataDir)
      .replaceAll('/backup/', `${this.backup}/`)
      .replaceAll('/safe/', `${this.safe}/`);
    const quiet = `--batch --quiet --homedir '${this.gpg}' --pinentry-mode loopback --passphrase-file '${this.gpg}/passphrase'`;
    const script = [
      `tidings() { '${process.execPath}' '${program}' "$@"; }`,
      `gpg() { command gpg ${quiet} "$@"; }`,
      commands,
    ];
    return execFileSync('sh', ['-e', '-c', script.join('\n')], {
      env: { ...env, TIDINGS_DATA_DIR: dataDir },
      encoding: 'utf8',
      cwd: root,
    });
  }
}

/** Returns the files with keys or secrets in a data directory, as a map from each file's name to its content. */
function keysOf(dataDir: string): Map<string, string> {
  const journal = ['supervisor.nk', 'gateway.nk', 'worker.nk', 'cli.nk', 'server-key.pem'].map(
    (name) => `journal-keys/${name}`,
  );
  const names = ['admin-key', 'webhook-secret', 'sealing-key', 'digest-key', ...journal];
  const there = names.filter((name) => existsSync(join(dataDir, name)));
  return new Map(there.map((name) => [name, readFileSync(join(dataDir, name), 'utf8').trim()]));
}

/** Unpacks an archive. Fails when a file in the archive has the name of a key file, or contains a key. */
function assertNoKeys(t: TestContext, archive: string, keys: ReadonlyMap<string, string>): void {
  const names = execFileSync('tar', ['tzf', archive], { encoding: 'utf8' }).split('\n');
  assert.ok(
    names.some((name) => name.endsWith('data.mdb')),
    archive,
  );
  assert.deepEqual(
    names.filter((name) => /key|secret|token|\.pem|nkey|server\.conf/.test(name)),
    [],
  );
  const bytes = gunzipSync(readFileSync(archive));
  const unpacked = temporaryFolder(t);
  execFileSync('tar', ['xzf', archive, '-C', unpacked]);
  for (const [name, key] of keys) {
    assert.equal(bytes.includes(key), false, `${archive} contains ${name}`);
    assert.deepEqual(filesWith(unpacked, key), [], `${archive} contains ${name}`);
  }
}

/** Stores some data in the service, including a sealed secret. */
async function fill(service: TestService): Promise<void> {
  const acme = { id: 1001, full_name: 'acme/rocket', owner: { login: 'acme', id: 77 } };
  for (let i = 1; i <= 3; i++) await service.deliver('pull_request', pullPayload(i, {}, acme));
  await waitUntil('they are folded', () => /"number":3/.test(dumpOf(service)));
  assert.equal((await service.api('POST', '/api/webhook-secrets', { name: 'a', org: 'acme' })).status, 201);
}

function dumpOf(service: TestService): string {
  try {
    return service.tidings('dump', 'acme/rocket');
  } catch {
    return '';
  }
}

test('backups by the documented recipes contain no key, and restore with the keys put back', {
  skip: noGpg,
}, async (t) => {
  const places = new Places(t);
  const service = await startService(t);
  await fill(service);
  const keys = keysOf(service.dataDir);
  assert.equal(keys.size, 9, [...keys.keys()].join(', '));
  const captured = dumpOf(service);

  places.run('backup-keys', service.dataDir, service.env);
  places.run('backup-warm', service.dataDir, service.env);
  assert.equal(await service.stop(), 0);
  places.run('backup-cold', service.dataDir, service.env);

  const [cold, warm] = ['cold', 'warm'].map((kind) => join(places.backup, `tidings-${kind}.tar.gz`)) as [
    string,
    string,
  ];
  for (const archive of [cold, warm]) assertNoKeys(t, archive, keys);
  const encrypted = readFileSync(join(places.safe, 'tidings-keys.tar.gpg'));
  for (const key of keys.values()) assert.equal(encrypted.includes(key), false);
  for (const place of [places.backup, places.safe])
    for (const name of readdirSync(place)) assert.equal(statSync(join(place, name)).mode & 0o077, 0, name);

  for (const kind of ['cold', 'warm']) {
    const dataDir = join(temporaryFolder(t), 'restored');
    const report = places.run(`restore-${kind}`, dataDir, service.env);
    assert.match(report, /✓ sealing key decrypts all 1 stored secrets/);
    assert.match(report, /✓ data directory \S+ is closed to other users/);
    const again = await startService(t, { dataDir });
    for (const name of ['admin-key', 'webhook-secret', 'sealing-key', 'digest-key'])
      assert.equal(readFileSync(join(dataDir, name), 'utf8').trim(), keys.get(name), `${kind}: ${name}`);
    assert.equal((await again.api('GET', '/api/repos')).body.repos[0]?.fullName, 'acme/rocket');
    assert.equal(dumpOf(again), captured, kind);
    assert.match(again.tidings('doctor'), /✓ sealing key decrypts all 1 stored secrets/);
    assert.equal(await again.stop(), 0);
  }
});
