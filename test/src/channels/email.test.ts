/**
 * Tests the channel `email`. Each recipient gets a separate message, and no failure leads to a second message. No
 * address appears in our logs and error messages.
 */
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { DeliveryContext, DeliveryError } from '../../../src/channels/channel.ts';
import { email } from '../../../src/channels/email.ts';
import type { EmailSettings } from '../../../src/protocol/channel-settings.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { aContext, aNote, failureOf } from '../../helpers/delivery.ts';
import { freePort } from '../../helpers/ports.ts';
import { certificate, type SmtpOptions, type SmtpReceiver, startSmtp } from '../../helpers/receivers/smtp.ts';

const people = ['ann@example.org', 'ben@example.org', 'cleo@example.org'];
const crowd = Array.from({ length: 25 }, (_, at) => `reader-${at}@example.org`);

function settingsOf({ port }: SmtpReceiver, fields: Partial<EmailSettings> = {}): EmailSettings {
  return { host: 'localhost', port, tls: 'none', from: 'notes@example.com', recipients: people, ...fields };
}

async function send(
  t: TestContext,
  options: SmtpOptions = {},
  settings: Partial<EmailSettings> = {},
  fields: Partial<DeliveryContext<EmailSettings>> = {},
) {
  const server = await startSmtp(t, options);
  const context = aContext(t, settingsOf(server, settings), fields);
  const due = fields.recipients?.due ?? email.recipients?.(context.settings) ?? [];
  context.recipients = { unsubscribed: 0, alreadySent: 0, ...fields.recipients, due };
  return { server, context, delivery: email.deliver(email.render(aNote(), context.settings), context) };
}

/** Returns all recipients of messages, sorted. Fails if a recipient got two messages. */
function readers({ mails }: SmtpReceiver): string[] {
  const all = mails.flatMap(({ to }) => to).sort();
  assert.deepEqual(all, [...new Set(all)], 'somebody got two messages');
  return all;
}

test('each recipient gets a separate message', async (t) => {
  const { server, delivery } = await send(
    t,
    {},
    { recipients: [...people, 'ANN@example.org'], fromName: 'Shoebox "Notes"' },
  );
  assert.deepEqual(await delivery, {
    url: null,
    reference: null,
    counts: { accepted: 3, rejected: 0, deferred: 0, unsubscribed: 0, alreadySent: 0 },
    reached: { taken: server.mails.map(({ to }) => to[0]), doubtful: [] },
  });
  assert.deepEqual(
    readers(server).map((address) => address.toLowerCase()),
    people,
  );
  for (const { headers, from, to, text, html, raw } of server.mails) {
    assert.deepEqual(
      [headers.subject, headers.to?.toLowerCase(), from],
      ['shoebox v2.0.0', to[0]?.toLowerCase(), 'notes@example.com'],
    );
    assert.match(headers.from ?? '', /Shoebox \\?"Notes\\?"" <notes@example\.com>$/);
    assert.match(text, /^shoebox v2\.0\.0\r\n\r\nFeatures\r\n=+\r\n\r\n- Show a map\r\n/);
    assert.match(html, /<li>Show a map<\/li>/);
    assert.doesNotMatch(html, /<script|<img|src=|rn:pr/);
    for (const other of people.filter((address) => address !== to[0]?.toLowerCase()))
      assert.doesNotMatch(raw.toLowerCase(), new RegExp(other));
    assert.equal(headers['list-unsubscribe'], '<https://notes.example/unsubscribe/token>');
  }
});

test('each recipient can unsubscribe with one click', async (t) => {
  const unsubscribeUrl = (address: string) =>
    `https://notes.example/unsubscribe/${Buffer.from(address).toString('base64url')}?a=1&b=2`;
  const { server, delivery } = await send(t, {}, {}, { unsubscribeUrl });
  await delivery;
  for (const { headers, to, text, html } of server.mails) {
    const url = unsubscribeUrl(to[0] ?? '');
    assert.equal(headers['list-unsubscribe'], `<${url}>`);
    assert.equal(headers['list-unsubscribe-post'], 'List-Unsubscribe=One-Click');
    assert.ok(text.includes(url));
    assert.ok(
      html.includes(`<a href="${url.replaceAll('&', '&amp;')}">Unsubscribe</a></small></p>\r\n</body></html>`),
      html,
    );
  }
});

test('no one gets mail while the service has no public address', async (t) => {
  const { server, delivery } = await send(t, {}, {}, { unsubscribeUrl: () => null });
  const { outcome, message } = await failureOf(delivery);
  assert.equal(outcome, 'refused');
  assert.match(message, /Set TIDINGS_PUBLIC_URL to the public address of the service/);
  assert.equal(server.sessions, 0);
});

test('only recipients who are due get a message', async (t) => {
  const due = ['ann@example.org'];
  const { server, delivery } = await send(t, {}, {}, { recipients: { due, unsubscribed: 1, alreadySent: 1 } });
  const counts = { accepted: 1, rejected: 0, deferred: 0, unsubscribed: 1, alreadySent: 1 };
  assert.deepEqual((await delivery).counts, counts);
  assert.deepEqual(readers(server), due);
  const none = await send(t, {}, {}, { recipients: { due: [], unsubscribed: 3, alreadySent: 0 } });
  assert.equal((await failureOf(none.delivery)).outcome, 'refused');
  const all = await send(t, {}, {}, { recipients: { due: [], unsubscribed: 1, alreadySent: 2 } });
  assert.deepEqual((await all.delivery).counts, { ...counts, accepted: 0, alreadySent: 2 });
  assert.equal(none.server.sessions + all.server.sessions, 0);
});

test('a message has the same id in all attempts', async (t) => {
  const first = await send(t, { refuse: (address) => (address === people[0] ? undefined : 451) });
  await first.delivery;
  const second = await send(t);
  await second.delivery;
  const ids = ({ mails }: SmtpReceiver) =>
    Object.fromEntries(mails.map(({ to, headers }) => [to[0] ?? '', headers['message-id'] ?? '']));
  const [one, all] = [ids(first.server), ids(second.server)];
  assert.equal(one[people[0] ?? ''], all[people[0] ?? '']);
  assert.equal(new Set(Object.values(all)).size, 3);
  for (const id of Object.values(all)) assert.match(id, /^<pub_00TEST\.[0-9a-f]{24}@example\.com>$/);
});

test('refused recipients are counted but not named', async (t) => {
  const refuse = (address: string) => (address === people[1] ? 550 : undefined);
  const some = await send(t, { refuse });
  assert.deepEqual((await some.delivery).counts, {
    ...{ accepted: 2, rejected: 1, deferred: 0, unsubscribed: 0 },
    alreadySent: 0,
  });
  const all = await send(t, { refuse: () => 550 });
  assert.deepEqual(await failureOf(all.delivery), {
    outcome: 'refused',
    message: 'The mail server refused all 3 messages (550 5.1.1).',
    retryAfterMs: undefined,
  });
  const later = await send(t, { refuse: () => 451 });
  assert.deepEqual((({ outcome, message }) => [outcome, message])(await failureOf(later.delivery)), [
    'retry',
    'The mail server is not accepting messages right now (451 4.1.1).',
  ]);
  assert.equal(all.server.mails.length + later.server.mails.length, 0);
});

test('sending continues in a new session when the server ends one', async (t) => {
  const { server, delivery } = await send(t, { messagesPerSession: 2 }, { recipients: crowd });
  assert.equal((await delivery).counts?.accepted, crowd.length);
  assert.deepEqual(readers(server), [...crowd].sort());
  assert.ok(server.sessions >= crowd.length / 2);
});

test('the outcome is unknown when a connection is lost during a message', async (t) => {
  for (const fate of ['taken', 'refused silently'] as const) {
    const { server, delivery } = await send(
      t,
      { hangUp: (number) => (number === 9 ? fate : undefined) },
      { recipients: crowd },
    );
    const { outcome, message } = await failureOf(delivery);
    assert.equal(outcome, 'unknown', message);
    assert.match(
      message,
      /^The mail server accepted \d+ of 25 messages before the connection was lost; 1 more may have arrived\.$/,
    );
    assert.ok(readers(server).length < crowd.length);
    // The error names three groups of recipients: those who got the mail, the one recipient who may have got the mail,
    // and those who did not get the mail.
    const { reached } = (await delivery.catch((error: unknown) => error)) as DeliveryError;
    const [doubtful] = reached?.doubtful ?? [];
    assert.equal(reached?.doubtful.length, 1);
    assert.deepEqual(
      [...(reached?.taken ?? [])].sort(),
      readers(server).filter((address) => address !== doubtful),
    );
  }
});

test('an attempt is retried when no message was transmitted', async (t) => {
  const lost = await send(t, { hangUp: () => 'recipient' });
  assert.equal((await failureOf(lost.delivery)).outcome, 'retry');
  assert.equal(lost.server.mails.length, 0);
  const unreachable = aContext(t, settingsOf(lost.server, { port: await freePort() }));
  const { outcome, message } = await failureOf(email.deliver(email.render(aNote(), unreachable.settings), unreachable));
  assert.deepEqual([outcome, message], ['retry', 'The mail server could not be reached (ECONNREFUSED).']);
});

test('the signal stops sending', async (t) => {
  const controller = new AbortController();
  const stopped = await send(
    t,
    { hangUp: (number) => void (number > 8 && controller.abort()) },
    { recipients: crowd },
    { signal: controller.signal },
  );
  const { outcome, message } = await failureOf(stopped.delivery);
  assert.match(message, /^The mail server accepted \d+ of 25 messages/);
  const got = readers(stopped.server);
  assert.ok(got.length < crowd.length);
  const { reached } = (await stopped.delivery.catch((error: unknown) => error)) as DeliveryError;
  const known = [...(reached?.taken ?? []), ...(reached?.doubtful ?? [])];
  assert.equal(outcome, reached?.doubtful.length === 0 ? 'retry' : 'unknown', 'the next attempt goes on with the rest');
  for (const reader of got) assert.ok(known.includes(reader), `${reader} got it and would get it again`);
  const before = await send(t, {}, {}, { signal: AbortSignal.abort() });
  assert.equal((await failureOf(before.delivery)).outcome, 'retry');
  assert.equal(before.server.mails.length, 0);
});

test('the login works over both kinds of TLS', async (t) => {
  const login = { user: 'tidings', password: 'Pa55 wörd' };
  for (const tls of ['starttls', 'implicit'] as const) {
    const settings = { tls, ...login, certificateAuthority: certificate };
    const good = await send(t, { tls, login }, settings);
    assert.equal((await good.delivery).counts?.accepted, 3, tls);
    const bad = await send(t, { tls, login }, { ...settings, password: 'wrong' });
    assert.deepEqual(await failureOf(bad.delivery), {
      outcome: 'refused',
      message: 'The mail server refused the login (535 5.7.8).',
      retryAfterMs: undefined,
    });
  }
});

test('nothing is sent when TLS differs from the settings', async (t) => {
  const login = { user: 'tidings', password: 'secret' };
  const failures = [];
  for (const [server, settings] of [
    [{ tls: 'none' }, { tls: 'starttls' }],
    [{ tls: 'starttls' }, { tls: 'starttls' }],
    [{ tls: 'implicit' }, { tls: 'implicit' }],
    [{ tls: 'none' }, { tls: 'none', ...login }],
    [{ tls: 'none' }, { tls: 'none', user: 'tidings' }],
  ] as const) {
    const { delivery, server: got } = await send(t, server, settings);
    const { outcome, message } = await failureOf(delivery);
    failures.push(message);
    assert.equal(outcome, 'refused', message);
    assert.equal(got.mails.length, 0);
  }
  assert.deepEqual(failures, [
    'The connection requires TLS, but the mail server does not offer it.',
    "The mail server's certificate cannot be verified (DEPTH_ZERO_SELF_SIGNED_CERT).",
    "The mail server's certificate cannot be verified (DEPTH_ZERO_SELF_SIGNED_CERT).",
    'The connection has a password, which must not be sent without TLS. Set tls to starttls or implicit.',
    'The connection needs both user and password, or neither.',
  ]);
});

/** Makes the system resolve `name` to these addresses, in this order. */
function resolveTo(t: TestContext, name: string, ...addresses: string[]): void {
  const found = addresses.map((address) => ({ address, family: 4 }));
  const { lookup } = dns;
  t.mock.method(dns, 'lookup', (...args: Parameters<typeof lookup>) => {
    const done = args.at(-1) as unknown as (error: null, all: object[]) => void;
    return args[0] === name ? done(null, found) : lookup(...args);
  });
  syncBuiltinESMExports();
  afterwards(t, () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('the next address of a name is tried when no server listens at the first', async (t) => {
  resolveTo(t, 'mail.example.org', '127.0.0.2', '127.0.0.1');
  const { server, delivery } = await send(t, {}, { host: 'mail.example.org' });
  assert.equal((await delivery).counts?.accepted, 3);
  assert.deepEqual(readers(server), people);
  resolveTo(t, 'mail.example.org', '127.0.0.2', '127.0.0.3');
  const nowhere = await send(t, {}, { host: 'mail.example.org' });
  const { outcome, message } = await failureOf(nowhere.delivery);
  assert.deepEqual([outcome, message], ['retry', 'The mail server could not be reached (ECONNREFUSED).']);
});

test('no other address is tried when a server refuses', async (t) => {
  resolveTo(t, 'localhost', '127.0.0.1', '127.0.0.1');
  const login = { user: 'tidings', password: 'secret' };
  const { server, delivery } = await send(
    t,
    { tls: 'implicit', login },
    { tls: 'implicit', ...login, password: 'wrong', host: 'localhost', certificateAuthority: certificate },
  );
  assert.equal((await failureOf(delivery)).outcome, 'refused');
  assert.equal(server.sessions, 1);
});

test('connections outside the allowed networks are refused', async (t) => {
  const context = aContext(t, settingsOf({ port: 25 } as SmtpReceiver, { host: '169.254.169.254' }));
  const { outcome, message } = await failureOf(email.deliver(email.render(aNote(), context.settings), context));
  assert.equal(outcome, 'refused');
  assert.match(message, /^The mail server cannot be reached: /);
});

test('subjects and bodies keep letters of all scripts', async (t) => {
  const server = await startSmtp(t);
  const context = aContext(t, settingsOf(server, { recipients: ['ann@example.org'] }));
  const note = aNote({
    version: 'v2 „Größe“ 🚀\r\nBcc: eve@example.org',
    bodyMd: `- Größe ${'漢字 '.repeat(300)}\n\n.\n\nFrom here\n`,
  });
  await email.deliver(email.render(note, context.settings), context);
  const [mail] = server.mails;
  assert.equal(mail?.headers.subject, 'shoebox v2 „Größe“ 🚀 Bcc: eve@example.org');
  assert.deepEqual([mail?.headers.bcc, mail?.to], [undefined, ['ann@example.org']]);
  assert.match(
    mail?.text ?? '',
    /- Größe (?:漢字 ){299}漢字\r\n\r\n\.\r\n\r\nFrom here\r\n\r\n-- \r\nTo unsubscribe: \S+\r\n$/,
  );
});

test('a connection test sends a message to the sender only', async (t) => {
  const server = await startSmtp(t, { refuse: (address) => (address === 'notes@example.com' ? undefined : 550) });
  assert.match(await email.test(aContext(t, settingsOf(server))), /accepted a test message/);
  assert.deepEqual([readers(server), server.mails[0]?.headers.subject], [['notes@example.com'], 'Test message']);
  const other = await startSmtp(t, { refuse: () => 550 });
  assert.match(await email.test(aContext(t, settingsOf(other))), /did not accept a test message/);
});
