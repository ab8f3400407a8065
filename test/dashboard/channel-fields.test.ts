/** Tests that the forms of channels have the settings of the channels, and that values pass through a form unchanged. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelFields, settingsOf, valuesOf } from '../../dashboard/text/channel-fields.ts';
import { channelTraits } from '../../src/protocol/channels.ts';
import { channelNames } from '../../src/protocol/names.ts';

test('each channel has a field for each of its settings, and secrets are marked', () => {
  for (const channel of channelNames) {
    const { settings, secrets } = channelTraits[channel];
    const fields = channelFields[channel];
    assert.deepEqual(fields.map(({ name }) => name).sort(), Object.keys(settings.properties).sort(), channel);
    const marked = fields.filter(({ isSecret }) => isSecret).map(({ name }) => name);
    assert.deepEqual(marked.sort(), [...secrets].sort(), `secrets of ${channel}`);
  }
});

test('a choice offers all values of its setting', () => {
  for (const channel of channelNames) {
    for (const { name, kind, options = [] } of channelFields[channel]) {
      if (kind !== 'choice') continue;
      const values = channelTraits[channel].settings.properties[name]?.anyOf.map(
        ({ const: value }: { const: string }) => value,
      );
      assert.deepEqual(
        options
          .map(([value]) => value)
          .filter((value) => value !== '')
          .sort(),
        [...values].sort(),
        `${channel}.${name}`,
      );
    }
  }
});

test('stored settings pass through a form unchanged', () => {
  const stored = { senderId: 12, newsfeedIds: [3, 4], state: 'draft', apiUrl: 'https://api.example.com' };
  const fields = channelFields.support_messenger;
  assert.deepEqual(settingsOf(fields, valuesOf(fields, stored)), stored);
  const pages = { title: 'Notes', embedIn: ['https://docs.example.com', 'https://www.example.com'] };
  assert.deepEqual(settingsOf(channelFields.hosted, valuesOf(channelFields.hosted, pages)), pages);
});

test('an empty field is left out, and a text that is not a number stays a text', () => {
  const fields = channelFields.email;
  const values = { ...valuesOf(fields, {}), port: 'many', recipients: ' a@example.com \n\n b@example.com', user: ' ' };
  assert.deepEqual(settingsOf(fields, values), {
    tls: 'starttls',
    port: 'many',
    recipients: ['a@example.com', 'b@example.com'],
  });
});
