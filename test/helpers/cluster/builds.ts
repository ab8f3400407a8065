/**
 * Provides two builds of the service for tests of rolling upgrades. `--release=FOLDER` names a built checkout of the last
 * release; then this build is the newer one. Otherwise this build is the older one, and the newer one is a copy of it
 * that knows one more version of the fold rules.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
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
const counter = 'foldedByNewRules';
const versionPattern = /^export const foldVersion = (\d+);$/m;

/** Returns the two builds. A copy is removed when the test ends. */
export function makeBuilds(t: TestContext): Builds {
  if (releaseFolder === undefined) return { older: buildIn(root), newer: makeNext(t), counter };
  const release = buildIn(resolve(releaseFolder));
  assert.ok(release.foldVersion <= buildIn(root).foldVersion, 'the release is not newer than this build');
  return { older: release, newer: buildIn(root), counter: undefined };
}

function buildIn(folder: string): Build {
  const program = join(folder, 'dist/src/main.js');
  assert.ok(existsSync(program), `${folder} is not built`);
  const [, foldVersion] = found(readFileSync(join(folder, 'dist/workers/fold/lead.js'), 'utf8'), versionPattern);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { program, version, foldVersion: Number(foldVersion) };
}

/**
 * Copies this build. The copy knows one more version of the fold rules. Under this version, each message that is folded
 * also increases a counter in the store, so the stores show where the new rules began.
 */
function makeNext(t: TestContext): Build {
  const folder = temporaryFolder(t);
  const { foldVersion, version } = buildIn(root);
  mkdirSync(join(folder, 'dist'));
  for (const part of ['src', 'workers', 'config', 'client', 'dashboard', 'sdk'])
    cpSync(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true });
  for (const part of ['node_modules', 'config', 'docs']) symlinkSync(join(root, part), join(folder, part));
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...facts, version: `${version}-next` }));
  const next = foldVersion + 1;
  patch(folder, 'workers/fold/lead.js', versionPattern, `export const foldVersion = ${next};`);
  const [line] = found(readFileSync(join(folder, 'dist/workers/fold/digest.js'), 'utf8'), digestPattern);
  const rule = `    const { meta } = partition.tables;
    if (meta.get('foldVersion') >= ${next}) meta.putSync('${counter}', (meta.get('${counter}') ?? 0) + 1);`;
  patch(folder, 'workers/fold/digest.js', digestPattern, `${line}\n${rule}`);
  return buildIn(folder);
}

/** The beginning of the function that is called once for each folded message. */
const digestPattern = /^export function addToDigest\(partition, message\) \{$/m;

function patch(folder: string, file: string, pattern: RegExp, text: string): void {
  const path = join(folder, 'dist', file);
  const before = readFileSync(path, 'utf8');
  found(before, pattern);
  writeFileSync(path, before.replace(pattern, text));
}

function found(text: string, pattern: RegExp): RegExpExecArray {
  return pattern.exec(text) ?? assert.fail(`the build has no line ${pattern}. Change this test with the program.`);
}
