/**
 * The list of channels keeps to one shape: names that exist, settings of their own, secrets among the settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelNames } from '../../../src/channels/channel.ts';
import { channelOf } from '../../../src/channels/index.ts';

const written = channelNames.filter((name) =>
  ['support_messenger', 'workspace_chat', 'office_chat', 'email'].includes(name),
);

test('finds every channel by its name', () => {
  assert.equal(written.length, 4);
  for (const name of written) assert.equal(channelOf(name).name, name);
});

test('describes every setting and names the secret ones', () => {
  for (const name of written) {
    const { settings, secrets } = channelOf(name);
    for (const secret of secrets) assert.ok(secret in settings.properties, `${name} ${secret}`);
    for (const field of Object.keys(settings.properties)) {
      if (/token|password|webhook|recipients/i.test(field))
        assert.ok(secrets.includes(field), `${name} ${field} is secret`);
    }
    assert.equal(settings.additionalProperties, false);
  }
});
