/**
 * Tests the lockfiles: each package has its SHA-512, no package has a download address, and no version is a range.
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
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
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

/** Returns the packages of a lockfile by name, without the root and without links to folders. */
function entriesOf(folder: string): [string, Entry][] {
  const { packages } = read(`${folder}package-lock.json`) as { packages: Record<string, Entry> };
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.link)
    .map(([path, entry]) => [path.replace(/^.*node_modules\//, ''), entry]);
}

/** Whether npm installs a package in production, on Linux with glibc. */
function isForProduction({ dev, os, cpu, libc }: Entry): boolean {
  const allows = (list: string | string[] | undefined, value: string) =>
    list === undefined || [list].flat().includes(value);
  return !dev && allows(os, 'linux') && (allows(cpu, 'x64') || allows(cpu, 'arm64')) && allows(libc, 'glibc');
}

test('every locked package has its SHA-512', () => {
  const entries = folders.flatMap(entriesOf);
  const missing = entries.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
  assert.deepEqual(
    missing.map(([name]) => name),
    [],
  );
  assert.ok(entries.length > 300, `${entries.length} packages`);
});

test('every dependency of a locked package is locked too, for each platform', () => {
  for (const folder of folders) {
    const entries = entriesOf(folder);
    const locked = new Set(entries.map(([name]) => name));
    const named = entries.flatMap(([, entry]) => Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }));
    assert.deepEqual(
      named.filter((name) => !locked.has(name)),
      [],
    );
    assert.ok(named.length > 20, `${named.length} packages`);
  }
});

test('overrides change no package that the service uses in production', () => {
  const overridden = Object.keys(read('package.json').overrides);
  const used = entriesOf('').filter(([, entry]) => isForProduction(entry));
  assert.deepEqual(
    used.map(([name]) => name).filter((name) => overridden.includes(name)),
    [],
  );
  const locked = new Set(entriesOf('').map(([name]) => name));
  assert.deepEqual(
    overridden.filter((name) => !locked.has(name)),
    [],
  );
});

test('no locked package has an address, so that the configured registry serves each', () => {
  for (const [name, { resolved }] of folders.flatMap(entriesOf)) assert.equal(resolved, undefined, name);
});

test('every version in package.json is exact', () => {
  const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
  for (const folder of folders) {
    const { dependencies = {}, devDependencies = {}, overrides = {} } = read(`${folder}package.json`);
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...overrides })) {
      assert.match(version as string, exact, name);
    }
  }
});
