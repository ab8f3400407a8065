/**
 * Tests the rules for the sender of mail. The sender is an address, or a name followed by an address. Name and address
 * follow the same rules here as in their separate settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSettings } from '../../../src/api/channel-rules.ts';
import { toMessage } from '../../../src/channels/email/message.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import type { EmailSettings } from '../../../src/protocol/channel-settings.ts';

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
