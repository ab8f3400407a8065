/**
 * The host client against a real HTTP server that speaks GitHub's REST: lists page by page, conditional requests, renamed
 * repositories, tags.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { HostClient, type HostClientOptions, type HostPage, type ListRequest } from '../../../src/host/client.ts';
import { buildHistory, type HistoryOptions } from '../../helpers/host/build.ts';
import { startHost, type TestHost, type TestHostOptions } from '../../helpers/host/server.ts';

async function setUp(
  t: TestContext,
  options: TestHostOptions & HistoryOptions = {},
  more: Partial<HostClientOptions> = {},
) {
  const host = await startHost(t, buildHistory(options), options);
  const client = new HostClient({ host: host.host, logger: pino({ level: 'silent' }), retryMs: 1, ...more });
  return { host, client };
}

async function all(client: HostClient, host: TestHost, request: ListRequest): Promise<HostPage[]> {
  const pages = [await client.first(host.history, request)];
  for (let next = pages[0]?.next; next; next = pages.at(-1)?.next) pages.push(await client.page(next, request.kind));
  return pages;
}

const numbers = (pages: HostPage[]) => pages.flatMap(({ items }) => items.map(({ number }) => Number(number)));

test('lists every pull request page by page, newest change first', async (t) => {
  const { client, host } = await setUp(t, { numbers: 330 });
  const pages = await all(client, host, { kind: 'pulls' });
  assert.deepEqual(
    pages.map(({ items }) => items.length),
    [100, 100, 48],
  );
  assert.deepEqual(
    pages.map(({ pages: count }) => count),
    [3, 3, 3],
  );
  assert.deepEqual(numbers(pages), host.history.pulls.map(({ number }) => number).reverse());
  assert.equal(host.busiest, 1);
});
