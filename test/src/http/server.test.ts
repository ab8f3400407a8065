/**
 * Tests the server: it replies on every path and method, does not share its port, and finishes requests in flight on
 * stop.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../../../src/foundation/logger.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import type { Exchange } from '../../../src/http/exchange.ts';
import { type HttpRoute, startServer } from '../../../src/http/server.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { freePort } from '../../helpers/ports.ts';
import { talk } from '../../helpers/raw-socket.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const quiet = createLogger('test', 'silent');
const routes: HttpRoute[] = [
  { method: 'GET', path: '/things', handle: (exchange) => exchange.json(200, { list: true }) },
  { method: 'POST', path: '/things', handle: (exchange) => exchange.json(201, {}) },
  { method: 'GET', path: '/things/:id', handle: (exchange) => exchange.json(200, { id: exchange.params[0] }) },
  { method: 'PATCH', path: '/things/:id', handle: (exchange) => exchange.json(200, {}) },
  { method: 'PUT', path: '/things/:id/:part', handle: (exchange) => exchange.json(200, exchange.params) },
];

async function serve(t: TestContext, served = routes) {
  const server = await startServer('127.0.0.1', 0, served, quiet);
  afterwards(t, () => server.stop(100));
  return server;
}

function ask(port: number, method: string, path: string) {
  return fetch(`http://127.0.0.1:${port}${path}`, { method });
}

test('handlers get parameters without decoding', async (t) => {
  const { port } = await serve(t);
  assert.deepEqual(await (await ask(port, 'GET', '/things/a%2Fb')).json(), { id: 'a%2Fb' });
  assert.deepEqual(await (await ask(port, 'PUT', '/things/a/b')).json(), ['a', 'b']);
});

test('a method without a handler is refused with Allow', async (t) => {
  const { port } = await serve(t);
  const cases: [string, string, string][] = [
    ['DELETE', '/things', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/things/1', 'GET, PATCH, HEAD, OPTIONS'],
    ['GET', '/things/1/2', 'PUT, OPTIONS'],
  ];
  for (const [method, path, allow] of cases) {
    const answer = await ask(port, method, path);
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get('allow'), allow);
  }
});

test('returns 404 for any other path', async (t) => {
  const { port } = await serve(t);
  for (const path of ['/', '/thing', '/things/', '/things//', '/THINGS', '//things', '/things/1/2/3']) {
    const answer = await ask(port, 'GET', path);
    assert.equal(answer.status, 404, path);
    assert.ok(answer.headers.get('x-request-id'));
  }
});

test('request ids are all different', async (t) => {
  const { port } = await serve(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(port, 'GET', '/things')));
  assert.equal(new Set(answers.map((answer) => answer.headers.get('x-request-id'))).size, 50);
});

test('the server does not start on a port in use', async (t) => {
  const { port } = await serve(t);
  await assert.rejects(startServer('127.0.0.1', port, routes, quiet), /Cannot listen on 127\.0\.0\.1/);
  const sharing = { sharesPort: true };
  await assert.rejects(startServer('127.0.0.1', port, routes, quiet, sharing), /Cannot listen on 127\.0\.0\.1/);
});

test('several servers share a port if all of them ask for it', async (t) => {
  const port = await freePort();
  const servers = await Promise.all(
    Array.from({ length: 2 }, () => startServer('127.0.0.1', port, routes, quiet, { sharesPort: true })),
  );
  afterwards(t, () => Promise.all(servers.map((server) => server.stop(0))));
  assert.deepEqual(
    servers.map((server) => server.port),
    [port, port],
  );
  await assert.rejects(startServer('127.0.0.1', port, routes, quiet), /Cannot listen on 127\.0\.0\.1/);
});

test('a stop waits for requests in flight', async (t) => {
  let waiting: Exchange | undefined;
  const handle = (exchange: Exchange) => {
    waiting = exchange;
  };
  const server = await startServer('127.0.0.1', 0, [{ method: 'GET', path: '/slow', handle }], quiet);
  afterwards(t, () => server.stop(0));
  const answer = ask(server.port, 'GET', '/slow');
  await waitUntil('the request has arrived', () => waiting !== undefined);
  const stopped = server.stop(10_000);
  waiting?.json(200, { late: true });
  assert.deepEqual(await (await answer).json(), { late: true });
  await stopped;
  await assert.rejects(ask(server.port, 'GET', '/slow'), 'no request is accepted any more');
});

test('a stop waits for a limited time only', async (t) => {
  let arrived = false;
  const handle = () => {
    arrived = true;
  };
  const server = await startServer('127.0.0.1', 0, [{ method: 'GET', path: '/never', handle }], quiet);
  afterwards(t, () => server.stop(0));
  const answer = ask(server.port, 'GET', '/never').catch(() => 'closed');
  await waitUntil('the request has arrived', () => arrived);
  await server.stop(30);
  assert.equal(await answer, 'closed');
});

test('many concurrent connections all get their reply', async (t) => {
  const { port } = await serve(t);
  const request = 'GET /things HTTP/1.1\r\nHost: x\r\n\r\n';
  const answers = await Promise.all(Array.from({ length: 100 }, () => talk(port, request, { replies: 1 })));
  assert.ok(answers.every(({ statuses }) => statuses[0] === 200));
});

test('OPTIONS returns the methods of a path, and no CORS headers without the setting', async (t) => {
  const { port } = await serve(t);
  const answer = await ask(port, 'OPTIONS', '/things');
  assert.deepEqual([answer.status, await answer.text()], [204, '']);
  assert.equal(answer.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
});

test('pages of allowed origins may call the API', async (t) => {
  const server = await startServer('127.0.0.1', 0, routes, quiet, { corsOrigins: ['https://good.example'] });
  afterwards(t, () => server.stop(1000));
  const call = (method: string, path: string, origin: string) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers: { origin } });
  const preflight = await call('OPTIONS', '/things', 'https://good.example');
  assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://good.example');
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Authorization.*Idempotency-Key/);
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /GET/);
  for (const path of ['/things', '/nowhere']) {
    const { headers } = await call('GET', path, 'https://good.example');
    assert.equal(headers.get('access-control-allow-origin'), 'https://good.example', path);
    assert.match(headers.get('access-control-expose-headers') ?? '', /X-Request-Id/);
    assert.equal(headers.get('vary'), 'Origin');
  }
  const other = await call('OPTIONS', '/things', 'https://bad.example');
  assert.equal(other.headers.get('access-control-allow-origin'), null);
  assert.equal(other.headers.get('access-control-allow-headers'), null);
});

test('all replies of a route have its headers and help link', async (t) => {
  const handle = (exchange: Exchange) => {
    if (exchange.query === 'fail') throw new Error('a defect');
    exchange.json(200, {});
  };
  const old: HttpRoute = { method: 'GET', path: '/old', handle, help: '/docs#old', headers: ['Sunset', 'then'] };
  const server = await startServer('127.0.0.1', 0, [old, ...routes], quiet, { help: '/docs' });
  afterwards(t, () => server.stop(1000));
  const headersOf = async (path: string) => {
    const { headers } = await ask(server.port, 'GET', path);
    return [headers.get('sunset'), headers.get('link')];
  };
  assert.deepEqual(await headersOf('/old'), ['then', null]);
  assert.deepEqual(await headersOf('/old?fail'), ['then', '</docs#old>; rel="help"']);
  assert.deepEqual(await headersOf('/things'), [null, null]);
  assert.deepEqual(await headersOf('/nowhere'), [null, '</docs>; rel="help"']);
});

test('a valid request id of the client is used', async (t) => {
  const { port } = await serve(t);
  const idOf = async (id: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/things`, { headers: { 'x-request-id': id } });
    return answer.headers.get('x-request-id');
  };
  assert.equal(await idOf('checkout-42:a.b_c'), 'checkout-42:a.b_c');
  for (const bad of ['a b', 'x'.repeat(129), 'ö', '<script>']) assert.notEqual(await idOf(bad), bad);
});

test('no reply of a handler names the HTTP library', async (t) => {
  const limits = { maxBytes: 10, budget: new BodyBudget(1000) };
  const served: HttpRoute[] = [
    ...routes,
    {
      method: 'POST',
      path: '/bodies',
      handle: (exchange) =>
        exchange.receive(
          limits,
          () => {},
          () => exchange.json(201, {}),
        ),
    },
    { method: 'GET', path: '/nothing', handle: (exchange) => exchange.reply(204, '', '') },
    { method: 'GET', path: '/defect', handle: () => Promise.reject(new Error('a defect')) },
  ];
  const { port } = await serve(t, served);
  const kinds: [number, string][] = [
    [200, 'GET /things'],
    [200, 'HEAD /things'],
    [201, 'POST /things'],
    [204, 'GET /nothing'],
    [204, 'OPTIONS /things'],
    [404, 'GET /nowhere'],
    [404, 'GET /'],
    [404, 'OPTIONS /nowhere'],
    [405, 'DELETE /things'],
    [405, 'BREW /things'],
    [404, 'BREW /nowhere'],
    [500, 'GET /defect'],
  ];
  for (const [status, line] of kinds) {
    const { text, statuses } = await talk(port, `${line} HTTP/1.1\r\nHost: x\r\n\r\n`, { replies: 1 });
    assert.deepEqual(statuses, [status], line);
    assert.doesNotMatch(text, /uwebsockets/i, line);
  }
  const long = `POST /bodies HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n${'x'.repeat(11)}`;
  const { text, statuses } = await talk(port, long, { replies: 1 });
  assert.deepEqual(statuses, [413]);
  assert.doesNotMatch(text, /uwebsockets/i);
});

test('only refusals of the parser name the HTTP library, in HTML that cannot be changed', async (t) => {
  const { port } = await serve(t);
  const refused: [string, string, string][] = [
    ['GET /things HTTP/1.1\r\n\r\n', '400 Bad Request', '<h1>Bad Request</h1>'],
    [
      `GET /things HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(9000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
      '<h1>Request Header Fields Too Large</h1>',
    ],
    [
      'GET /things HTTP/1.0\r\n\r\n',
      '505 HTTP Version Not Supported',
      '<h1>HTTP Version Not Supported</h1><p>This server does not support HTTP/1.0.</p>',
    ],
  ];
  for (const [request, status, html] of refused) {
    const { text } = await talk(port, request);
    const whole = `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${html}<hr><i>uWebSockets/20 Server</i>`;
    assert.equal(text, whole);
  }
});
