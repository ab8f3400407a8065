/**
 * Tests the Dockerfile: the base image has a digest, and the service runs as an unprivileged user with private data.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startOps } from '../../src/supervisor/operations-port.ts';
import { afterwards } from '../helpers/cleanup.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').split('\n');

/** Returns the arguments of each occurrence of an instruction. */
function all(instruction: string): string[] {
  return lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
}

test('every stage is built from one base image with its digest', () => {
  const [base, ...others] = all('ARG');
  assert.match(base ?? '', /^NODE_IMAGE=node:22\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  assert.deepEqual(others, []);
  assert.deepEqual(
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Docker
    all('FROM').map((from) => from.startsWith('${NODE_IMAGE}')),
    [true, true, true],
  );
});

test('the image contains the package.json that the version is read from', () => {
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  assert.ok(lines.findLastIndex((line) => /^COPY package\.json .*\.\/$/.test(line)) > last);
});

test('the service runs as an unprivileged user, and only this user can use the data directory', () => {
  assert.deepEqual(all('USER'), ['node']);
  assert.ok(all('RUN').includes('install -d -m 0700 -o node -g node /data'));
  const last = lines.findLastIndex((line) => line.startsWith('FROM '));
  const after = (start: string) => lines.findIndex((line, i) => i > last && line.startsWith(start));
  assert.ok(after('RUN install -d') < after('USER node'));
  assert.ok(after('USER node') < after('VOLUME /data') && after('USER node') < after('CMD '));
});

test('the health check of the image uses the operations port of the settings', async (t) => {
  const words = /^HEALTHCHECK [^\n]*\\\n +CMD (\[.*\])$/m.exec(lines.join('\n'))?.[1] ?? '[]';
  const [program, ...args] = JSON.parse(words) as string[];
  assert.equal(program, 'node');
  const ops = await startOps('127.0.0.1', 0, { metrics: async () => '', waitingFor: () => [] });
  afterwards(t, () => ops.close());
  const exitOf = (port: number): Promise<number | null> =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, TIDINGS_OPS_PORT: String(port) };
      spawn(process.execPath, args, { env, stdio: 'ignore' }).once('exit', resolve);
    });
  assert.equal(await exitOf(ops.port), 0);
  assert.equal(await exitOf(1), 1, 'nothing listens there');
});

test('the image contains the guide that the service shows', () => {
  assert.ok(all('COPY').includes('docs/api.md ./docs/api.md'));
  assert.ok(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').includes('!docs/api.md'));
});

test('the image contains bundled programs', () => {
  const line = (part: string): number => lines.findIndex((each) => each.includes(part));
  assert.ok(line('typescript/bin/tsc') < line('node scripts/setup/programs.mjs'), 'tsc would overwrite the bundles');
  assert.ok(line('node scripts/setup/programs.mjs') < line('npm prune'), 'before the bundler is removed');
});

test('the image contains the cutter, which the build compiles', () => {
  const made = lines.findIndex((line) => line.includes('node scripts/setup/cutter.mjs'));
  assert.ok(lines.slice(0, made).includes('COPY wasm ./wasm'));
  assert.ok(made < lines.findIndex((line) => line.includes('npm prune')), 'before the compiler is removed');
  assert.ok(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').includes('!wasm'));
});

test('the image contains the dashboard, which the build makes', () => {
  const made = lines.findIndex((line) => line.includes('node scripts/setup/dashboard.mjs'));
  assert.ok(lines.slice(0, made).includes('COPY dashboard ./dashboard'));
  assert.ok(made < lines.findIndex((line) => line.includes('npm prune')), 'before the bundler is removed');
  assert.ok(readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').includes('!dashboard'));
});

test('the image contains the client package, which the build makes', () => {
  const made = lines.findIndex((line) => line.includes('node scripts/setup/client.mjs'));
  const before = lines.slice(0, made);
  for (const need of ['COPY sdk ./sdk', 'COPY scripts ./scripts', 'COPY tsconfig.json LICENSE ./']) {
    assert.ok(before.includes(need), need);
  }
  assert.ok(made < lines.findIndex((line) => line.includes('npm prune')), 'before the compiler is removed');
});
