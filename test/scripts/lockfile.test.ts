/**
 * The lockfiles name what is installed by content: each package has its SHA-512, none has an address, no version is a range.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Entry {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string | string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['', 'bench/peers/'];

function read(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

/** The packages of a lockfile by name, without the root and links to folders. */
function entriesOf(folder: string): [string, Entry][] {
  const { packages } = read(`${folder}package-lock.json`) as { packages: Record<string, Entry> };
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.link)
    .map(([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry]);
}

/**
 * Packages whose hash could not be had from a registry yet. The list may only shrink: none of them is installed where the
 * service runs in production (Linux with glibc on x64 or arm64).
 */
const withoutHash = new Set([
  ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl', 'linux-x64-musl'].map(biome),
  ...['win32-arm64', 'win32-x64'].map(biome),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm', 'win32-x64'].map(
    (target) => `@msgpackr-extract/msgpackr-extract-${target}`,
  ),
  ...['android-arm-eabi', 'android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf'].map(oxc),
  ...['linux-arm-musleabihf', 'linux-ppc64-gnu', 'linux-riscv64-gnu', 'linux-riscv64-musl', 'linux-s390x-gnu'].map(oxc),
  ...['openharmony-arm64', 'win32-arm64-msvc', 'win32-ia32-msvc', 'win32-x64-msvc'].map(oxc),
  ...['darwin-arm64', 'darwin-x64', 'linux-arm64', 'windows-arm64', 'windows-x64'].map(
    (target) => `git-cliff-${target}`,
  ),
]);

function biome(target: string): string {
  return `@biomejs/cli-${target}`;
}

function oxc(target: string): string {
  return `@oxc-parser/binding-${target}`;
}

/** Whether npm installs a package where the service runs in production. */
function isForProduction({ dev, os, cpu, libc }: Entry): boolean {
  const allows = (list: string | string[] | undefined, value: string) =>
    list === undefined || [list].flat().includes(value);
  return !dev && allows(os, 'linux') && (allows(cpu, 'x64') || allows(cpu, 'arm64')) && allows(libc, 'glibc');
}

test('every locked package has its SHA-512, but for those whose registry could not be asked', () => {
  const entries = folders.flatMap(entriesOf);
  const missing = entries.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  assert.deepEqual(missing.map(([name]) => name).sort(), [...withoutHash].sort());
  assert.ok(entries.length > 300, `${entries.length} packages`);
});

test('every package of the service has its SHA-512 on each platform it runs on', () => {
  const wanted = entriesOf('').filter(([, entry]) => isForProduction(entry));
  assert.deepEqual(
    wanted.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([name]) => name),
    [],
  );
  const server = wanted.map(([name]) => name).filter((name) => name.startsWith('@uwsjs/linux-arm64-'));
  assert.deepEqual(
    server,
    ['18', '20', '22', '23'].map((major) => `@uwsjs/linux-arm64-${major}`),
  );
});

test('no locked package has an address of its own: the registry in use answers for each', () => {
  for (const [name, { resolved }] of folders.flatMap(entriesOf)) assert.equal(resolved, undefined, name);
});

test('every version that package.json asks for is exact', () => {
  const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
  for (const folder of folders) {
    const { dependencies = {}, devDependencies = {} } = read(`${folder}package.json`);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(version as string, exact, name);
    }
  }
});
