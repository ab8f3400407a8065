/**
 * Tests the HTTP client of the load program against a real server: replies in pieces, replies without a body, and
 * connections that break.
 */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '../../bench/connection.ts';

type Reply = number | 'broken';

/** Starts a server that writes the given pieces as its reply to each request, and a client of this server. */
async function client(t: TestContext, pieces: readonly string[], after: (socket: Socket) => void = () => {}) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await pause(5);
      }
      after(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  let resolve: (reply: Reply) => void = () => {};
  const connection = new Connection(`http://127.0.0.1:${address.port}`, {
    reply: (status) => resolve(status),
    broken: () => resolve('broken'),
  });
  t.after(() => {
    connection.close();
    server.close();
  });
  return () =>
    new Promise<Reply>((done) => {
      resolve = done;
      connection.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
    });
}

test('reads replies that arrive in pieces, one after another', async (t) => {
  const ask = await client(t, ['HTTP/1.1 200 OK\r\nContent-Le', 'ngth: 5\r\n\r', '\nhel', 'lo']);
  assert.equal(await ask(), 200);
  assert.equal(await ask(), 200);
});

test('accepts a reply without a body', async (t) => {
  const ask = await client(t, ['HTTP/1.1 401 Unauthorized\r\n\r\n']);
  assert.equal(await ask(), 401);
});

test('reports a connection that the server closes', async (t) => {
  const ask = await client(t, ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe'], (socket) => socket.destroy());
  assert.equal(await ask(), 'broken');
});
