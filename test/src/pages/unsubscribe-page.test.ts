/**
 * Tests the unsubscribe page. A request that changes nothing enqueues no record. The rates of requests and of records
 * are limited.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { ApiContext } from '../../../src/api/context.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import { startServer } from '../../../src/http/server.ts';
import { UnsubscribeLimit } from '../../../src/pages/unsubscribe-limit.ts';
import { unsubscribeRoutes } from '../../../src/pages/unsubscribe-page.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import { addressDigest, isSuppressed, unsubscribeToken } from '../../../src/store/tables/suppressions.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';

const sealer = createSealer(randomBytes(32));

/**
 * Serves the page for a directory partition with one organization. Each enqueued record is counted and folded. The
 * clock of the limits does not move, so the tests have the same result on a slow machine.
 */
async function servePage(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  let last: Promise<void> = Promise.resolve();
  const enqueued: JournalRecord[] = [];
  const enqueue = async (record: JournalRecord) => {
    enqueued.push(record);
    seq += 1;
    const number = seq;
    last = last.then(() => foldRecords(directory, number, record));
    await last;
    return { seq: number };
  };
  const named = { name: 'nameOrganisation', origin: 'https://github.com', login: 'acme' } as const;
  await enqueue({ id: 'first', at: Date.now(), kind: 'command', command: named });
  enqueued.length = 0;
  const fresh = () => {
    directory.root.resetReadTxn();
    return directory;
  };
  const context = {
    sealer,
    readers: { fresh },
    laneOf: () => ({ enqueue }),
    signals: { wait: () => last },
  } as unknown as ApiContext;
  const orgId = rows<{ id: string }>(directory, 'organizations')[0]?.id as string;
  const limit = new UnsubscribeLimit(['127.0.0.1'], () => 1_000_000);
  const routes = unsubscribeRoutes(context, new BodyBudget(1_000_000), limit);
  const server = await startServer('127.0.0.1', 0, routes, createLogger('test', 'silent'));
  afterwards(t, () => server.stop(1000));
  const recipientNamed = (mail: string) => ({ orgId, address: addressDigest(sealer, orgId, mail) });
  /** Sends one request. `client` is the address that the trusted proxy reports. */
  const send = (token: string, body?: string, client = '192.0.2.1') =>
    fetch(`http://127.0.0.1:${server.port}/unsubscribe/${token}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-forwarded-for': client, 'content-type': 'application/x-www-form-urlencoded' },
      ...(body !== undefined && { body }),
    });
  return { directory, enqueued, recipientNamed, send };
}

const oneClick = 'List-Unsubscribe=One-Click';

test('a repeated one-click request gets 200 and writes nothing', async (t) => {
  const { enqueued, recipientNamed, send, directory } = await servePage(t);
  const recipient = recipientNamed('ada@example.org');
  const token = unsubscribeToken(sealer, recipient);
  for (let i = 0; i < 20; i++) {
    const answer = await send(token, oneClick);
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /no longer get release notes of acme/);
  }
  assert.equal(enqueued.length, 1);
  assert.equal(isSuppressed(directory, recipient), true);
  assert.equal((await send(token, 'again=1')).status, 200);
  assert.equal((await send(token, 'again=1')).status, 200);
  assert.equal(enqueued.length, 2, 'subscribing twice is not written twice either');
});

test('concurrent one-click requests write one record', async (t) => {
  const { enqueued, recipientNamed, send } = await servePage(t);
  const token = unsubscribeToken(sealer, recipientNamed('ada@example.org'));
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(token, oneClick)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
  assert.equal(enqueued.length, 1);
});

test('a link that unsubscribes and subscribes in turn writes ten records, then gets 429', async (t) => {
  const { enqueued, recipientNamed, send } = await servePage(t);
  const token = unsubscribeToken(sealer, recipientNamed('ada@example.org'));
  const statuses: number[] = [];
  for (let i = 0; i < 40; i++)
    statuses.push((await send(token, i % 2 === 0 ? oneClick : 'again=1', `192.0.2.${i}`)).status);
  assert.equal(enqueued.length, 10);
  assert.deepEqual(statuses.slice(0, 10), Array(10).fill(200));
  assert.ok(statuses.includes(429));
  const other = unsubscribeToken(sealer, recipientNamed('grace@example.org'));
  assert.equal((await send(other, oneClick)).status, 200, 'other recipients are not limited');
});

test('requests with a valid link are limited per recipient', async (t) => {
  const { recipientNamed, send } = await servePage(t);
  const token = unsubscribeToken(sealer, recipientNamed('ada@example.org'));
  const statuses: number[] = [];
  for (let i = 0; i < 130; i++) {
    const answer = await send(token, undefined, `192.0.2.${i}`);
    statuses.push(answer.status);
    await answer.text();
  }
  assert.deepEqual(statuses, [...Array(120).fill(200), ...Array(10).fill(429)]);
});

test('requests with forged tokens are limited per client', async (t) => {
  const { enqueued, recipientNamed, send } = await servePage(t);
  const token = unsubscribeToken(sealer, recipientNamed('ada@example.org'));
  const forged = `${token.slice(0, -4)}AAAA`;
  const statuses: number[] = [];
  for (let i = 0; i < 130; i++) {
    const answer = await send(forged, i % 2 === 0 ? undefined : oneClick);
    statuses.push(answer.status);
    await answer.text();
  }
  assert.deepEqual(statuses, [...Array(120).fill(404), ...Array(10).fill(429)]);
  assert.equal(enqueued.length, 0);
  assert.equal((await send(forged, undefined, '192.0.2.2')).status, 404, 'another client has a limit of its own');
  assert.equal(
    (await send(forged, undefined, '192.0.2.1, 127.0.0.1')).status,
    429,
    'a proxy does not change the client',
  );
  assert.equal((await send(token, oneClick)).status, 200, 'a valid link works even when its client is limited');
});

test('a limited request states when to retry', () => {
  let now = 1_000_000;
  const limit = new UnsubscribeLimit([], () => now);
  const ask = (peer: string) => limit.guess(peer, undefined);
  for (let i = 0; i < 120; i++) ask(`2001:db8:1:${i.toString(16)}::1`);
  assert.throws(
    () => ask('2001:db8:1:ffff::9'),
    (error: { kind?: string; retryAfter?: number }) => error.kind === 'rateLimited' && error.retryAfter === 1,
    'a network of one customer is one client',
  );
  ask('2001:db8:2::1');
  ask('192.0.2.1');
  now = 2_000_000;
  limit.sweep();
  ask('2001:db8:1::1');
});
