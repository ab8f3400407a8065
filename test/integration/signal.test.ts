/**
 * Tests signals and queries between processes. A process that waits for a sequence number continues when this number is
 * folded. An expected error keeps its kind when it is passed to another process.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notFound, ServiceError } from '../../src/foundation/errors.ts';
import { answerLeadQueries, answerQueries, ask, askLead } from '../../src/journal/query.ts';
import { type Folded, FoldedSignals, publishFolded } from '../../src/journal/signal.ts';
import { startNats } from '../helpers/journal.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('a waiter wakes when its sequence is folded', async (t) => {
  const nats = await startNats(t);
  const [owner, gateway] = [await nats.connect(), await nats.connect()];
  const seen: Folded[] = [];
  const signals = new FoldedSignals(gateway, (folded) => void seen.push(folded));
  await gateway.connection.flush();
  const woken: string[] = [];
  const wait = (name: string, seq: number) => signals.wait(name, seq, 10_000).then(() => woken.push(`${name} ${seq}`));
  const waits = [wait('p00', 3), wait('p00', 5), wait('p01', 3)];
  publishFolded(owner, { partition: 'p00', generation: 1, seq: 4 });
  await waitUntil('the first wakes', () => woken.length > 0);
  assert.deepEqual(woken, ['p00 3']);
  publishFolded(owner, { partition: 'p00', generation: 1, seq: 5 });
  await waitUntil('the second wakes', () => woken.length > 1);
  assert.deepEqual(woken, ['p00 3', 'p00 5']);
  signals.close();
  await Promise.all(waits);
  assert.deepEqual(
    seen.map(({ seq }) => seq),
    [4, 5],
  );
});

test('a waiter stops waiting after its timeout', async (t) => {
  const signals = new FoldedSignals(await (await startNats(t)).connect());
  await signals.wait('p00', 1, 60);
  signals.close();
});

test('a question gets its answer or the error of its handler', async (t) => {
  const nats = await startNats(t);
  const [owner, gateway] = [await nats.connect(), await nats.connect()];
  answerQueries(owner, 'p00', async (question: { n: number }) => {
    if (question.n === 1) return { double: 2 };
    if (question.n === 2) throw notFound('Range', 'x');
    if (question.n === 4) return 'x'.repeat(9_000_000);
    throw new Error('secret detail');
  });
  await owner.connection.flush();
  assert.deepEqual(await ask(gateway, 'p00', { n: 1 }), { double: 2 });
  await assert.rejects(ask(gateway, 'p00', { n: 2 }), (error: ServiceError) => error.kind === 'notFound');
  await assert.rejects(ask(gateway, 'p00', { n: 3 }), (error: ServiceError) => {
    assert.ok(!error.message.includes('secret'));
    return error.kind === 'internal';
  });
  await assert.rejects(ask(gateway, 'p00', { n: 4 }), (error: ServiceError) => {
    assert.match(error.message, /has 90000\d\d bytes.*smaller limit/);
    return error.kind === 'unprocessable';
  });
  assert.deepEqual(await ask(gateway, 'p00', { n: 1 }), { double: 2 }, 'the owner still answers');
});

test('a question is answered unavailable when no one serves the partition', async (t) => {
  const journal = await (await startNats(t)).connect();
  await assert.rejects(ask(journal, 'p09', {}), (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    return error.kind === 'unavailable' && error.retryAfter === 1;
  });
});

test('a question to the lead reaches one process only, also while two take themselves for the lead', async (t) => {
  const nats = await startNats(t);
  const [a, b] = [
    { ...(await nats.connect()), node: 'a' },
    { ...(await nats.connect()), node: 'b' },
  ];
  const asked: string[] = [];
  for (const journal of [a, b]) {
    answerLeadQueries(journal, 'p00', async () => void asked.push(journal.node));
    await journal.connection.flush();
  }
  for (const asker of [a, b]) await askLead(asker, 'p00', { node: 'b' }, {});
  for (const { connection } of [a, b]) await connection.flush();
  assert.deepEqual(asked, ['b', 'b']);
  const isUnavailable = (error: unknown) => error instanceof ServiceError && error.kind === 'unavailable';
  await assert.rejects(askLead(a, 'p00', undefined, {}), isUnavailable);
  await assert.rejects(askLead(a, 'p00', { node: 'c' }, {}), isUnavailable);
});
