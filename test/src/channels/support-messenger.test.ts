/**
 * Tests delivery to a support messenger: each publication makes exactly one news item, even if replies are lost.
 * Updates refer to the item by its reference.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { supportMessenger } from '../../../src/channels/support-messenger.ts';
import { aContext, aNote, entries, failureOf } from '../../helpers/delivery.ts';
import { flood, reset, status } from '../../helpers/receiver.ts';
import { callsOf, type SupportMessenger, startSupportMessenger } from '../../helpers/receivers/support-messenger.ts';

function settingsOf({ apiUrl, token, senderId, newsfeedId }: SupportMessenger) {
  return { apiUrl, accessToken: token, senderId, newsfeedIds: [newsfeedId] };
}

function deliver(
  t: TestContext,
  messenger: SupportMessenger,
  fields = {},
  bodyMd = '- Show a map <!-- rn:pr:1 -->\n',
  settings = {},
) {
  const all = { ...settingsOf(messenger), ...settings };
  return supportMessenger.deliver(supportMessenger.render(aNote({ bodyMd }), all), aContext(t, all, fields));
}

test('a news item is published', async (t) => {
  const messenger = await startSupportMessenger(t);
  assert.deepEqual(await deliver(t, messenger), { url: null, reference: '1' });
  const [item] = messenger.items;
  assert.deepEqual(
    [item?.title, item?.state, item?.newsfeed_assignments[0]?.newsfeed_id],
    ['shoebox v2.0.0', 'live', 42],
  );
  assert.match(item?.body ?? '', /^<ul>\n<li>Show a map<\/li>\n<\/ul>/);
});

test('the item of an earlier revision is updated and keeps changes by people', async (t) => {
  const messenger = await startSupportMessenger(t);
  const { reference } = await deliver(t, messenger, {}, 'One', { state: 'draft' });
  const item = messenger.items[0]!;
  const assigned = [{ newsfeed_id: 42, published_at: 1 }];
  Object.assign(item, { labels: ['New'], state: 'live', reactions: ['👍'], newsfeed_assignments: assigned });
  assert.deepEqual(await deliver(t, messenger, { reference }, 'Two', { state: 'draft' }), { url: null, reference });
  assert.equal(messenger.items.length, 1);
  assert.match(item.body, /Two/);
  assert.deepEqual(
    [item.labels, item.state, item.reactions, item.newsfeed_assignments],
    [['New'], 'live', ['👍'], assigned],
  );
});

test('the item of an attempt whose reply was lost is found', async (t) => {
  const messenger = await startSupportMessenger(t);
  for (const id of ['pub_00OTHER1', 'pub_00OTHER2']) {
    const other = supportMessenger.render(aNote({ publicationId: id }), settingsOf(messenger));
    await supportMessenger.deliver(other, aContext(t, settingsOf(messenger), { publicationId: id }));
  }
  messenger.plan(messenger.lost);
  assert.equal((await failureOf(deliver(t, messenger))).outcome, 'retry');
  for (let at = 0; at < 30; at += 1) messenger.items.unshift({ ...messenger.items[2]!, id: `9${at}`, body: 'x' });
  assert.equal((await deliver(t, messenger, { resumed: true }, 'Newer')).reference, '3');
  assert.equal(messenger.items.length, 33);
  assert.match(messenger.items.find(({ id }) => id === '3')?.body ?? '', /Newer/);
});

test('a new item is created when an earlier one is missing or was removed', async (t) => {
  const messenger = await startSupportMessenger(t);
  assert.equal((await deliver(t, messenger, { resumed: true })).reference, '1');
  messenger.items.length = 0;
  assert.equal((await deliver(t, messenger, { reference: '1' })).reference, '2');
  assert.equal((await deliver(t, messenger, { reference: '1', resumed: true })).reference, '2');
  assert.equal(messenger.items.length, 1);
});

test('exactly one item exists after any failures in between', async (t) => {
  const messenger = await startSupportMessenger(t);
  let [attempts, resumed] = [0, false];
  const broken = [
    status(500),
    reset,
    messenger.lost,
    status(429, { 'retry-after': '1' }),
    flood(),
    'usual',
    messenger.lost,
  ] as const;
  messenger.plan(...broken);
  for (;;) {
    attempts += 1;
    const done = await deliver(t, messenger, { resumed }).catch(() => undefined);
    if (done) break;
    resumed = true;
  }
  assert.ok(attempts >= 5, String(attempts));
  assert.equal(messenger.items.length, 1);
});

test('a retry waits until the time that the messenger names', async (t) => {
  const messenger = await startSupportMessenger(t);
  messenger.plan(status(429, { 'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 20) }));
  const { outcome, retryAfterMs = 0 } = await failureOf(deliver(t, messenger));
  assert.equal(outcome, 'retry');
  assert.ok(retryAfterMs > 10_000 && retryAfterMs <= 21_000, String(retryAfterMs));
});

test('a refusal ends the publication', async (t) => {
  const messenger = await startSupportMessenger(t);
  const failures = [
    await failureOf(deliver(t, messenger, {}, 'x', { accessToken: 'wrong' })),
    await failureOf(deliver(t, messenger, {}, 'x', { senderId: 8 })),
    await failureOf(deliver(t, messenger, {}, 'x', { newsfeedIds: [43] })),
  ];
  assert.deepEqual(
    failures.map(({ outcome, message }) => [outcome, message]),
    [
      ['refused', 'The messenger refused the request (401, unauthorized).'],
      ['refused', 'The messenger refused the request (400, parameter_invalid).'],
      ['refused', 'The messenger refused the request (400, parameter_invalid).'],
    ],
  );
});

test('a connection is tested without publishing', async (t) => {
  const messenger = await startSupportMessenger(t);
  assert.match(await supportMessenger.test(aContext(t, settingsOf(messenger))), /Nothing was published/);
  assert.deepEqual(
    callsOf(messenger).filter((call) => !call.startsWith('GET')),
    [],
  );
  const check = (settings: object) =>
    failureOf(supportMessenger.test(aContext(t, { ...settingsOf(messenger), ...settings })));
  assert.match((await check({ senderId: 9 })).message, /no teammate 9/);
  assert.match((await check({ newsfeedIds: [43] })).message, /no newsfeed 43/);
  assert.match((await check({ accessToken: 'wrong' })).message, /401/);
});

test('an item is cut between entries', async (t) => {
  const messenger = await startSupportMessenger(t);
  await deliver(t, messenger, {}, `## New\n\n${entries(2_000)}\n`);
  const body = messenger.items[0]?.body ?? '';
  assert.ok(body.length <= 50_000);
  assert.match(
    body,
    /<p>\d+ more changes: <a href="https:[^"]+">[^<]+<\/a><\/p>\n<p><em>Reference pub_00TEST<\/em><\/p>$/,
  );
});
