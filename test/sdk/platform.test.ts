/**
 * Tests that the client does not need Node: its files import only each other and run with the globals of the web.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importsOf } from '../helpers/imports.ts';

const built = fileURLToPath(new URL('../../client/', import.meta.url));
const runner = fileURLToPath(new URL('../helpers/web-realm.js', import.meta.url));
const files = readdirSync(built).filter((name) => name.endsWith('.js'));

test('the files of the package import only each other', () => {
  assert.ok(files.includes('index.js') && files.includes('webhooks.js'), String(files));
  for (const name of files) {
    const text = readFileSync(join(built, name), 'utf8');
    for (const { to } of importsOf(name, text)) assert.ok(files.includes(to), `${name} imports ${to}`);
    assert.doesNotMatch(text, /\b(process|Buffer|global|require|__dirname|__filename|setImmediate)\b\s*[.([]/, name);
  }
});

test('the client runs with only the globals of the web', () => {
  const key = randomBytes(32);
  const body = JSON.stringify({
    event: 'endpoint.test',
    timestamp: '2026-03-02T09:00:00.000Z',
    data: { endpointId: 'é' },
  });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  const input = {
    body,
    secret: `whsec_${key.toString('base64')}`,
    headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  };
  const args = ['--experimental-vm-modules', '--no-warnings', runner, built, JSON.stringify(input)];
  const seen = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
  assert.deepEqual(seen.event, JSON.parse(body));
  assert.equal(seen.changed, 'wrongSignature');
  assert.deepEqual(seen.repositories, ['acme/rocket']);
  assert.equal(seen.redirect, 'manual', 'workers accept only follow and manual');
  assert.match(seen.idempotencyKey, /^[0-9a-f]{36}$/);
  assert.deepEqual(seen.missing, ['Buffer', 'process', 'require', 'setImmediate']);
});
