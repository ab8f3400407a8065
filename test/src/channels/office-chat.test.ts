/**
 * Tests delivery to an office chat. The workflow accepts the card. If the first card may have arrived, no second card
 * is sent.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { officeChat } from '../../../src/channels/office-chat.ts';
import { aContext, aNote, entries, failureOf } from '../../helpers/delivery.ts';
import { hostileText } from '../../helpers/hostile-texts.ts';
import { reset, status } from '../../helpers/receiver.ts';
import { type OfficeChat, startOfficeChat } from '../../helpers/receivers/office-chat.ts';

function deliver(t: TestContext, { webhookUrl }: OfficeChat, note = aNote()) {
  return officeChat.deliver(officeChat.render(note, { webhookUrl }), aContext(t, { webhookUrl }));
}

test('a card is sent to the workflow', async (t) => {
  const chat = await startOfficeChat(t);
  assert.deepEqual(await deliver(t, chat), { url: null, reference: null });
  assert.deepEqual(chat.cards, [['shoebox v2.0.0', 'Features', '- Show a map']]);
});

test('the workflow accepts every card, whatever it contains', async (t) => {
  const chat = await startOfficeChat(t);
  const bodies = Array.from({ length: 40 }, (_, seed) => hostileText(seed, 'text', 40_000).text);
  bodies.push(`## New\n\n${entries(2_000, '漢字 "quoted" \\\\ text')}\n`);
  for (const bodyMd of bodies) await deliver(t, chat, aNote({ bodyMd }));
  assert.equal(chat.cards.length, bodies.length);
});

test('retry, refused and unknown outcomes are distinguished', async (t) => {
  const chat = await startOfficeChat(t);
  const inText = (code: number) =>
    status(
      200,
      {},
      `Webhook message delivery failed with error: endpoint returned HTTP error ${code} with ContextId x`,
    );
  const outcomes = [];
  for (const answer of [
    status(429, { 'retry-after': '9' }),
    inText(429),
    status(413),
    inText(413),
    status(500),
    inText(502),
    reset,
    chat.lost,
  ]) {
    chat.plan(answer);
    const { outcome, retryAfterMs } = await failureOf(deliver(t, chat));
    outcomes.push(retryAfterMs === undefined ? outcome : `${outcome} after ${retryAfterMs}`);
  }
  assert.deepEqual(outcomes, [
    'retry after 9000',
    'retry',
    'refused',
    'refused',
    'unknown',
    'unknown',
    'unknown',
    'unknown',
  ]);
  assert.equal(chat.cards.length, 1, 'the one whose answer was lost');
});

test('a test card is recognizable as a test', async (t) => {
  const chat = await startOfficeChat(t);
  assert.match(await officeChat.test(aContext(t, { webhookUrl: chat.webhookUrl })), /sent to the workflow/);
  assert.equal(chat.cards[0]?.[0], 'Test message');
});
