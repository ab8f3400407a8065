/**
 * Sends hostile requests over bare sockets. If the end of a request is ambiguous, the service does not interpret the
 * following bytes as a second request. The service keeps running.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { talk } from '../helpers/raw-socket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const smuggled = 'GET /api/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
const get = 'GET /api/repos HTTP/1.1\r\nHost: x\r\n\r\n';

function post(headers: string, rest: string, path = '/api/webhooks/scm'): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${rest}`;
}

/**
 * Requests whose end is ambiguous, by name. Each value has two parts: the ambiguous headers, and the bytes after the
 * headers.
 */
const ambiguous: Record<string, [string, string]> = {
  'two lengths, the first zero': [`Content-Length: 0\r\nContent-Length: ${smuggled.length}`, smuggled],
  'two lengths, the second zero': [`Content-Length: ${smuggled.length}\r\nContent-Length: 0`, smuggled],
  'two equal lengths': ['Content-Length: 5\r\nContent-Length: 5', `hello${smuggled}`],
  'a list of lengths': ['Content-Length: 5, 5', `hello${smuggled}`],
  'an empty length': ['Content-Length: ', smuggled],
  'a negative length': ['Content-Length: -5', `hello${smuggled}`],
  'a length with a plus': ['Content-Length: +5', `hello${smuggled}`],
  'a length in hex': ['Content-Length: 0x5', `hello${smuggled}`],
  'a length past all numbers': [`Content-Length: ${'9'.repeat(30)}`, smuggled],
  'a length with a blank before the colon': ['Content-Length : 5', `hello${smuggled}`],
  'a folded length': ['Content-Length:\r\n 5', `hello${smuggled}`],
  chunks: ['Transfer-Encoding: chunked', `5\r\nhello\r\n0\r\n\r\n${smuggled}`],
  'chunks with bad ends': ['Transfer-Encoding: chunked', `5\r\nhelloXX0\r\nXX${smuggled}`],
  'chunks with a trailer': ['Transfer-Encoding: chunked', `0\r\nX-A: b\r\n\r\n${smuggled}`],
  'chunks and a length': ['Content-Length: 5\r\nTransfer-Encoding: chunked', `0\r\n\r\n${smuggled}`],
  'a length and chunks': ['Transfer-Encoding: chunked\r\nContent-Length: 5', `0\r\n\r\n${smuggled}`],
  'an empty encoding': ['Transfer-Encoding: \r\nContent-Length: 5', `hello${smuggled}`],
  'an unknown encoding': ['Transfer-Encoding: xchunked\r\nContent-Length: 5', `hello${smuggled}`],
  'an encoding with a blank before the colon': [
    'Transfer-Encoding : chunked\r\nContent-Length: 5',
    `0\r\n\r\n${smuggled}`,
  ],
};

test('ambiguous framing serves no second request', async (t) => {
  const service = await startService(t);
  const port = Number(service.env.TIDINGS_PORT);

  for (const [name, [headers, rest]] of Object.entries(ambiguous)) {
    await t.test(`${name} closes the connection and serves nothing more`, async () => {
      for (const path of ['/api/webhooks/scm', '/api/ranges', '/api/nowhere']) {
        const answer = await talk(port, post(headers, rest, path));
        assert.ok(answer.closed, 'the connection is closed');
        assert.ok(answer.statuses.length <= 1, answer.text);
        assert.ok([undefined, 400, 505].includes(answer.statuses[0]), answer.text);
        assert.doesNotMatch(answer.text, /smuggled/);
      }
    });
  }

  await t.test('a body is never read as a request', async () => {
    for (const path of ['/api/webhooks/scm', '/api/ranges', '/api/nowhere', '/api/repos']) {
      const request = post(`Content-Length: ${smuggled.length}`, smuggled, path);
      const answer = await talk(port, request + get, { replies: 2 });
      assert.equal(answer.statuses.length, 2, answer.text);
      assert.doesNotMatch(answer.text, /smuggled/);
    }
  });

  await t.test('a body on GET is skipped', async () => {
    const request = `GET /api/repos HTTP/1.1\r\nHost: x\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}${get}`;
    const answer = await talk(port, request, { replies: 2 });
    assert.deepEqual(answer.statuses, [401, 401]);
  });

  await t.test('each request in one packet gets a reply', async () => {
    assert.deepEqual((await talk(port, get + get + get, { replies: 3 })).statuses, [401, 401, 401]);
  });

  await t.test('none of these requests ended a process', async () => {
    assert.equal((await fetch(`${service.opsUrl}/readyz`)).status, 200);
    assert.equal(await service.metric('tidings_child_restarts_total'), 0);
    assert.deepEqual(faultsIn(service.log), []);
  });
});

test('other malformed requests are refused', async (t) => {
  const service = await startService(t);
  const port = Number(service.env.TIDINGS_PORT);
  const refused: Record<string, [string, number]> = {
    'a request without Host': ['GET /api/repos HTTP/1.1\r\n\r\n', 400],
    'HTTP of an older version': ['GET /api/repos HTTP/1.0\r\nHost: x\r\n\r\n', 505],
    'HTTP of a later version': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
    'a header past the limit': [`GET /api/repos HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(5000)}\r\n\r\n`, 431],
    'a path past the limit': [`GET /api/${'a'.repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    'too many headers': [`GET /api/repos HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(200)}\r\n`, 431],
    'a folded header': ['GET /api/repos HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n', 400],
    'a TLS greeting': ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 505],
  };
  for (const [name, [request, status]] of Object.entries(refused)) {
    await t.test(`${name} is refused`, async () => {
      const answer = await talk(port, request);
      assert.deepEqual([answer.statuses, answer.closed], [[status], true], answer.text);
    });
  }

  await t.test('an unknown method is not allowed', async () => {
    const answer = await talk(port, 'BREW /api/repos HTTP/1.1\r\nHost: x\r\n\r\n', { replies: 1 });
    assert.match(answer.text, /^HTTP\/1\.1 405 [\s\S]*Allow: GET, HEAD, OPTIONS\r\n/);
  });

  await t.test('an upgrade is an ordinary request', async () => {
    const request = 'GET /api/repos HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    assert.deepEqual((await talk(port, request, { replies: 1 })).statuses, [401]);
  });

  await t.test('an abort in the body does not affect other requests', async () => {
    for (let i = 0; i < 20; i++) {
      await talk(port, [post('Content-Length: 1000000', 'x'.repeat(i * 1000))], { maxWaitMs: 0 });
    }
    assert.equal((await service.deliver('ping', {})).status, 200);
  });

  await t.test('none of these requests ended a process', async () => {
    assert.equal(await service.metric('tidings_child_restarts_total'), 0);
    await waitUntil('no body is held', async () => (await service.metric('tidings_body_bytes_held')) === 0);
    assert.deepEqual(faultsIn(service.log), []);
  });
});
