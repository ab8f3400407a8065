/**
 * Tests the check of the installed files of uWebSockets.js: they must be the reviewed files, and the error names a file
 * that differs.
 */
import assert from 'node:assert/strict';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import {
  checkServerFiles,
  HttpServerError,
  installedServer,
  requireReviewedServer,
  reviewedServer,
} from '../../../src/supervisor/http-server-files.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const name = `linux-${process.arch}-${process.versions.node.split('.')[0]}`;

/** Copies the installed package and returns the folder of the copy. A test may change the copy. */
function copyOfServer(t: TestContext): string {
  const modules = join(temporaryFolder(t), 'node_modules');
  mkdirSync(modules);
  cpSync(installedServer(), join(modules, 'uWebSockets.js'), { recursive: true });
  cpSync(join(dirname(installedServer()), '@uwsjs', name), join(modules, '@uwsjs', name), { recursive: true });
  return join(modules, 'uWebSockets.js');
}

test('the installed server is the reviewed one', () => {
  const { verdict, text } = checkServerFiles();
  assert.equal(verdict, 'same', text);
});

test('a changed binary and a changed script are refused and named', (t) => {
  const folder = copyOfServer(t);
  assert.equal(checkServerFiles(folder).verdict, 'same');
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
  cpSync(join(installedServer(), 'ESM_wrapper.mjs'), join(folder, 'ESM_wrapper.mjs'));
  const list = reviewedServer();
  for (const [compared, verdict] of [
    [true, 'different'],
    [false, 'unsure'],
  ] as const) {
    const entry = { ...(list.binaries[`@uwsjs/${name}`] as (typeof list.binaries)[string]), compared };
    const found = checkServerFiles(folder, { ...list, binaries: { [`@uwsjs/${name}`]: entry } });
    assert.equal(found.verdict, verdict);
    assert.ok(found.text.startsWith(`HTTP server: ${binary} is `), found.text);
  }
});

test('a platform that was not reviewed is refused', () => {
  assert.deepEqual(checkServerFiles(installedServer(), { ...reviewedServer(), binaries: {} }), {
    verdict: 'different',
    text: `HTTP server: @uwsjs/${name} is not in config/http-server.json`,
  });
});

test('the error for a binary that npm left out names it', (t) => {
  const folder = copyOfServer(t);
  rmSync(join(dirname(folder), '@uwsjs'), { recursive: true });
  const text = `HTTP server: @uwsjs/${name} is not installed`;
  assert.deepEqual(checkServerFiles(folder), { verdict: 'different', text });
});

test('a start fails for a different server and only warns for an unsure one', () => {
  const warned: string[] = [];
  const logger = pino({}, { write: (line: string) => void warned.push(JSON.parse(line).msg) });
  requireReviewedServer(logger, { verdict: 'same', text: 'a' });
  requireReviewedServer(logger, { verdict: 'unsure', text: 'b' });
  assert.throws(() => requireReviewedServer(logger, { verdict: 'different', text: 'c' }), HttpServerError);
  assert.deepEqual(warned, ['b: see docs/provenance.md']);
});

test('the list has the locked version and each of its binaries once', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const locked = packages['node_modules/uWebSockets.js'];
  const reviewed = reviewedServer();
  assert.deepEqual([locked.name, locked.version], [reviewed.package, reviewed.version]);
  assert.deepEqual(Object.keys(reviewed.binaries), Object.keys(locked.optionalDependencies).sort());
  const blobs = Object.values(reviewed.binaries).map(({ gitBlob }) => gitBlob);
  assert.equal(new Set(blobs).size, blobs.length);
  for (const blob of blobs) assert.match(blob, /^[0-9a-f]{40}$/);
});
