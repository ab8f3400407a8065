/** Runs the tasks of the guide exactly as printed, with curl and with the client. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../helpers/ports.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';

const guide = readFileSync(fileURLToPath(new URL('../../../docs/api.md', import.meta.url)), 'utf8');
const client = pathToFileURL(fileURLToPath(new URL('../../sdk/index.js', import.meta.url))).href;
const section = /^## Task by task\n([\s\S]*?)^## /m.exec(guide)?.[1] ?? '';
const blocks = (language: string): string =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))]
    .map((match) => match[1])
    .join('\n');

test('the tasks of the guide work', async (t) => {
  const service = await startService(t);
  await deliverRocket(service);
  const env = { PATH: process.env.PATH, URL: service.url, KEY: service.adminKey };
  const run = promisify(execFile);

  await t.test('the tasks run with curl', async () => {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', blocks('sh')], { env });
    assert.match(stdout, /New fuel format/);
    assert.match(stdout, /"error":"Precondition failed"/);
    assert.match(stdout, /"id":"range_test_/);
    assert.match(stdout, /"billingTier":"standard"/);
    assert.equal(stdout.match(/"error":/g)?.length, 1, stdout);
  });

  await t.test('the tasks run with the client', async () => {
    const file = join(temporaryFolder(t), 'guide.mjs');
    writeFileSync(file, blocks('js').replace("'@tidings/client'", JSON.stringify(client)));
    const { stdout, stderr } = await run(process.execPath, [file], { env });
    assert.equal(stderr, '');
    assert.match(stdout, /New fuel format/);
    assert.match(stdout, /If-Match/);
  });
});
