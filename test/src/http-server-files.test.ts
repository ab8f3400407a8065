/**
 * What is installed as HTTP server is what was reviewed, and a file that differs is named.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  checkServerFiles,
  installedServer,
  requireReviewedServer,
  reviewedServer,
} from '../../src/http-server-files.ts';
import { temporaryFolder } from '../helpers/ports.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const name = `linux-${process.arch}-${process.versions.node.split('.')[0]}`;

/** A copy of the installed packages that a test may change. */
function copyOfServer(t: TestContext): string {
  const modules = join(temporaryFolder(t), 'node_modules');
  mkdirSync(modules);
  cpSync(installedServer(), join(modules, 'uWebSockets.js'), { recursive: true });
  cpSync(join(dirname(installedServer()), '@uwsjs', name), join(modules, '@uwsjs', name), { recursive: true });
  return join(modules, 'uWebSockets.js');
}

test('the installed server is the reviewed one', () => {
  const { same, text } = checkServerFiles();
  assert.equal(same, true, text);
  requireReviewedServer();
});

test('a changed binary and a changed script are refused and named', (t) => {
  const folder = copyOfServer(t);
  assert.equal(checkServerFiles(folder).same, true);
  appendFileSync(join(folder, 'ESM_wrapper.mjs'), '\n');
  assert.match(checkServerFiles(folder).text, /ESM_wrapper\.mjs is [0-9a-f]{64}, expected [0-9a-f]{64}$/);
  for (const script of [
    `uws_linux_${process.arch}_${process.versions.modules}.node.js`,
    `../@uwsjs/${name}/index.js`,
  ]) {
    const other = copyOfServer(t);
    appendFileSync(join(other, script), '\n');
    assert.ok(checkServerFiles(other).text.startsWith(`HTTP server: ${join(other, script)} is `), script);
  }
  const binary = join(dirname(folder), '@uwsjs', name, 'uws.node');
  appendFileSync(binary, '\0');
  const { same, text } = checkServerFiles(folder);
  assert.equal(same, false);
  assert.ok(text.startsWith(`HTTP server: ${binary} is `), text);
});

test('a platform that was not reviewed is refused', () => {
  assert.deepEqual(checkServerFiles(installedServer(), { ...reviewedServer(), binaries: {} }), {
    same: false,
    text: `HTTP server: @uwsjs/${name} is not in config/http-server.json`,
  });
});

test('the list is of the locked version and has each of its binaries once', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = packages['node_modules/uWebSockets.js'];
  const reviewed = reviewedServer();
  assert.deepEqual([locked.name, locked.version], [reviewed.package, reviewed.version]);
  assert.deepEqual(Object.keys(reviewed.binaries), Object.keys(locked.optionalDependencies).sort());
  const blobs = Object.values(reviewed.binaries).map(({ gitBlob }) => gitBlob);
  assert.equal(new Set(blobs).size, blobs.length);
  for (const blob of blobs) assert.match(blob, /^[0-9a-f]{40}$/);
});
