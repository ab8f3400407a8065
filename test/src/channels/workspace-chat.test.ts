/**
 * Tests delivery to a workspace chat. Each publication makes one message, and updates refer to the message by its
 * reference. If the first message may have arrived, no second message is sent.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { workspaceChat } from '../../../src/channels/workspace-chat.ts';
import { aContext, aNote, entries, failureOf } from '../../helpers/delivery.ts';
import { hostileText } from '../../helpers/hostile-texts.ts';
import { flood, hang, reset, status } from '../../helpers/receiver.ts';
import { startWorkspaceChat, type WorkspaceChat } from '../../helpers/receivers/workspace-chat.ts';

const message = workspaceChat.render(aNote(), {});

function byHook(t: TestContext, chat: WorkspaceChat, fields = {}) {
  return workspaceChat.deliver(message, aContext(t, { webhookUrl: chat.webhookUrl }, fields));
}

function byBot(t: TestContext, chat: WorkspaceChat, fields = {}, settings = {}) {
  const { apiUrl, token: botToken, channel } = chat;
  return workspaceChat.deliver(message, aContext(t, { apiUrl, botToken, channel, ...settings }, fields));
}

test('a message is posted through an incoming webhook', async (t) => {
  const chat = await startWorkspaceChat(t);
  assert.deepEqual(await byHook(t, chat), { url: null, reference: null });
  assert.deepEqual(
    chat.messages.map(({ text }) => text),
    ['shoebox v2.0.0\n*Features*\n• Show a map'],
  );
});

test('a bot posts a message, and a later revision updates it', async (t) => {
  const chat = await startWorkspaceChat(t);
  const first = await byBot(t, chat);
  assert.deepEqual(first, {
    url: 'https://chat.example/archives/C0TEST/p1700000000000001',
    reference: 'C0TEST:1700000000.000001',
  });
  const { apiUrl, token: botToken, channel } = chat;
  const later = workspaceChat.render(aNote({ bodyMd: 'Reworded' }), {});
  const context = aContext(t, { apiUrl, botToken, channel }, { reference: first.reference });
  assert.deepEqual(await workspaceChat.deliver(later, context), first);
  assert.deepEqual(
    chat.messages.map(({ text }) => text),
    ['shoebox v2.0.0\nReworded'],
  );
});

test('a new message is posted when the one to update is gone', async (t) => {
  const chat = await startWorkspaceChat(t);
  const { reference } = await byBot(t, chat, { reference: 'C0TEST:1.2' });
  assert.equal(reference, 'C0TEST:1700000000.000001');
  assert.equal(chat.messages.length, 1);
});

test('a delivery succeeds when only the address of the message is unknown', async (t) => {
  const chat = await startWorkspaceChat(t);
  chat.plan('usual', status(500));
  assert.deepEqual(await byBot(t, chat), { url: null, reference: 'C0TEST:1700000000.000001' });
});

test('a retry waits as long as the chat asks', async (t) => {
  const chat = await startWorkspaceChat(t);
  const limited = status(429, { 'retry-after': '17' }, '{"ok":false,"error":"ratelimited"}');
  const answers = [limited, status(503), status(200, {}, '{"ok":false,"error":"ratelimited"}')];
  const failures = [];
  for (const answer of answers) {
    chat.plan(answer);
    failures.push(await failureOf(byBot(t, chat)));
  }
  assert.deepEqual(
    failures.map(({ outcome, retryAfterMs }) => [outcome, retryAfterMs]),
    [
      ['retry', 17_000],
      ['retry', undefined],
      ['retry', undefined],
    ],
  );
});

test('the outcome is unknown when the message may have arrived', async (t) => {
  const chat = await startWorkspaceChat(t);
  const broken = [
    status(500),
    status(504),
    reset,
    chat.lost,
    flood(),
    status(200, {}, '{"ok":false,"error":"fatal_error"}'),
  ];
  for (const answer of broken) {
    chat.plan(answer);
    const { outcome, message: text } = await failureOf(byBot(t, chat));
    assert.equal(outcome, 'unknown', text);
    assert.match(text, /may have arrived/);
  }
  assert.equal(chat.messages.length, 1, 'the one whose answer was lost');
});

test('an update is retried, since repeating it is safe', async (t) => {
  const chat = await startWorkspaceChat(t);
  const { reference } = await byBot(t, chat);
  for (const answer of [status(500), chat.lost]) {
    chat.plan(answer);
    assert.equal((await failureOf(byBot(t, chat, { reference }))).outcome, 'retry');
  }
  await byBot(t, chat, { reference, resumed: true });
  assert.equal(chat.messages.length, 1);
});

test('the signal ends a delivery, and its outcome is unknown', async (t) => {
  const chat = await startWorkspaceChat(t);
  chat.plan(hang);
  const controller = new AbortController();
  const delivery = failureOf(byHook(t, chat, { signal: controller.signal }));
  while (chat.receiver.received.length === 0) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  assert.equal((await delivery).outcome, 'unknown');
});

test('refusals are final, and only their codes are shown', async (t) => {
  const chat = await startWorkspaceChat(t);
  const failures = [];
  failures.push(await failureOf(byBot(t, chat, {}, { channel: 'C0OTHER' })));
  failures.push(await failureOf(byBot(t, chat, {}, { botToken: 'xoxb-wrong' })));
  chat.plan(status(404, {}, 'no_service'));
  failures.push(await failureOf(byHook(t, chat)));
  chat.plan(status(403, {}, '<html>key=secret</html>'));
  failures.push(await failureOf(byHook(t, chat)));
  chat.plan(status(302, { location: 'http://127.0.0.1:1/' }));
  failures.push(await failureOf(byHook(t, chat)));
  failures.push(await failureOf(byBot(t, chat, {}, { channel: undefined })));
  assert.deepEqual(
    failures.map(({ outcome, message: text }) => [outcome, text]),
    [
      ['refused', 'The chat refused the request (channel_not_found).'],
      ['refused', 'The chat refused the request (invalid_auth).'],
      ['refused', 'The chat refused the request (404, no_service).'],
      ['refused', 'The chat refused the request (403, no reason given).'],
      ['refused', 'The chat answered with a redirect (302). The service does not follow redirects.'],
      ['refused', 'The connection needs either webhookUrl, or botToken and channel.'],
    ],
  );
  assert.equal(chat.messages.length, 0);
});

test('a receiver that does not listen is retried, and a forbidden address is not', async (t) => {
  const chat = await startWorkspaceChat(t);
  await chat.receiver.close();
  assert.equal((await failureOf(byHook(t, chat))).outcome, 'retry');
  const unsafe = aContext(t, { webhookUrl: 'http://169.254.169.254/hook?key=secret' });
  const { outcome, message: text } = await failureOf(workspaceChat.deliver(message, unsafe));
  assert.equal(outcome, 'refused');
  assert.doesNotMatch(text, /secret|169/);
});

test('a test message is recognizable as a test', async (t) => {
  const chat = await startWorkspaceChat(t);
  assert.match(await workspaceChat.test(aContext(t, { webhookUrl: chat.webhookUrl })), /test message was sent/);
  assert.match(chat.messages[0]?.text ?? '', /^Test message\n/);
});

test('the chat accepts every message, whatever it contains', async (t) => {
  const chat = await startWorkspaceChat(t);
  const bodies = Array.from({ length: 40 }, (_, seed) => hostileText(seed, 'text', 20_000).text);
  bodies.push(`## New\n\n${entries(2_000)}\n`);
  for (const bodyMd of bodies) {
    const rendered = workspaceChat.render(aNote({ bodyMd }), {});
    await workspaceChat.deliver(rendered, aContext(t, { webhookUrl: chat.webhookUrl }));
  }
  assert.equal(chat.messages.length, bodies.length);
});
