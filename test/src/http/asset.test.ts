/**
 * Tests files that are the same for all clients: each encoding has the same content and its own ETag. If the address
 * of a file contains the version, clients may cache the file permanently.
 */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Asset } from '../../../src/http/asset.ts';
import { type HttpRoute, startServer } from '../../../src/http/server.ts';
import { afterwards } from '../../helpers/cleanup.ts';

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Returns the reply as it was sent, without decoding the body as `fetch` would. */
function ask(url: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

test('an asset', async (t) => {
  const text = 'body { color: red; }\n'.repeat(500);
  const asset = new Asset('text/css', text, ['X-Extra', 'yes']);
  const archive = new Asset('application/gzip', 'bytes');
  const routes: HttpRoute[] = [
    { method: 'GET', path: '/a.css', handle: (exchange) => asset.send(exchange) },
    { method: 'GET', path: '/a.tgz', handle: (exchange) => archive.send(exchange) },
  ];
  const server = await startServer('127.0.0.1', 0, routes, pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  const url = `http://127.0.0.1:${server.port}/a.css`;

  await t.test('is sent in the requested encoding', async () => {
    const [plain, zipped, small] = await Promise.all([
      ask(url),
      ask(url, { 'accept-encoding': 'gzip' }),
      ask(url, { 'accept-encoding': 'gzip, br' }),
    ]);
    assert.equal(plain.body.toString(), text);
    assert.equal(gunzipSync(zipped.body).toString(), text);
    assert.equal(brotliDecompressSync(small.body).toString(), text);
    assert.deepEqual(
      [plain, zipped, small].map(({ headers }) => headers['content-encoding']),
      [undefined, 'gzip', 'br'],
    );
    for (const { status, headers } of [plain, zipped, small]) {
      assert.deepEqual([status, headers['content-type'], headers['x-extra']], [200, 'text/css', 'yes']);
      assert.equal(headers.vary, 'Accept-Encoding');
    }
    assert.ok(zipped.body.length < text.length / 10 && small.body.length < zipped.body.length);
    assert.equal(new Set([plain, zipped, small].map(({ headers }) => headers.etag)).size, 3, 'each has its ETag');
  });

  await t.test('is not sent to a client that has it in this encoding', async () => {
    const { headers } = await ask(url, { 'accept-encoding': 'br' });
    const etag = String(headers.etag);
    const again = await ask(url, { 'accept-encoding': 'br', 'if-none-match': etag });
    assert.deepEqual([again.status, again.body.length, again.headers.etag], [304, 0, etag]);
    assert.equal((await ask(url, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status, 200);
  });

  await t.test('is not compressed twice', async () => {
    const archive = await ask(`http://127.0.0.1:${server.port}/a.tgz`, { 'accept-encoding': 'gzip, br' });
    assert.deepEqual([archive.headers['content-encoding'], archive.body.toString()], [undefined, 'bytes']);
  });

  await t.test('may be cached permanently only at the address with its version', async () => {
    const caching = async (query: string) => (await ask(url + query)).headers['cache-control'];
    assert.equal(await caching(`?v=${asset.version}`), 'public, max-age=31536000, immutable');
    assert.deepEqual([await caching(''), await caching('?v=other')], ['no-cache', 'no-cache']);
    assert.notEqual(new Asset('text/css', `${text} `).version, asset.version);
  });
});
