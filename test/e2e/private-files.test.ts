/**
 * Tests the files that the service and its commands write. Other users of the machine cannot access any of these
 * files, even if the umask would allow the access.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { afterwards } from '../helpers/cleanup.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Sets the umask 022, which most systems use, for the programs that this test starts. */
function usualUmask(t: TestContext): void {
  const before = process.umask(0o022);
  afterwards(t, () => void process.umask(before));
}

/** Checks a folder and everything below it. Returns the paths to which other users have any access. */
function openBelow(folder: string): string[] {
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return names.filter((name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
}

test('supervisor, gateway, worker, nats-server and commands make private files only', async (t) => {
  usualUmask(t);
  const service = await startService(t);
  assert.equal((await service.deliver('pull_request', pullPayload(1))).status, 202);
  await waitUntil('it is folded', async () => (await service.metric('tidings_fold_records_total')) > 0);
  service.tidings('snapshot');
  service.tidings('repos', 'list');
  const { dataDir } = service;
  assert.deepEqual(openBelow(dataDir), []);
  for (const made of ['nats/server.log', 'nats/jetstream', 'partitions/p00/snapshots', 'gates/p00', 'admin-key'])
    assert.ok(statSync(join(dataDir, made)), made);
  const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  for (const name of ['data.mdb', 'lock.mdb', '.blk'])
    assert.ok(
      files.some((file) => file.endsWith(name)),
      name,
    );
});

test('doctor reports an open data directory and a start closes it', async (t) => {
  usualUmask(t);
  const dataDir = join(temporaryFolder(t), 'data');
  mkdirSync(join(dataDir, 'nats'), { recursive: true });
  writeFileSync(join(dataDir, 'webhook-secret'), `${'a'.repeat(64)}\n`);
  chmodSync(dataDir, 0o755);
  assert.deepEqual(openBelow(dataDir), ['', 'nats', 'webhook-secret']);

  const service = await startService(t, { dataDir, waits: false });
  await service.ready();
  assert.deepEqual(openBelow(dataDir), []);
  const lines = service.log.split('\n').filter((line) => line.includes('closed to other users'));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ path, mode, closedTo }) => [path, mode, closedTo]),
    [
      [dataDir, '0755', '0700'],
      [join(dataDir, 'nats'), '0755', '0700'],
      [join(dataDir, 'webhook-secret'), '0644', '0600'],
    ],
  );
  assert.match(service.tidings('doctor'), /✓ data directory \S+ is closed to other users/);

  assert.equal(await service.stop(), 0);
  chmodSync(join(dataDir, 'nats'), 0o755);
  const again = await startService(t, { dataDir });
  assert.deepEqual(openBelow(dataDir), []);
  assert.doesNotMatch(again.log, /rotate the keys/, 'in a closed directory no one could use it');

  chmodSync(join(dataDir, 'webhook-secret'), 0o640);
  const { code, output } = await service.run('doctor');
  assert.equal(code, 1);
  const file = join(dataDir, 'webhook-secret');
  assert.ok(
    output.includes(`✗ ${file} is open to other users (mode 0640, expected 0600). Run: chmod 0600 ${file}`),
    output,
  );
});
