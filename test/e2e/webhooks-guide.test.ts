/**
 * Tests the guide for webhook receivers. Its program and its command are copied unchanged and verify signatures of the
 * service.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { signedHeaders } from '../../workers/webhooks/sign.ts';
import { afterwards, kill } from '../helpers/cleanup.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const guide = readFileSync(fileURLToPath(new URL('../../../docs/webhooks.md', import.meta.url)), 'utf8');
const client = pathToFileURL(fileURLToPath(new URL('../../sdk/index.js', import.meta.url))).href;
/** Returns the first code block of the guide that is in the given language and contains the given text. */
function block(language: string, holding: string): string {
  const blocks = [...guide.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'gm'))];
  return blocks.map(([, text = '']) => text).find((text) => text.includes(holding)) ?? assert.fail(holding);
}

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const body = '{"event":"endpoint.test","data":{"name":"né"}}';

test('the guide’s receiver accepts only signed webhooks', async (t) => {
  const file = join(temporaryFolder(t), 'receiver.mjs');
  writeFileSync(file, block('js', 'verifyWebhook').replace("'@tidings/client'", JSON.stringify(client)));
  const port = await freePort();
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) };
  const receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  afterwards(t, () => kill(receiver));
  let output = '';
  receiver.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const url = `http://127.0.0.1:${port}/`;
  const send = async (headers: Record<string, string>, text = body): Promise<[number, string]> => {
    const answer = await fetch(url, { method: 'POST', headers, body: text });
    return [answer.status, await answer.text()];
  };
  await waitUntil('the receiver listens', () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  const now = Date.now();
  const good = signedHeaders([secret], 'evt_1', body, now);
  assert.deepEqual(await send(good), [204, '']);
  assert.deepEqual(await send(good, `${body} `), [401, 'changedBody']);
  assert.deepEqual(await send(signedHeaders([secret], 'evt_1', body, now - 600_000)), [401, 'oldTimestamp']);
  assert.deepEqual(await send({ 'content-type': 'application/json' }), [401, 'missingHeader']);
  assert.match(await waitUntil('it has printed it', () => output !== '' && output), /^endpoint\.test \{ name: 'né' \}/);
});

test('the guide’s command computes the signature', (t) => {
  const file = join(temporaryFolder(t), 'body');
  writeFileSync(file, body);
  const headers = signedHeaders([secret], 'evt_1', body, Date.now());
  const env = {
    PATH: process.env.PATH,
    SECRET: secret,
    ID: headers['webhook-id'],
    TIMESTAMP: headers['webhook-timestamp'],
    BODY_FILE: file,
  };
  const made = execFileSync('bash', ['-euo', 'pipefail', '-c', block('sh', 'openssl')], { env, encoding: 'utf8' });
  assert.equal(`v1,${made.trim()}`, headers['webhook-signature']);
});
