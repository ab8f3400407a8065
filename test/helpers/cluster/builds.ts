/**
 * Provides two builds of the service for tests of rolling upgrades. `--release=FOLDER` names a built checkout of the last
 * release; then this build is the newer one. Otherwise this build is the older one, and the newer one is a copy of it
 * that knows one more version of the fold rules.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { releaseFolder } from '../cluster-options.ts';
import { temporaryFolder } from '../ports.ts';

/** A build of the service. */
export interface Build {
  /** Path of its main program. */
  program: string;
  version: string;
  /** The highest version of fold rules that it knows. */
  foldVersion: number;
}

export interface Builds {
  older: Build;
  newer: Build;
  /** The row of `meta` in which the newer build counts what it has folded by its new rules; undefined for a release. */
  counter: string | undefined;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { bundlePrograms } = await import(new URL('../../../../scripts/setup/programs.mjs', import.meta.url).href);
const counter = 'foldedByNewRules';
const versionPattern = /^export const foldVersion = (\d+);$/m;
/** The beginning of the function that is called once for each folded message. */
const digestPattern = /^export function addToDigest\(partition: .*\{$/m;

/** Returns the two builds. A copy is removed when the test ends. */
export async function makeBuilds(t: TestContext): Promise<Builds> {
  if (releaseFolder === undefined) return { older: buildIn(root), newer: await makeNext(t), counter };
  const release = buildIn(resolve(releaseFolder));
  assert.ok(release.foldVersion <= buildIn(root).foldVersion, 'the release is not newer than this build');
  return { older: release, newer: buildIn(root), counter: undefined };
}

function buildIn(folder: string): Build {
  const program = join(folder, 'dist/src/main.js');
  assert.ok(existsSync(program), `${folder} is not built`);
  const [, foldVersion] = found(readFileSync(join(folder, 'workers/fold/lead.ts'), 'utf8'), versionPattern);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { program, version, foldVersion: Number(foldVersion) };
}

/** Changes the first match of a pattern in a source file. Fails if there is none. */
type Patch = (file: string, pattern: RegExp, change: (text: string) => string) => void;

/**
 * Copies the sources of this build, changes them and bundles the programs again. The copy is removed when the test ends.
 * @returns the main program of the copy
 */
export async function changedBuild(t: TestContext, change: (patch: Patch) => void): Promise<string> {
  return buildIn(await copyBuild(t, '', change)).program;
}

/** Returns the folder of a changed copy. @param suffix what its version ends with */
async function copyBuild(t: TestContext, suffix: string, change: (patch: Patch) => void): Promise<string> {
  const folder = temporaryFolder(t);
  const parts = ['src', 'workers', 'config', 'sdk', 'tsconfig.json', 'dist/src', 'dist/client', 'dist/dashboard'];
  for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['node_modules', 'docs']) symlinkSync(join(root, part), join(folder, part));
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...facts, version: `${facts.version}${suffix}` }));
  change((file, pattern, changed) => patch(join(folder, file), pattern, changed));
  await bundlePrograms(folder);
  return folder;
}

/**
 * Makes a build that knows one more version of the fold rules. Under this version, each message that is folded also
 * increases a counter in the store, so the stores show where the new rules began.
 */
async function makeNext(t: TestContext): Promise<Build> {
  const next = buildIn(root).foldVersion + 1;
  const rule = `  const { meta } = partition.tables;
  if (meta.get('foldVersion') >= ${next}) meta.putSync('${counter}', (meta.get('${counter}') ?? 0) + 1);`;
  const folder = await copyBuild(t, '-next', (change) => {
    change('workers/fold/lead.ts', versionPattern, () => `export const foldVersion = ${next};`);
    change('workers/fold/digest.ts', digestPattern, (line) => `${line}\n${rule}`);
  });
  return buildIn(folder);
}

function patch(file: string, pattern: RegExp, change: (text: string) => string): void {
  const before = readFileSync(file, 'utf8');
  found(before, pattern);
  writeFileSync(file, before.replace(pattern, change));
}

function found(text: string, pattern: RegExp): RegExpExecArray {
  return pattern.exec(text) ?? assert.fail(`the sources have no line ${pattern}. Change this test with them.`);
}
