/**
 * Tests the rules for the sender of mail, and for the appearance of pages. The sender is an address, or a name followed
 * by an address. Name and address follow the same rules here as in their separate settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSettings } from '../../../src/api/channel-rules.ts';
import { toMessage } from '../../../src/channels/email/message.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import type { EmailSettings } from '../../../src/protocol/channel-settings.ts';
import { dataUri, png, pngChunk } from '../../helpers/pictures.ts';

const mail = { host: 'mail.example', recipients: ['ann@example.org'] };

function settingsOf(from: string, more: object = {}): EmailSettings {
  return checkSettings('email', { ...mail, ...more, from }) as EmailSettings;
}

/** Returns the names of the refused fields. */
function faultsOf(from: string, more: object = {}): string[] {
  try {
    settingsOf(from, more);
    return [];
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return Object.keys(error.details ?? {});
  }
}

/** Returns the From header of a mail, with its folded lines joined. */
async function headerOf(from: string): Promise<string | undefined> {
  const addressing = { publicationId: 'pub_1', to: 'ann@example.org', unsubscribeUrl: null, date: new Date(0) };
  const message = await toMessage({ subject: 's', text: 't', html: 'h' }, settingsOf(from), addressing);
  const [head = ''] = message.toString('latin1').split('\r\n\r\n');
  const names = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  assert.deepEqual(
    names.map((line) => line.split(':')[0]?.toLowerCase()).filter((name) => name === 'bcc' || name === 'x-evil'),
    [],
  );
  return names.find((line) => line.startsWith('From: '))?.slice(6);
}

test('a name before the address is split from it', () => {
  for (const [from, fromName] of [
    ['Notes <notes@acme.example>', 'Notes'],
    ['Notes of Acmé<notes@acme.example>', 'Notes of Acmé'],
    ['"Acme, Inc." <notes@acme.example>', 'Acme, Inc.'],
  ] as const) {
    const settings = settingsOf(from);
    assert.deepEqual([settings.from, settings.fromName], ['notes@acme.example', fromName], from);
  }
  const { from, fromName } = settingsOf('notes@acme.example', { fromName: 'Notes' });
  assert.deepEqual([from, fromName], ['notes@acme.example', 'Notes'], 'two separate settings still work');
});

test('the From header contains the encoded name', async () => {
  assert.equal(await headerOf('notes@acme.example'), 'notes@acme.example');
  assert.equal(await headerOf('Notes <notes@acme.example>'), 'Notes <notes@acme.example>');
  assert.equal(await headerOf('"Acme, Inc." <notes@acme.example>'), '"Acme, Inc." <notes@acme.example>');
  assert.equal(await headerOf('Acmé <n@acme.example>'), '=?UTF-8?Q?Acm=C3=A9?= <n@acme.example>');
});

test('a sender that could add a header or an address is refused', () => {
  for (const from of [
    'Notes\r\nBcc: all@example.org <n@acme.example>',
    'Notes <n@acme.example>\nX-Evil: 1',
    '"Notes\n" <n@acme.example>',
    'Notes <n@acme.example>, <o@acme.example>',
    'Notes <n@acme.example> <o@acme.example>',
    'o@acme.example <n@acme.example>',
    'No"tes <n@acme.example>',
    'Notes <n acme@example>',
    'Notes <@acme.example>',
    'Notes <>',
    ' <n@acme.example>',
    '" <n@acme.example>',
    '" " <n@acme.example>',
    '"a\\\\b" <n@acme.example>',
    `${'n'.repeat(101)} <n@acme.example>`,
    `Notes <${'n'.repeat(65)}@acme.example>`,
    `Notes <n@${'a'.repeat(253)}>`,
    `n@${'a'.repeat(253)}`,
  ])
    assert.deepEqual(faultsOf(from), ['from'], from);
  assert.deepEqual(faultsOf('Notes <n@acme.example>', { fromName: 'Other' }), ['fromName']);
});

/** Returns the refused fields of settings of pages, with what was expected. */
function pageFaults(settings: object): Record<string, string> {
  try {
    checkSettings('hosted', { ...settings });
    return {};
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.details ?? {};
  }
}

test('an accent color has three or six hexadecimal digits', () => {
  for (const accent of ['#0b57b7', '#FFF', '#abc']) assert.deepEqual(pageFaults({ accent }), {}, accent);
  for (const accent of ['', '#', '#12', '#12345', 'red', '0b57b7', '#0b57b7 ', '#0b57b7\n', '#0b57b7;}', '#gggggg'])
    assert.match(pageFaults({ accent }).accent ?? '', /^expected a color such as #0b57b7, got /, accent);
});

test('a frame is allowed for exact origins, or for all', () => {
  const good = [
    'https://docs.example.com',
    'https://a-b.example:8443',
    'https://xn--bcher-kva.example',
    'https://intranet',
  ];
  assert.deepEqual(pageFaults({ embedIn: [...good, 'http://localhost:3000', 'http://127.0.0.1'] }), {});
  assert.deepEqual([pageFaults({ embedIn: ['*'] }), pageFaults({ embedIn: [] })], [{}, {}]);
  for (const origin of [
    ...['', 'docs.example.com', 'http://docs.example.com', 'https://', 'https://*', 'https://*.example.com', '**'],
    ...['https://docs.example.com/', 'https://docs.example.com/a', 'https://a@b.example', 'https://a.example:', 'null'],
    ...["'self'", 'https:', 'data:', 'https://a.example https://b.example', 'https://a.example; script-src *'],
    ...['https://a.example,', 'https://a.example\n', ' https://a.example', 'https://bücher.example', 'https://[::1]'],
    ...[
      'https://a..example',
      'https://-a.example',
      'https://a.example:99999',
      'https://a.example?x',
      'http://localhost.evil',
    ],
  ])
    assert.match(pageFaults({ embedIn: [origin] })['embedIn.0'] ?? '', /^expected an origin such as https:/, origin);
  assert.match(pageFaults({ embedIn: ['*', 'https://a.example'] }).embedIn ?? '', /\* alone/);
  assert.match(pageFaults({ embedIn: ['https://a.example', 'https://a.example'] }).embedIn ?? '', /different/);
  assert.match(
    pageFaults({ embedIn: Array.from({ length: 21 }, (_, i) => `https://a${i}.example`) }).embedIn ?? '',
    /at most 20/,
  );
  assert.match(pageFaults({ embedIn: 'https://a.example' }).embedIn ?? '', /an array/);
});

test('a logo is stored without metadata, and other pictures are refused', () => {
  const given = dataUri('png', png({ before: [pngChunk('tEXt', 'Ada')] }));
  assert.equal(checkSettings('hosted', { logo: given, logoAlt: 'Rocket' }).logo, dataUri('png', png()));
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`;
  for (const logo of [
    '',
    'logo.png',
    'https://a.example/logo.png',
    svg,
    'data:image/png;base64,@@',
    'data:image/png,x',
  ])
    assert.match(pageFaults({ logo }).logo ?? '', /^expected a data URI of a PNG, JPEG, GIF or WebP picture/, logo);
  assert.match(pageFaults({ logo: dataUri('png', Buffer.from('<svg/>')) }).logo ?? '', /got other bytes/);
  const large = dataUri('png', Buffer.concat([png(), Buffer.alloc(32_768)]));
  assert.match(pageFaults({ logo: large }).logo ?? '', /expected (?:at most 32768 bytes|a data URI)/);
  assert.match(pageFaults({ logoAlt: 'Rocket' }).logoAlt ?? '', /there is no logo/);
  for (const title of [' ', '\u200b\u2060', '\u3164', '\u200d\u0301', '\u00a0\u202e'])
    assert.match(pageFaults({ title }).title ?? '', /expected a text with visible characters/, JSON.stringify(title));
  for (const title of ['a', '🚀', '漢', '!']) assert.equal(pageFaults({ title }).title, undefined);
});
