/**
 * Starts an HTTP server on loopback that receives the requests of the service. The server records each request with its
 * raw body. A test plans the answers of the server. Planned answers can simulate the misbehavior of real receivers.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { afterwards } from './cleanup.ts';

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Answers one request. An error that this function throws fails the test. */
export type Answer = (request: Received, reply: ServerResponse) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** The answer to all further requests; initially 204. */
  answer: Answer;
  /** Number of connections that were opened so far. */
  connections: number;
  close(): Promise<void>;
}

/** Answers with a status, and optionally with headers and a body. */
export function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (_, reply) => reply.writeHead(code, headers).end(body);
}

/** Accepts the request and never replies. */
export const hang: Answer = () => {};

/** Accepts the request and resets the connection. */
export const reset: Answer = (_, reply) => reply.socket?.resetAndDestroy();

/** Size of a body that exceeds all buffers between server and client, even on machines with large buffers. */
const floodBytes = 1_000_000_000;

/**
 * Answers with a body that is too large to read. `ended` is called when the connection closes. `dropped` is true when
 * the client closed the connection before it had read the whole body.
 */
export function flood(ended: (dropped: boolean) => void = () => {}): Answer {
  return (_, reply) => {
    reply.writeHead(200);
    const chunk = Buffer.alloc(16_384, 'x');
    let bytes = 0;
    const more = (): void => {
      while (!reply.destroyed && bytes < floodBytes) {
        bytes += chunk.length;
        if (!reply.write(chunk)) return void reply.once('drain', more);
      }
      reply.end();
    };
    reply.once('close', () => ended(!reply.writableFinished));
    more();
  };
}

/** Starts a receiver on a free port. It is closed when the test ends. */
export async function startReceiver(t: TestContext, host = '127.0.0.1'): Promise<Receiver> {
  const server = createServer((request, reply) => void take(request, reply));
  const receiver: Receiver = { url: '', received: [], answer: status(204), connections: 0, close };
  server.on('connection', () => receiver.connections++);
  async function take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The sender closed the connection early, so the request is incomplete.
      return;
    }
    const { method = '', url: path = '', headers } = request;
    const received = {
      method,
      path,
      headers: headers as Record<string, string>,
      body: Buffer.concat(chunks).toString(),
    };
    receiver.received.push(received);
    receiver.answer(received, reply);
  }
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  await new Promise<void>((done) => server.listen(0, host, done));
  receiver.url = `http://${host}:${(server.address() as AddressInfo).port}`;
  afterwards(t, close);
  return receiver;
}
