/** A server that answers as a test says, and the parts with which the client sends requests to it. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Positions } from '../../sdk/positions.ts';
import type { Sending } from '../../sdk/send.ts';
import { afterwards } from './cleanup.ts';

/** Answers one request. `nth` is 1 for the first request to the server. */
export type Script = (response: ServerResponse, nth: number) => void;

export interface ScriptedServer {
  sending: Sending;
  /** The headers of the requests, and their path under the name `path`. */
  seen: IncomingHttpHeaders[];
  /** How long the client waited before its next attempts, in milliseconds. No time passes for it. */
  waits: number[];
}

/** Starts a server that runs the scripts in order, one per request, and then repeats the last one. */
export async function startScriptedServer(t: TestContext, scripts: readonly Script[]): Promise<ScriptedServer> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const script = scripts[Math.min(seen.length, scripts.length - 1)] as Script;
    script(response, seen.push({ ...request.headers, path: request.url }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => {
    server.closeAllConnections();
    server.close();
  });
  const waits: number[] = [];
  const sending: Sending = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorize: () => ({ authorization: 'Bearer k' }),
    sendsCookie: false,
    testMode: false,
    positions: new Positions(),
    retries: 3,
    maxWaitMs: 60_000,
    timeoutMs: 10_000,
    fetch,
    sleep: async (ms) => void waits.push(ms),
  };
  return { sending, seen, waits };
}
