/**
 * Sends made requests to a service over kept connections. A reply that does not come in time is a fault.
 */
import { Agent, request as send } from 'node:http';
import type { FuzzRequest } from './requests.ts';

/** A reply as it came; a body that is not JSON is its text. */
export interface FuzzReply {
  status: number;
  headers: Headers;
  text: string;
}

/** Longer than any handler waits for anything. */
const longestMs = 60_000;

export class Sender {
  private readonly url: string;
  private agent = new Agent({ keepAlive: true });

  constructor(url: string) {
    this.url = url;
  }

  /** @throws Error when the connection breaks or stays silent */
  send({ operation, url, headers, body }: Omit<FuzzRequest, 'caller' | 'path'>, again = true): Promise<FuzzReply> {
    return new Promise((resolve, reject) => {
      // Node leaves the length of a DELETE's body out, and its bytes would begin the next request.
      const length = body ? { 'content-length': String(body.length) } : {};
      const framed = { ...sendable(headers), ...length };
      const agent = again ? this.agent : false;
      const options = { method: operation.method, agent, headers: framed, timeout: longestMs };
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
      sent.once('timeout', () => sent.destroy(new Error(`no reply in ${longestMs} ms, sent at ${started}`)));
      sent.once('error', (error: NodeJS.ErrnoException) => {
        // The service had closed an idle connection, and this request came too late to know.
        if (again && sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? ''))
          resolve(this.send({ operation, url, headers, body } as FuzzRequest, false));
        else reject(error);
      });
      sent.end(body);
    });
  }

  /** Begins with new connections: the service closes those that were idle for a while. None may be in use. */
  renew(): void {
    this.agent.destroy();
    this.agent = new Agent({ keepAlive: true });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Headers without what no client can send. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]) => [name, value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')]);
  return Object.fromEntries(pairs);
}
