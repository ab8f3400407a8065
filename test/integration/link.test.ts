/**
 * Tests the messages between gateways over a real nats-server: greetings, questions and notices. Bytes that no process of
 * the service has packed are dropped, and the connection goes on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLink } from '../../src/journal/link.ts';
import { FoldedSignals } from '../../src/journal/signal.ts';
import {
  announcementSubject,
  foldedSubject,
  memberSubject,
  noticesSubject,
  soleNode,
} from '../../src/journal/subjects.ts';
import { startNats } from '../helpers/journal.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const minuteMs = 60_000;

test('a greeting without others has no replies at once, and with others the replies of all', async (t) => {
  const nats = await startNats(t);
  const [a, b, c] = [await nats.connect(), await nats.connect(), await nats.connect()];
  const [first, second, third] = [openLink(a), openLink(b), openLink(c)];
  assert.deepEqual(await first.greet('a', { id: 'a' }, () => false, minuteMs), []);
  first.onAnnounced((announcement) => ({ a: announcement }));
  second.onAnnounced((announcement) => ({ b: announcement }));
  third.onAnnounced(() => undefined);
  for (const { connection } of [a, b, c]) await connection.flush();
  const replies = await third.greet('c', { id: 'c' }, (all) => all.length === 2, minuteMs);
  assert.deepEqual(replies.map((reply) => Object.keys(reply as object)[0]).sort(), ['a', 'b']);
});

test('a question to a member that is not connected fails at once', async (t) => {
  const link = openLink(await (await startNats(t)).connect());
  await assert.rejects(link.ask('nobody', [], minuteMs));
});

test('bytes of any form are dropped, and later messages arrive', async (t) => {
  const nats = await startNats(t);
  const [own, stranger] = [await nats.connect(), await nats.connect()];
  const link = openLink(own);
  const seen: unknown[] = [];
  link.onAnnounced((announcement) => void seen.push(announcement));
  link.onNotified((notice) => seen.push(notice));
  link.onAsked('a', async (question) => ({ question }));
  const signals = new FoldedSignals(own, (folded) => void seen.push(folded.seq));
  await own.connection.flush();
  const subjects = [announcementSubject('x'), noticesSubject, memberSubject('a'), foldedSubject(soleNode, 'p00')];
  // The bytes end in the middle of a value.
  for (const subject of subjects)
    for (const bytes of [[], [0x82, 0xa1], [0x93, 1], [0xdb, 255, 255, 255, 255]])
      stranger.connection.publish(subject, Uint8Array.from(bytes));
  const other = openLink(stranger);
  other.announce('b', 'announced');
  other.notify('noticed');
  await waitUntil('the later messages have arrived', () => seen.includes('announced') && seen.includes('noticed'));
  assert.deepEqual(seen, ['announced', 'noticed']);
  assert.deepEqual(await other.ask('a', 'a question', minuteMs), { question: 'a question' });
  signals.close();
});
