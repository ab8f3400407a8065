/**
 * Makes a changed build of the service: copies the sources of this build, changes the copy, and bundles the programs
 * again. So the program itself needs no setting for a test.
 */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../ports.ts';

/** The folder of this checkout. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
const { bundlePrograms } = await import(new URL('../../../../scripts/setup/programs.mjs', import.meta.url).href);
const sources = ['src', 'workers', 'config', 'sdk', 'test/helpers/faults', 'tsconfig.json'];
const outputs = ['dist/src', 'dist/client', 'dist/dashboard'];

/** A change of a source file. */
export interface Change {
  file: string;
  /** Must match a text in the file. */
  pattern: RegExp;
  to: (text: string) => string;
}

/** Makes a changed build, and returns its folder. The folder is removed when the test ends. */
export async function changedBuild(t: TestContext, name: string, changes: readonly Change[]): Promise<string> {
  const folder = temporaryFolder(t);
  for (const part of [...sources, ...outputs]) cpSync(join(root, part), join(folder, part), { recursive: true });
  for (const part of ['node_modules', 'docs']) symlinkSync(join(root, part), join(folder, part));
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...facts, version: `${facts.version}-${name}` }));
  for (const { file, pattern, to } of changes) {
    const text = readFileSync(join(folder, file), 'utf8');
    found(text, pattern);
    writeFileSync(join(folder, file), text.replace(pattern, to));
  }
  await bundlePrograms(folder);
  return folder;
}

/** Returns the main program of the build in a folder. */
export function programIn(folder: string): string {
  return join(folder, 'dist/src/main.js');
}

/** Returns what a pattern finds in a source text. */
export function found(text: string, pattern: RegExp): RegExpExecArray {
  return pattern.exec(text) ?? assert.fail(`the sources have no line ${pattern}. Change this test with them.`);
}
