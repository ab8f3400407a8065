/**
 * Tests the findings of `tidings doctor` about a public URL that is unset, unencrypted, or leads to another server.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { checkPublicAddress, checkPublicUrl } from '../../../src/cli/doctor-public-url.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { freePort } from '../../helpers/ports.ts';

const of = (url: string) => loadSettings({ TIDINGS_PUBLIC_URL: url });

/** Starts a server that sends the same reply to every request. Also returns the requests that the server received. */
async function answering(t: TestContext, status: number, body: string) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url, request.headers.authorization);
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => new Promise<void>((resolve) => server.close(() => resolve())));
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked };
}

test('a public URL is missing, local, unencrypted or good', () => {
  assert.deepEqual(checkPublicUrl(of('')), {
    verdict: 'note',
    text: 'TIDINGS_PUBLIC_URL is not set. The service therefore sends no mail. Page addresses begin with http://127.0.0.1:8080, which other machines may not reach. Set TIDINGS_PUBLIC_URL to the address that people use, like https://notes.example.com',
  });
  const verdicts = ['http://localhost:8080', 'http://[::1]:1', 'http://notes.example', 'https://notes.example/x/'];
  assert.deepEqual(
    verdicts.map((url) => checkPublicUrl(of(url)).verdict),
    ['note', 'note', 'note', 'ok'],
  );
  assert.match(
    checkPublicUrl(of('http://notes.example')).text,
    /uses plain http, so API keys are sent unencrypted\. Use https$/,
  );
  assert.equal(checkPublicUrl(of('https://')).verdict, 'fault');
});

test('a public URL leads here, to another Tidings, elsewhere or nowhere', async (t) => {
  const here = await answering(t, 200, '{"service": "tidings", "mark": "m1"}');
  assert.deepEqual(await checkPublicAddress(of(here.url), ['m1']), [
    { verdict: 'ok', text: 'TIDINGS_PUBLIC_URL leads to this service' },
  ]);
  assert.deepEqual(here.asked, ['/api/instance', undefined]);
  const page = `${here.url}/api/instance`;
  assert.deepEqual(await checkPublicAddress(of(here.url), ['m2']), [
    {
      verdict: 'fault',
      text: `TIDINGS_PUBLIC_URL: ${page} leads to another Tidings instance. Check the address and the target of the proxy`,
    },
  ]);
  const other = await answering(t, 404, 'no such page');
  assert.deepEqual(await checkPublicAddress(of(`${other.url}/`), ['m1']), [
    {
      verdict: 'fault',
      text: `TIDINGS_PUBLIC_URL: ${other.url}/api/instance answers 404, but the reply is not from Tidings. Configure the proxy to forward all paths to this service`,
    },
  ]);
  const [away] = await checkPublicAddress(of(`http://127.0.0.1:${await freePort()}`), ['m1']);
  assert.match(away?.text ?? '', /does not answer \(ECONNREFUSED\)/);
  assert.deepEqual(
    await checkPublicAddress(of(here.url), undefined),
    [],
    'nothing to compare while the service is down',
  );
  assert.deepEqual(await checkPublicAddress(of(''), ['m1']), []);
});
