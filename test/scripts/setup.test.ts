// Tests the parts of set-up that need no network. The scripts are plain JavaScript outside the build, so they are
// imported by URL from dist/.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { afterwards } from '../helpers/cleanup.ts';
import { temporaryFolder } from '../helpers/ports.ts';

const script = (path: string) => import(new URL(`../../../scripts/${path}`, import.meta.url).href);
const setup = await script('setup.mjs');
const runner = await script('run.mjs');
const packages = await script('setup/packages.mjs');
const build = await script('setup/build.mjs');
const cutter = await script('setup/cutter.mjs');
const programs = await script('setup/programs.mjs');
const dashboard = await script('setup/dashboard.mjs');
const nats = await script('setup/nats-server.mjs');
const clusterNats = await script('setup/cluster-nats.mjs');
const chromium = await script('setup/chromium.mjs');
const { prepareSandbox, copyPlain } = await script('setup/sandbox.mjs');
const { acquireLock } = await script('setup/lock.mjs');
const { describeFailure, SetupError } = await script('setup/console.mjs');

const PROGRAM_PARTS = {
  text: `import { readFileSync } from 'node:fs';
export const text = readFileSync(new URL('./text.txt', import.meta.url), 'utf8');`,
  main: `import noted from 'noted';
import { text } from '../pages/text.ts';

interface Late { late: string }
const { late }: Late = await import('../late.ts');
console.log(noted, text, late);
throw new Error('the end');`,
};
const linux = { platform: 'linux', arch: 'x64' };
const lock = {
  packages: {
    '': { dependencies: { lmdb: '3.5.6' } },
    'node_modules/uWebSockets.js': {
      version: '20.51.4',
      optionalDependencies: { '@uwsjs/linux-x64-18': '1', '@uwsjs/linux-x64-20': '1', '@uwsjs/linux-x64-22': '1' },
    },
    'node_modules/@uwsjs/linux-x64-20': { version: '20.51.4', optional: true },
    'node_modules/lmdb': { version: '3.5.6', integrity: 'sha512-a' },
  },
};

function write(root: string, path: string, text = ''): string {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

suite('packages', () => {
  test('accepts a Node that has a native build', () => {
    for (const version of ['v20.19.0', 'v20.20.2', 'v22.1.0']) {
      assert.equal(packages.nodeProblem(version, lock, linux), undefined, version);
    }
  });

  test('refuses other Nodes and names the right ones', () => {
    for (const version of ['v18.20.0', 'v20.18.9', 'v21.7.0', 'v24.0.0']) {
      assert.match(packages.nodeProblem(version, lock, linux), /20\.19 or later of Node 20, or Node 22/, version);
    }
    assert.match(packages.nodeProblem('v20.19.0', lock, { platform: 'aix', arch: 'ppc64' }), /aix-ppc64/);
    assert.match(packages.nodeProblem('v20.19.0', lock, { ...linux, glibc: false }), /musl/);
  });

  test('accepts installed packages that match the lockfile', () => {
    const installed = {
      packages: {
        'node_modules/uWebSockets.js': { version: '20.51.4' },
        'node_modules/@uwsjs/linux-x64-20': { version: '20.51.4' },
        'node_modules/lmdb': { version: '3.5.6', integrity: 'sha512-a' },
      },
    };
    const natives = ['@uwsjs/linux-x64-20'];
    assert.equal(packages.installedMatches(lock, installed, natives), true);
    assert.equal(packages.installedMatches(lock, installed, ['@uwsjs/linux-x64-22']), false, 'another Node');
    const older = { packages: { ...installed.packages, 'node_modules/lmdb': { version: '3.5.5' } } };
    assert.equal(packages.installedMatches(lock, older, natives), false, 'another version');
    const { 'node_modules/lmdb': _, ...fewer } = installed.packages;
    assert.equal(packages.installedMatches(lock, { packages: fewer }, natives), false, 'a package missing');
    const more = { packages: { ...installed.packages, 'node_modules/left': { version: '1.0.0' } } };
    assert.equal(packages.installedMatches(lock, more, natives), false, 'a package too many');
  });

  test('changes the stamp with the lockfile, the dependencies and the Node ABI', () => {
    const machine = { ...linux, abi: '115' };
    const stamp = packages.packagesStamp('lock', { dependencies: { a: '1' } }, machine);
    assert.equal(packages.packagesStamp('lock', { dependencies: { a: '1' } }, machine), stamp);
    assert.notEqual(packages.packagesStamp('lock2', { dependencies: { a: '1' } }, machine), stamp);
    assert.notEqual(packages.packagesStamp('lock', { dependencies: { a: '2' } }, machine), stamp);
    assert.notEqual(packages.packagesStamp('lock', { dependencies: { a: '1' } }, { ...machine, abi: '127' }), stamp);
  });
});

suite('build', () => {
  test('hashes names and contents of files, not their times', (t) => {
    const root = temporaryFolder(t);
    const file = write(root, 'src/a.ts', 'one');
    write(root, 'src/deep/b.ts', 'two');
    write(root, 'src/notes.txt');
    const files = build.listFiles(root, 'src', /\.ts$/);
    assert.deepEqual(files, ['src/a.ts', 'src/deep/b.ts']);
    const before = build.hashFiles(root, files);
    utimesSync(file, 1, 1);
    assert.equal(build.hashFiles(root, files), before);
    writeFileSync(file, 'One');
    assert.notEqual(build.hashFiles(root, files), before);
  });

  test('finds outputs whose source was removed', () => {
    const outputs = ['src/a.js', 'src/a.js.map', 'test/old.test.js', 'test/old.test.js.map', 'src/m.mjs', 'src/d.json'];
    const sources = ['src/a.ts', 'src/m.mts', 'src/d.json', 'src/types.d.ts'];
    assert.deepEqual(build.staleOutputs(outputs, sources), ['test/old.test.js', 'test/old.test.js.map']);
  });
});

suite('programs', () => {
  test('a bundle runs alone, and its modules find the files beside them', async (t) => {
    const root = temporaryFolder(t);
    write(root, 'package.json', '{ "type": "module" }');
    write(root, 'node_modules/noted/package.json', '{ "main": "index.js" }');
    write(root, 'node_modules/noted/index.js', "module.exports = require('node:path').basename('/package');");
    write(root, 'src/pages/text.ts', PROGRAM_PARTS.text);
    write(root, 'src/late.ts', "export const late: string = 'late';");
    write(root, 'src/gateway/main.ts', PROGRAM_PARTS.main);
    write(root, 'dist/src/pages/text.txt', 'text');
    await programs.bundlePrograms(root);
    rmSync(join(root, 'src'), { recursive: true });
    rmSync(join(root, 'node_modules'), { recursive: true });
    const program = join(root, 'dist/src/gateway/main.js');
    const run = () => spawnSync(process.execPath, ['--enable-source-maps', program], { encoding: 'utf8' });
    assert.equal(run().stdout, 'package text late\n');
    assert.match(run().stderr, /src\/gateway\/main\.ts:7:/, 'a stack names the line of the source');
  });

  test('a program that cannot be bundled is reported with its file', async (t) => {
    const root = temporaryFolder(t);
    write(root, 'src/gateway/main.ts', "import './missing.ts';");
    await assert.rejects(programs.bundlePrograms(root), (error: Error & { detail?: string }) => {
      assert.match(error.detail ?? '', /src\/gateway\/main\.ts:1:7.*missing/);
      return error instanceof SetupError;
    });
  });
});

suite('cutter', () => {
  test('is compiled again after a change of its sources or its compiler, or without its output', (t) => {
    const root = temporaryFolder(t);
    const part = cutter.createCutter(root);
    assert.equal(part.isReady(), true, 'a checkout without the sources');
    const compiler = write(root, 'node_modules/assemblyscript/package.json', '1');
    const source = write(root, 'wasm/payload/index.ts', 'one');
    write(root, 'scripts/setup/cutter.mjs');
    assert.equal(part.isReady(), false, 'never compiled');
    const output = write(root, 'dist/src/intake/cut/payload.wasm');
    write(root, 'dist/.tidings-cutter', cutter.stampOf(root));
    assert.equal(part.isReady(), true);
    for (const file of [source, compiler]) {
      const before = readFileSync(file);
      writeFileSync(file, 'two');
      assert.equal(part.isReady(), false, file);
      writeFileSync(file, before);
      assert.equal(part.isReady(), true);
    }
    rmSync(output);
    assert.equal(part.isReady(), false, 'no output');
  });

  test('the module of the build has the bytes that the sources give', { timeout: 120_000 }, async (t) => {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const fresh = join(temporaryFolder(t), 'payload.wasm');
    await cutter.compileCutter(root, fresh);
    const built = readFileSync(join(root, 'dist/src/intake/cut/payload.wasm'));
    assert.ok(built.equals(readFileSync(fresh)));
  });
});

suite('dashboard', () => {
  test('is built again after a change of its sources, the client or the colors of the pages, or without its output', (t) => {
    const root = temporaryFolder(t);
    const part = dashboard.createDashboard(root);
    assert.equal(part.isReady(), true, 'a checkout without the sources');
    const sources = ['dashboard/main.tsx', 'dashboard/style.css', 'sdk/client.ts', 'src/pages/tokens.ts'].map((path) =>
      write(root, path, 'one'),
    );
    assert.equal(part.isReady(), false, 'never built');
    const output = write(root, 'dist/dashboard/files/index.html');
    write(root, 'dist/.tidings-dashboard', dashboard.stampOf(root));
    assert.equal(part.isReady(), true);
    for (const file of sources) {
      writeFileSync(file, 'two');
      assert.equal(part.isReady(), false, file);
      writeFileSync(file, 'one');
      assert.equal(part.isReady(), true);
    }
    rmSync(output);
    assert.equal(part.isReady(), false, 'no output');
  });
});

suite('nats-server', () => {
  test('reads and compares versions by number', () => {
    assert.equal(nats.parseVersion('nats-server: v2.10.27\n'), '2.10.27');
    assert.equal(nats.parseVersion('command not found'), undefined);
    assert.equal(nats.isAtLeast('2.10.27', '2.10.23'), true);
    assert.equal(nats.isAtLeast('2.10.23', '2.10.23'), true);
    assert.equal(nats.isAtLeast('2.11.0', '2.10.23'), true);
    assert.equal(nats.isAtLeast('2.9.30', '2.10.23'), false);
    assert.equal(nats.isAtLeast('2.10.9', '2.10.23'), false);
  });

  test('prefers the complete Debian keyring', () => {
    const choose = (files: Record<string, string[]>) => nats.chooseKeyring((folder: string) => files[folder] ?? []);
    const shared = '/usr/share/keyrings';
    const trusted = '/etc/apt/trusted.gpg.d';
    const trixie = ['debian-archive-trixie-automatic.gpg', 'debian-archive-trixie-stable.gpg'];
    const whole = 'debian-archive-keyring.gpg';
    assert.equal(choose({ [shared]: [...trixie, whole] }), `${shared}/${whole}`);
    assert.equal(choose({ [shared]: trixie }), `${shared}/${trixie[1]}`);
    assert.equal(
      choose({ [trusted]: ['debian-archive-trixie-automatic.asc'] }),
      `${trusted}/debian-archive-trixie-automatic.asc`,
    );
    assert.equal(choose({ [shared]: ['ubuntu-archive-keyring.gpg', 'debian-archive-removed-keys.gpg'] }), undefined);
  });

  test("uses only the network settings of the machine's apt", () => {
    const dump = [
      'Acquire "";',
      'Acquire::http::Proxy "http://proxy:3128";',
      'Acquire::Languages "all";',
      'Acquire::ForceIPv4 "true";',
      'Acquire::https::Verify-Peer "";',
    ].join('\n');
    const network = nats.networkSettings(dump);
    assert.deepEqual(network, ['Acquire::http::Proxy "http://proxy:3128";', 'Acquire::ForceIPv4 "true";']);
    const config = nats.aptConfig({ folder: '/x y/apt', architecture: 'arm64', network });
    assert.match(config, /^Acquire::http::Proxy "http:\/\/proxy:3128";\n/);
    assert.match(config, /^Dir::State::lists "\/x y\/apt\/state\/lists";$/m);
    assert.doesNotMatch(config, /"\/(etc|var)\//);
  });

  test('advises one command for each platform', () => {
    assert.match(nats.adviceFor('darwin', { hasApt: false }), /^brew install nats-server$/);
    assert.match(nats.adviceFor('linux', { hasApt: true, hasKeyring: false }), /debian-archive-keyring/);
    assert.match(nats.adviceFor('linux', { hasApt: false }), /^docker run .*TIDINGS_NATS_URL=/);
    assert.match(nats.adviceFor('win32', { hasApt: false }), /^docker run /);
  });

  test('is needed unless the settings name a server', () => {
    const named = { TIDINGS_NATS_URL: 'nats://127.0.0.1:4222' };
    assert.equal(setup.needsNats('optional', {}), true);
    assert.equal(setup.needsNats('optional', named), false);
    assert.equal(setup.needsNats('required', named), true);
  });
});

suite('Chromium', () => {
  const idle = { step: () => assert.fail('nothing is installed'), note: () => {} };
  const [found, missing] = [() => '/usr/bin/chromium', () => undefined];

  test('is a program that starts, not a script that explains how to install one', (t) => {
    const root = temporaryFolder(t);
    const program = (path: string, code: number) => {
      chmodSync(write(root, path, `#!/bin/sh\nexit ${code}\n`), 0o755);
    };
    const folders = [join(root, 'a'), join(root, 'b')];
    write(root, 'a/google-chrome', 'not executable');
    program('a/chromium', 1);
    assert.equal(chromium.findChromium(folders), undefined);
    program('b/chromium-browser', 0);
    assert.equal(chromium.findChromium(folders), join(root, 'b/chromium-browser'));
  });

  test('is required only when it is asked for, and then the error says what to install', async (t) => {
    const root = temporaryFolder(t);
    const part = (options: object) => chromium.createChromium(root, options);
    assert.equal(part({ find: found }).isReady(), true);
    assert.equal(part({ find: missing, canInstall: () => false, optional: true }).isReady(), true);
    assert.equal(part({ find: missing, canInstall: () => true, optional: true }).isReady(), false);
    const required = part({ find: missing, canInstall: () => false });
    assert.equal(required.isReady(), false);
    await assert.rejects(required.make(idle), { name: 'SetupError', next: /apt-get install chromium/ });
  });

  test('is not installed again for a day after a failure that only CI noticed', async (t) => {
    const root = temporaryFolder(t);
    mkdirSync(join(root, '.tools'));
    const notes: string[] = [];
    const step = async () => {
      throw new SetupError('apt-get update failed', { detail: 'E: no network' });
    };
    const part = chromium.createChromium(root, { optional: true, find: missing, canInstall: () => true });
    await part.make({ step, note: (text: string) => notes.push(text) });
    assert.match(notes.join('\n'), /^E: no network\napt-get update failed; browser tests are skipped/);
    assert.equal(part.isReady(), true);
    assert.equal(chromium.createChromium(root, { find: missing, canInstall: () => true }).isReady(), false);
  });
});

suite('nats-server for clusters', () => {
  /** Restores the PATH when the test ends. */
  function keepPath(t: TestContext): void {
    const path = process.env.PATH;
    afterwards(t, () => {
      process.env.PATH = path;
    });
  }

  /** Writes a program that prints a version and returns its path. */
  function program(root: string, path: string, version: string): string {
    const file = write(root, path, `#!/bin/sh\necho "nats-server: v${version}"\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test('is the one that the variable names, else the one that was built, else the one on the PATH', (t) => {
    const root = temporaryFolder(t);
    const find = (env: object = {}) => clusterNats.findClusterServer(root, env);
    keepPath(t);
    process.env.PATH = `${join(root, 'old')}:/usr/bin:/bin`;
    program(root, 'old/nats-server', '2.11.9');
    assert.equal(find(), undefined, 'too old');
    process.env.PATH = `${join(root, 'new')}:/usr/bin:/bin`;
    program(root, 'new/nats-server', '2.12.0');
    assert.deepEqual(find(), { path: 'nats-server', version: '2.12.0' });
    const built = program(root, '.tools/cluster/nats-server', '2.15.2');
    assert.deepEqual(find(), { path: built, version: '2.15.2' });
    const named = program(root, 'own/nats-server', '2.14.1');
    assert.deepEqual(find({ TIDINGS_TEST_NATS_SERVER: named }), { path: named, version: '2.14.1' });
    for (const wrong of [join(root, 'old/nats-server'), join(root, 'missing')]) {
      assert.throws(() => find({ TIDINGS_TEST_NATS_SERVER: wrong }), { name: 'SetupError' });
    }
  });

  test('is required only when it is asked for, and then the error says what to install', async (t) => {
    const root = temporaryFolder(t);
    keepPath(t);
    // Without Go, and without a server.
    process.env.PATH = join(root, 'empty');
    assert.equal(clusterNats.createClusterServer(root, { optional: true }).isReady(), true);
    const part = clusterNats.createClusterServer(root);
    assert.equal(part.isReady(), false);
    await assert.rejects(part.make({ step: () => assert.fail('nothing is built'), note: () => {} }), {
      name: 'SetupError',
      next: /install Go .* npm run setup -- --cluster$/,
    });
  });

  test('is built from module proxies only, never from the repositories', () => {
    assert.equal(clusterNats.proxiesOf('https://proxy.golang.org,direct'), 'https://proxy.golang.org');
    assert.equal(clusterNats.proxiesOf('direct'), 'https://proxy.golang.org');
    assert.equal(clusterNats.proxiesOf('https://a.test|https://b.test|direct'), 'https://a.test|https://b.test');
    assert.equal(clusterNats.proxiesOf('direct,https://direct.test'), 'https://direct.test');
    assert.equal(clusterNats.proxiesOf('off'), 'off');
  });
});

const aptUser = spawnSync('id', ['-u', '_apt'], { encoding: 'utf8' });
const needsApt = (process.getuid?.() !== 0 || aptUser.status !== 0) && 'needs root, and the user _apt';

suite('sandbox', () => {
  const folders = ['cache/archives/partial', 'download', 'state/lists/partial'];

  test("root fetches as apt's user, in folders that only this user can write", { skip: needsApt }, (t) => {
    const before = process.umask(0o077);
    afterwards(t, () => void process.umask(before));
    const root = temporaryFolder(t);
    chmodSync(root, 0o755);
    const sandbox = prepareSandbox(join(root, 'apt'));
    assert.deepEqual([sandbox.folder, sandbox.user, sandbox.note], [join(root, 'apt'), '_apt', undefined]);
    const [command, ...args] = sandbox.wrap('id', '-u');
    assert.equal(execFileSync(command, args, { encoding: 'utf8' }), aptUser.stdout);
    for (const folder of folders) {
      const { uid, mode } = statSync(join(sandbox.folder, folder));
      assert.deepEqual([uid, mode & 0o077], [Number(aptUser.stdout), 0], folder);
    }
    assert.match(nats.aptConfig({ ...sandbox, architecture: 'amd64', network: [] }), /^APT::Sandbox::User "_apt";$/m);
    sandbox.remove();
    assert.equal(existsSync(sandbox.folder), false);
  });

  test("root fetches in a temporary folder when apt's user cannot reach the checkout", { skip: needsApt }, (t) => {
    const own = join(temporaryFolder(t), 'apt');
    const sandbox = prepareSandbox(own);
    afterwards(t, () => sandbox.remove());
    assert.deepEqual([dirname(sandbox.folder), sandbox.user, existsSync(own)], [tmpdir(), '_apt', false]);
    assert.equal(statSync(sandbox.folder).uid, 0);
  });

  test('root fetches as root without that user, and reports this', (t) => {
    const own = join(temporaryFolder(t), 'apt');
    const sandbox = prepareSandbox(own, { isRoot: true, user: 'tidings-no-such-user' });
    assert.deepEqual([sandbox.folder, sandbox.user, sandbox.wrap('id', '-u')], [own, 'root', ['id', '-u']]);
    assert.equal(sandbox.note, 'apt worked as root: there is no user tidings-no-such-user');
    for (const folder of folders) assert.deepEqual(readdirSync(join(own, folder)), []);
  });

  test('any other user fetches as itself, in the checkout', (t) => {
    const own = join(temporaryFolder(t), 'apt');
    const sandbox = prepareSandbox(own, { isRoot: false });
    assert.deepEqual([sandbox.folder, sandbox.wrap('id'), sandbox.note], [own, ['id'], undefined]);
    for (const folder of folders) assert.ok(existsSync(join(own, folder)), folder);
  });

  test('only folders and plain files of an unpacked package are copied', (t) => {
    const root = temporaryFolder(t);
    const program = write(root, 'from/usr/sbin/server', 'program');
    chmodSync(program, 0o755);
    chmodSync(write(root, 'from/usr/sbin/raised'), 0o4755);
    symlinkSync('/etc', join(root, 'from/usr/share'));
    copyPlain(join(root, 'from'), join(root, 'to'));
    assert.deepEqual(readdirSync(join(root, 'to'), { recursive: true }).sort(), ['usr', 'usr/sbin', 'usr/sbin/server']);
    const copied = join(root, 'to/usr/sbin/server');
    assert.deepEqual([readFileSync(copied, 'utf8'), statSync(copied).mode & 0o100], ['program', 0o100]);
  });
});

suite('lock', () => {
  test('makes a second set-up wait for the first', async (t) => {
    const folder = join(temporaryFolder(t), 'setup.lock');
    mkdirSync(folder);
    // The parent process is a suitable owner of the lock: it is running, and it is not this process.
    writeFileSync(join(folder, String(process.ppid)), '');
    await assert.rejects(acquireLock(folder, { waitMs: 150 }), { name: 'SetupError' });
    rmSync(folder, { recursive: true });
    const first = await acquireLock(folder);
    first.release();
    assert.equal(existsSync(folder), false);
  });

  test('takes the lock of a dead owner', async (t) => {
    const folder = join(temporaryFolder(t), 'setup.lock');
    mkdirSync(folder);
    writeFileSync(join(folder, '99999999'), '');
    const { release } = await acquireLock(folder, { waitMs: 1_000 });
    assert.equal(existsSync(join(folder, String(process.pid))), true);
    release();
  });

  test('waits for the programs that a dead owner started', async (t) => {
    const folder = join(temporaryFolder(t), 'setup.lock');
    mkdirSync(folder);
    writeFileSync(join(folder, '99999999'), `${process.ppid}\n`);
    await assert.rejects(acquireLock(folder, { waitMs: 150 }), { name: 'SetupError' });
  });
});

suite('command lines', () => {
  test('rejects unknown options and refers to --help', () => {
    assert.deepEqual(setup.parseOptions(['--only', 'nats']).only, ['nats']);
    assert.equal(setup.parseOptions(['--cluster']).cluster, 'required');
    assert.equal(setup.parseOptions(['--chromium']).chromium, 'required');
    assert.deepEqual([setup.parseOptions([]).cluster, setup.parseOptions([]).chromium], [undefined, undefined]);
    for (const args of [['--fast'], ['--only', 'moon'], ['--nats', 'maybe']]) {
      assert.throws(() => setup.parseOptions(args), { name: 'SetupError', next: /--help/ });
    }
  });

  test('sorts test files into suites', (t) => {
    const root = temporaryFolder(t);
    const files = [
      'src/foundation/ids',
      'config/load',
      'scripts/x',
      'integration/lane',
      'e2e/webhook',
      'cluster/lanes',
      'architecture',
    ];
    for (const file of files) write(root, `test/${file}.test.ts`);
    write(root, 'test/helpers/service.ts');
    const list = (name: string, filters?: string[]) => runner.suiteFiles(name, filters, root);
    assert.deepEqual(list('unit'), [
      'test/config/load.test.ts',
      'test/scripts/x.test.ts',
      'test/src/foundation/ids.test.ts',
    ]);
    assert.deepEqual(list('unit', ['ids']), ['test/src/foundation/ids.test.ts']);
    assert.deepEqual(list('integration'), ['test/integration/lane.test.ts']);
    assert.deepEqual(list('e2e'), ['test/e2e/webhook.test.ts']);
    assert.deepEqual(list('cluster'), ['test/cluster/lanes.test.ts']);
    assert.deepEqual(list('architecture'), ['test/architecture.test.ts']);
  });

  test('separates the files that run alone from those that run side by side', () => {
    for (const name of ['integration', 'e2e']) {
      const files = runner.suiteFiles(name);
      const { together, alone } = runner.splitFiles(name, files);
      assert.deepEqual([...together, ...alone].sort(), files, 'each file runs once');
      assert.deepEqual(alone, runner.aloneFiles(name), 'each file that must run alone exists');
    }
    const files = ['test/e2e/kill.test.ts', 'test/e2e/spec-timing.test.ts'];
    assert.deepEqual(runner.splitFiles('e2e', files), { together: [files[0]], alone: [files[1]] });
    assert.deepEqual(runner.splitFiles('unit', files), { together: files, alone: [] });
  });

  test("passes options to Node's test runner", () => {
    assert.deepEqual(runner.splitArguments(['lane', '--test-only']), { options: ['--test-only'], filters: ['lane'] });
  });

  test('causes all cluster faults on one cluster in the short form, and each on its own in the long form', () => {
    const [all, each] = ['test/cluster/all-faults.test.ts', 'test/cluster/faults/kill-node.test.ts'];
    const pick = (filters: string[], isLong: boolean) =>
      runner.clusterFiles(filters, isLong).filter((file: string) => file === all || file === each);
    assert.deepEqual(pick([], false), [all]);
    assert.deepEqual(pick([], true), [each]);
    assert.deepEqual(pick(['kill-node'], false), [each]);
    assert.deepEqual(pick(['all-faults'], true), [all]);
  });

  test('keeps the options of the cluster tests from the test runner', () => {
    const { options, others } = runner.splitClusterOptions([
      'lanes',
      '--long',
      '--rounds=3',
      '--no-fence',
      '--release=../last',
      '--test-only',
      '--longer',
    ]);
    assert.deepEqual(
      [options, others],
      [
        ['--long', '--rounds=3', '--no-fence', '--release=../last'],
        ['lanes', '--test-only', '--longer'],
      ],
    );
  });

  test('describes a failure and the next step', () => {
    const error = new SetupError('npm ci failed', { detail: 'E404\nE500', expected: 'a registry', next: 'try again' });
    const text = ['✗ npm ci failed', '  E404', '  E500', '  needed: a registry', '  next:   try again'].join('\n');
    assert.equal(describeFailure(error), text);
  });
});
