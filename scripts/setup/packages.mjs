// Installs the npm packages unless node_modules already matches the lockfile, this Node version and this machine.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './console.mjs';
import { runNpm } from './npm.mjs';

const MIN_NODE = [20, 19];
const HTTP_SERVER = 'node_modules/uWebSockets.js';

/**
 * Returns the reason why this Node version cannot run Tidings, or undefined if it can. The native HTTP server has one
 * binary per platform and major version of Node.
 */
export function nodeProblem(version, lock, { platform, arch, glibc = true }) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  const majors = supportedMajors(lock, platform, arch);
  if (majors.length === 0) return `there is no build of the HTTP server for ${platform}-${arch}`;
  if (!glibc) return 'the native packages need glibc, and this Linux has another C library (musl)';
  const wanted = `${MIN_NODE.join('.')} or later of Node 20, or Node ${majors.filter((m) => m > MIN_NODE[0]).join(' or ')}`;
  const tooOld = major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1]);
  if (tooOld || !majors.includes(major)) return `Node ${version} cannot run Tidings, which needs ${wanted}`;
  return undefined;
}

function supportedMajors(lock, platform, arch) {
  const prefix = `@uwsjs/${platform}-${arch}-`;
  return Object.keys(lock.packages[HTTP_SERVER]?.optionalDependencies ?? {})
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number(name.slice(prefix.length)))
    .filter((major) => major >= MIN_NODE[0])
    .sort((a, b) => a - b);
}

/**
 * Returns the native packages that Tidings requires on a platform. They are optional packages for npm, so npm skips
 * them silently when their installation fails.
 */
export function nativePackages({ platform, arch, version }) {
  const major = version.replace(/^v/, '').split('.')[0];
  return [
    `@uwsjs/${platform}-${arch}-${major}`,
    `@lmdb/lmdb-${platform}-${arch}`,
    `@typescript/typescript-${platform}-${arch}`,
    `@esbuild/${platform}-${arch}`,
  ];
}

/** Whether npm's list of installed packages (`installed`) matches the lockfile and contains the native packages. */
export function installedMatches(lock, installed, natives) {
  for (const [path, entry] of Object.entries(installed.packages)) {
    const wanted = lock.packages[path];
    if (wanted?.version !== entry.version) return false;
    if (wanted.integrity && entry.integrity && wanted.integrity !== entry.integrity) return false;
  }
  for (const [path, wanted] of Object.entries(lock.packages)) {
    const optional = path === '' || wanted.optional || wanted.devOptional;
    if (!optional && !installed.packages[path]) return false;
  }
  return natives.every((name) => installed.packages[`node_modules/${name}`]);
}

/**
 * Returns a text that identifies one state of node_modules. The text contains a hash of the lockfile and of the
 * requested dependencies, the platform, and the Node ABI.
 */
export function packagesStamp(lockText, manifest, { platform, arch, abi }) {
  const asked = JSON.stringify([manifest.dependencies, manifest.devDependencies]);
  const hash = createHash('sha256').update(lockText).update(asked).digest('hex');
  return `${hash} ${platform}-${arch} abi-${abi}\n`;
}

/**
 * Returns the part of set-up that installs the packages. `isReady()` takes a few milliseconds. `install(report)` makes
 * node_modules match the lockfile.
 */
export function createPackages(root) {
  const stampFile = join(root, 'node_modules', '.tidings-lock');
  const machine = { platform: process.platform, arch: process.arch, version: process.version };
  const natives = nativePackages(machine);
  const lockText = read(join(root, 'package-lock.json'));
  const manifestText = read(join(root, 'package.json'));
  if (lockText === undefined || manifestText === undefined) {
    throw new SetupError('package.json or package-lock.json is missing', {
      next: 'check out the repository again; it contains the lockfile',
    });
  }
  const lock = JSON.parse(lockText);
  const manifest = JSON.parse(manifestText);
  const stamp = packagesStamp(lockText, manifest, { ...machine, abi: process.versions.modules });

  return {
    assertNode() {
      const problem = nodeProblem(machine.version, lock, { ...machine, glibc: hasGlibc() });
      if (!problem) return;
      throw new SetupError(problem, { next: 'install Node 22 (or 20.19) and run the same command again' });
    },

    isReady() {
      return read(stampFile) === stamp && natives.every(isPresent);
    },

    async install(report) {
      // Packages that were installed by hand are accepted if they match the lockfile, because a second installation
      // would take 10 s.
      if (matchesByContent()) return writeFileSync(stampFile, stamp);
      await report.step('installing packages', async () => {
        const { code, output } = await npmCi(root);
        if (code !== 0) {
          throw new SetupError('npm ci failed', {
            detail: tail(output),
            expected: 'a package-lock.json that matches package.json, and a registry that answers',
            next: 'see the lines above; after a network fault run the same command again',
          });
        }
        assertNatives();
        writeFileSync(stampFile, stamp);
        return `packages installed for Node ${process.versions.node}`;
      });
    },
  };

  function isPresent(name) {
    return existsSync(join(root, 'node_modules', name, 'package.json'));
  }

  function matchesByContent() {
    const installed = read(join(root, 'node_modules', '.package-lock.json'));
    if (installed === undefined || !natives.every(isPresent)) return false;
    const asked = lock.packages[''];
    const inStep = (kind) => JSON.stringify(asked[kind] ?? {}) === JSON.stringify(manifest[kind] ?? {});
    return (
      inStep('dependencies') && inStep('devDependencies') && installedMatches(lock, JSON.parse(installed), natives)
    );
  }

  function assertNatives() {
    const missing = natives.filter((name) => !isPresent(name));
    if (missing.length === 0) return;
    throw new SetupError(`npm did not install ${missing.join(', ')}`, {
      expected: `the native packages for ${machine.platform}-${machine.arch}; npm skips them silently on a failed download`,
      next: 'run the same command again; if it persists, use the Docker image or another Node version',
    });
  }
}

function npmCi(root) {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund'];
  return runNpm(args, { cwd: root });
}

function hasGlibc() {
  if (process.platform !== 'linux') return true;
  // By default Node's diagnostic report resolves the names of network interfaces, which takes long with slow DNS.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function tail(output, lines = 20) {
  return output.trimEnd().split('\n').slice(-lines).join('\n');
}
