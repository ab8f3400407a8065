/**
 * Runs the floor of the scenarios that send webhooks: a bare uWebSockets.js server that checks the signature, parses
 * the body, keeps nothing and replies 202. Every receiver does at least this work.
 */

import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from 'uWebSockets.js';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { answerMessages } from '../program.ts';

answerMessages(({ secret }: { secret: string }) => {
  const app = App();
  app.post('/api/webhooks/scm', (response, request) => receive(response, request, secret));
  return new Promise((resolve) => {
    app.listen('127.0.0.1', 0, (socket) => resolve({ port: socket ? us_socket_local_port(socket as never) : 0 }));
  });
});

function receive(response: HttpResponse, request: HttpRequest, secret: string): void {
  const signature = Buffer.from(request.getHeader('x-hub-signature-256'));
  const body = Buffer.allocUnsafe(Number(request.getHeader('content-length')));
  let length = 0;
  let aborted = false;
  response.onAborted(() => {
    aborted = true;
  });
  response.onData((piece, isLast) => {
    body.set(new Uint8Array(piece), length);
    length += piece.byteLength;
    if (!isLast || aborted) return;
    const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
    const valid = wanted.length === signature.length && timingSafeEqual(wanted, signature);
    response.cork(() => response.writeStatus(statusOf(body, valid)).end());
  });
}

/** Returns the status of the reply. It depends on the parsed body, so that no optimization removes the parsing. */
function statusOf(body: Buffer, valid: boolean): string {
  if (!valid) return '401 Unauthorized';
  const { pull_request: pull } = JSON.parse(body.toString()) as { pull_request?: object };
  return pull ? '202 Accepted' : '200 OK';
}
