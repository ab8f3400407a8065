/**
 * Provides two builds of the service for tests of rolling upgrades. `--release=FOLDER` names a built checkout of the last
 * release; then this build is the newer one. Otherwise this build is the older one, and the newer one is a copy of it
 * that knows one more version of the fold rules.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import { releaseFolder } from '../cluster-options.ts';
import { changedBuild, found, programIn, root } from './changed-build.ts';

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

const rules = 'workers/fold/lead.ts';
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
  const program = programIn(folder);
  assert.ok(existsSync(program), `${folder} is not built`);
  const [, foldVersion] = found(readFileSync(join(folder, rules), 'utf8'), versionPattern);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return { program, version, foldVersion: Number(foldVersion) };
}

/**
 * Makes a build that knows one more version of the fold rules. Under this version, each message that is folded also
 * increases a counter in the store, so the stores show where the new rules began.
 */
async function makeNext(t: TestContext): Promise<Build> {
  const next = buildIn(root).foldVersion + 1;
  const rule = `  const { meta } = partition.tables;
  if (meta.get('foldVersion') >= ${next}) meta.putSync('${counter}', (meta.get('${counter}') ?? 0) + 1);`;
  const folder = await changedBuild(t, 'next', [
    { file: rules, pattern: versionPattern, to: () => `export const foldVersion = ${next};` },
    { file: 'workers/fold/digest.ts', pattern: digestPattern, to: (line) => `${line}\n${rule}` },
  ]);
  return buildIn(folder);
}
