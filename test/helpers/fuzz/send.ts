/** Sends generated requests to a service over kept-alive connections. A reply that takes too long is a fault. */
import { Agent, request as send } from 'node:http';
import type { FuzzRequest } from './requests.ts';

/** A reply as it was received. */
export interface FuzzReply {
  status: number;
  headers: Headers;
  text: string;
}

/** Timeout of a request, in milliseconds. The timeout is longer than the longest wait of any handler. */
const maxMs = 60_000;

export class Sender {
  private readonly url: string;
  private agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.url = url;
  }

  /** @throws Error when the connection breaks or no reply arrives in time */
  send({ operation, url, headers, body }: Omit<FuzzRequest, 'caller' | 'path'>, again = true): Promise<FuzzReply> {
    return new Promise((resolve, reject) => {
      // By default, Node sends no Content-Length for a DELETE with a body. The service would then read the body as the
      // next request.
      const length = body ? { 'content-length': String(body.length) } : {};
      const framed = { ...sendable(headers), ...length };
      const agent = again ? this.agent : false;
      const options = { method: operation.method, agent, headers: framed, timeout: maxMs };
      const sent = send(this.url + url, options, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.once('error', reject);
        reply.once('end', () => {
          const flat = Object.entries(reply.headersDistinct).flatMap(([name, values]) =>
            (values ?? []).map((value): [string, string] => [name, value]),
          );
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: reply.statusCode ?? 0, headers: new Headers(flat), text });
        });
      });
      const started = new Date().toISOString();
      sent.once('timeout', () => sent.destroy(new Error(`no reply in ${maxMs} ms, sent at ${started}`)));
      sent.once('error', (error: NodeJS.ErrnoException) => {
        // The service closed this idle connection while the request was being sent.
        if (again && sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? ''))
          resolve(this.send({ operation, url, headers, body } as FuzzRequest, false));
        else reject(error);
      });
      sent.end(body);
    });
  }

  /**
   * Replaces all connections by new ones, because the service closes idle connections. No request may be in progress.
   */
  renew(): void {
    this.agent.destroy();
    this.agent = new Agent({ keepAlive: true });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Replaces header characters that an HTTP client cannot send. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')]);
  return Object.fromEntries(pairs);
}
