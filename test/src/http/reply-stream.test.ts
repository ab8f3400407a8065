/**
 * Tests replies that are sent piece by piece: their end, a client that stops reading, and a stop of the server.
 */
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createLogger } from '../../../src/foundation/logger.ts';
import type { ReplyStream, StreamEnd } from '../../../src/http/reply-stream.ts';
import { type HttpServer, startServer } from '../../../src/http/server.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

interface Stage {
  server: HttpServer;
  /** The streams that were opened, and how those that have ended did. */
  streams: ReplyStream[];
  ends: StreamEnd[];
}

async function serve(t: TestContext): Promise<Stage> {
  const streams: ReplyStream[] = [];
  const ends: StreamEnd[] = [];
  const server = await startServer(
    '127.0.0.1',
    0,
    [
      {
        method: 'GET',
        path: '/stream',
        handle: (exchange) => {
          const stream = exchange.stream('text/plain', 'first ', ['X-Own', 'yes'], (end) => ends.push(end));
          if (stream) streams.push(stream);
        },
      },
      { method: 'GET', path: '/plain', handle: (exchange) => exchange.json(200, {}) },
    ],
    createLogger('test', 'silent'),
  );
  afterwards(t, () => server.stop(100));
  return { server, streams, ends };
}

function open({ server }: Stage): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get({ port: server.port, path: '/stream' }, resolve).on('error', reject);
  });
}

/** Opens a stream without reading it. */
async function openUnread(t: TestContext, stage: Stage): Promise<{ socket: Socket; stream: ReplyStream }> {
  const socket = createConnection({ port: stage.server.port, host: '127.0.0.1' });
  afterwards(t, () => socket.destroy());
  socket.on('error', () => {});
  socket.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
  const stream = await waitUntil('the stream is open', () => stage.streams[0]);
  return { socket, stream };
}

test('pieces arrive as they are written, until the service ends the reply', async (t) => {
  const stage = await serve(t);
  const response = await open(stage);
  assert.deepEqual([response.statusCode, response.headers['x-own']], [200, 'yes']);
  assert.ok(response.headers['x-request-id']);
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [stream] = stage.streams;
  await waitUntil('the first piece is read', () => text === 'first ');
  stream?.write('später ');
  await waitUntil('the second piece is read', () => text === 'first später ');
  stream?.write('last');
  stream?.end();
  await waitUntil('the reply has ended', () => response.complete);
  stream?.write('too late');
  stream?.end();
  assert.deepEqual([text, stage.ends], ['first später last', ['service']]);
});

test('the connection of a stream that was ended serves further requests', async (t) => {
  const stage = await serve(t);
  const { socket, stream } = await openUnread(t, stage);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString();
  });
  stream.end();
  await waitUntil('the reply has ended', () => text.endsWith('0\r\n\r\n'));
  socket.write('GET /plain HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitUntil('the next reply arrives', () => text.endsWith('{}'));
});

test('a client that leaves ends its stream', async (t) => {
  const stage = await serve(t);
  const response = await open(stage);
  response.destroy();
  await waitUntil('the stream has ended', () => stage.ends.length > 0);
  stage.streams[0]?.write('to no one');
  assert.deepEqual(stage.ends, ['client']);
});

test('a client that reads late gets everything', async (t) => {
  const stage = await serve(t);
  const { socket, stream } = await openUnread(t, stage);
  let pieces = 0;
  while (!stream.isWaiting) {
    stream.write(`${'x'.repeat(8191)}\n`);
    pieces += 1;
    if (pieces % 16 === 0) await turn();
  }
  // These wait in the memory of the service.
  for (let i = 0; i < 3; i++) stream.write(`${'y'.repeat(8191)}\n`);
  assert.deepEqual(stage.ends, []);
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  const count = (letter: string) => text.split(letter.repeat(8191)).length - 1;
  await waitUntil('everything has arrived', () => count('y') === 3);
  assert.equal(count('x'), pieces);
  assert.equal(stream.isWaiting, false);
  stream.write('end');
  await waitUntil('later pieces arrive', () => text.endsWith('end'));
});

test('a client that does not read is disconnected', async (t) => {
  const stage = await serve(t);
  const { socket, stream } = await openUnread(t, stage);
  let waited = 0;
  for (let i = 0; stage.ends.length === 0 && i < 100_000; i++) {
    stream.write('x'.repeat(8192));
    if (stream.isWaiting) waited += 1;
    if (i % 16 === 0) await turn();
  }
  assert.deepEqual(stage.ends, ['slow']);
  assert.ok(waited <= 10, `${waited} pieces of 8 KiB were held`);
  await waitUntil('the connection is closed', () => {
    socket.resume();
    return socket.closed;
  });
});

test('a stop does not wait for streams', async (t) => {
  const stage = await serve(t);
  const response = await open(stage);
  response.on('error', () => {}).resume();
  const started = performance.now();
  await stage.server.stop(60_000);
  await waitUntil('the stream has ended', () => response.closed);
  assert.ok(performance.now() - started < 30_000);
});
