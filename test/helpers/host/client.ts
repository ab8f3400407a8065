/** Opens a client of a test host and records the log lines and pauses of the client. Also reads whole lists. */
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { pino } from 'pino';
import {
  HostClient,
  type HostClientOptions,
  type HostPage,
  type HostWait,
  type ListRequest,
} from '../../../src/host/client.ts';
import { buildHistory, type HistoryOptions } from './build.ts';
import { startHost, type TestHost, type TestHostOptions } from './server.ts';

export interface OpenedClient {
  host: TestHost;
  client: HostClient;
  waits: HostWait[];
  /** Returns everything that the client has logged, as text. */
  log: () => string;
}

/** Starts a host with a history and opens a client of that host. After a fault, the client pauses only briefly. */
export async function openClient(
  t: TestContext,
  options: TestHostOptions & HistoryOptions = {},
  more: Partial<HostClientOptions> = {},
): Promise<OpenedClient> {
  const host = await startHost(t, buildHistory(options), options);
  const waits: HostWait[] = [];
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const logger = pino({ level: 'trace' }, sink);
  const onWait = (wait: HostWait): void => void waits.push(wait);
  const client = new HostClient({ host: host.host, logger, onWait, retryMs: 1, ...more });
  return { host, client, waits, log: () => lines.join('') };
}

/** Returns all pages of a list. */
export async function allPages({ client, host }: OpenedClient, request: ListRequest): Promise<HostPage[]> {
  const pages = [await client.first(host.history, request)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await client.page(next, request.kind));
  return pages;
}

/** Returns the values of one field of all items on all pages. */
export function fieldOf(pages: readonly HostPage[], field: string): unknown[] {
  return pages.flatMap(({ items }) => items.map((item) => item[field]));
}
