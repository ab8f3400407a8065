/**
 * An HTTP server on loopback that receives what the service sends: it keeps each request with its raw body and answers as
 * told, also in the ways in which receivers misbehave.
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

/** Answers one request; what it throws ends the test. */
export type Answer = (request: Received, reply: ServerResponse) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** How later requests are answered; 204 at first. */
  answer: Answer;
  /** Connections made so far. */
  connections: number;
  close(): Promise<void>;
}

/** Answers with a status. */
export function status(code: number, headers: Record<string, string> = {}, body = ''): Answer {
  return (_, reply) => reply.writeHead(code, headers).end(body);
}

/** Takes the request and says nothing. */
export const hang: Answer = () => {};

/** Takes the request and breaks the connection. */
export const reset: Answer = (_, reply) => reply.socket?.resetAndDestroy();

/** More than all the buffers on the way hold, on machines that have large ones too. */
const floodBytes = 1_000_000_000;

/** Sends a body as if it had no end; `ended` tells whether the connection was dropped before all of it was taken. */
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

/** Starts a receiver on a free port; it is closed when the test ends. */
export async function startReceiver(t: TestContext): Promise<Receiver> {
  const server = createServer((request, reply) => void take(request, reply));
  const receiver: Receiver = { url: '', received: [], answer: status(204), connections: 0, close };
  server.on('connection', () => receiver.connections++);
  async function take(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // Its sender ended in the middle: that was no request.
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
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterwards(t, close);
  return receiver;
}
