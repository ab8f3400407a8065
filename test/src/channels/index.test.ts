/**
 * Tests the list of channels. The names are known, and every setting has a description. Every field that a channel
 * lists as secret is one of the channel's settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelOf } from '../../../src/channels/index.ts';
import { channelTraits } from '../../../src/protocol/channels.ts';
import { channelNames } from '../../../src/protocol/names.ts';

test('every channel is found by its name', () => {
  for (const name of channelNames) assert.equal(channelOf(name).name, name);
});

test('the traits known to the edge match the channels', () => {
  for (const name of channelNames) {
    const { settings, secrets, isPublic } = channelOf(name);
    const traits = channelTraits[name];
    assert.deepEqual([traits.secrets, traits.isPublic], [secrets, isPublic], name);
    if (!traits.isBuiltIn) assert.equal(traits.settings, settings, name);
  }
});

test('every setting has a description, and the secret ones are listed', () => {
  for (const name of channelNames) {
    const { settings, secrets, receiver, notForPublishing } = channelTraits[name];
    for (const field of [...secrets, ...receiver, ...notForPublishing])
      assert.ok(field in settings.properties, `${name} ${field}`);
    for (const [field, schema] of Object.entries(settings.properties)) {
      assert.ok(schema.description, `${name} ${field} is described`);
      if (/token|password|webhook|recipients/i.test(field))
        assert.ok(secrets.includes(field), `${name} ${field} is secret`);
    }
    assert.equal(settings.additionalProperties, false);
  }
});
