/**
 * Tests the demo as a newcomer sees it: one screen with addresses that work while the demo runs, and no data left
 * afterwards.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { afterwards } from '../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../demo/main.js', import.meta.url));
const tidings = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');

test('the demo shows one screen, and its addresses work until it is stopped', async (t) => {
  const demo = await start(t);
  await waitUntil('the demo shows its screen', () => {
    assert.equal(demo.process.exitCode, null, demo.output());
    return demo.output().includes('Ctrl-C ends it');
  });
  const screen = demo.output().slice(demo.output().indexOf('───'));
  assert.ok(screen.split('\n').length <= 48, screen);
  const [, excerpt = ''] = /<!-- excerpts:start -->\n```\n([\s\S]*?)```/.exec(readme) ?? [];
  assert.ok(excerpt !== '' && screen.includes(excerpt), screen);

  const addressOf = (what: string): string => new RegExp(`^ ${what} +(\\S+)$`, 'm').exec(screen)?.[1] as string;
  const get = async (address: string, headers = {}) => {
    const response = await fetch(address, { headers });
    return [response.status, await response.text()] as const;
  };
  const [status, page] = await get(addressOf("The customer's note"));
  assert.equal(status, 200);
  assert.match(page, /<h1>v2\.0\.0<\/h1>/);
  assert.match(page, /Drop a folder on the page and its pictures arrive as an album/);
  assert.equal((await get(addressOf('API reference')))[0], 200);
  assert.match((await get(addressOf('Metrics')))[1], /^tidings_build_info\{/m);
  const dashboard = addressOf('Dashboard');
  assert.match(dashboard, /\/#k=[\w-]{43}$/);
  assert.match((await get(dashboard))[1], /<script type="module" src="\.\/assets\/dashboard-/);
  // A new note may appear in the list of public notes only after a short delay.
  await waitUntil('the list of public notes has the note', async () =>
    /<a href="lanternhouse\/shoebox\/">/.test((await get(new URL('notes/', dashboard).href))[1]),
  );

  const [, key = '', url = ''] = /^ {2}KEY=(\S+) URL=(\S+)$/m.exec(screen) ?? [];
  assert.equal(key, addressOf('Key to everything'));
  const requests = [...screen.matchAll(/^ {2}curl -H "Authorization: Bearer \$KEY" "\$URL(\S+)"$/gm)];
  assert.equal(requests.length, 3);
  for (const [, path] of requests)
    assert.equal((await get(url + path, { authorization: `Bearer ${key}` }))[0], 200, path);

  const [, dataDir = '', natsPort = ''] =
    /^ {2}export TIDINGS_DATA_DIR=(\S+) TIDINGS_NATS_PORT=(\d+)$/m.exec(screen) ?? [];
  const [, command = ''] = /^ {2}npm run tidings -- (.+)$/m.exec(screen) ?? [];
  const env = { PATH: process.env.PATH ?? '', TIDINGS_DATA_DIR: dataDir, TIDINGS_NATS_PORT: natsPort };
  const notes = execFileSync(process.execPath, [tidings, ...command.split(' ')], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  assert.match(notes, /^## Features$/m);
  assert.match(notes, /compare\/v2\.0\.0\.\.\.main/);

  demo.process.kill('SIGTERM');
  assert.equal(await demo.ended, 0);
  assert.deepEqual(readdirSync(demo.folder), [], 'its data is removed');
});

test('the demo with --once --full prints the whole drafts and ends', async (t) => {
  const demo = await start(t, '--once', '--full');
  assert.equal(await demo.ended, 0, demo.output());
  for (const persona of ['engineer', 'internal', 'customer'])
    assert.match(demo.output(), new RegExp(`^─── ${persona}: v1\\.3\\.0 → v2\\.0\\.0 ─`, 'm'));
  assert.match(demo.output(), /Full Changelog/);
  assert.doesNotMatch(demo.output(), /Ctrl-C/);
  assert.deepEqual(readdirSync(demo.folder), []);
});

/** Starts the demo with a temporary folder and free ports. */
async function start(t: TestContext, ...args: string[]) {
  const folder = temporaryFolder(t);
  const env = {
    PATH: process.env.PATH ?? '',
    TMPDIR: folder,
    TIDINGS_PORT: String(await freePort()),
    TIDINGS_OPS_PORT: String(await freePort()),
    TIDINGS_NATS_PORT: String(await freePort()),
  };
  const child: ChildProcess = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  afterwards(t, async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await ended;
  });
  return { process: child, folder, ended, output: () => output };
}
