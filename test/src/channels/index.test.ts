/**
 * The list of channels keeps to one shape: names that exist, settings of their own, secrets among the settings.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelOf } from '../../../src/channels/index.ts';
import { channelNames, channelTraits } from '../../../src/protocol/channels.ts';

test('finds every channel by its name', () => {
  for (const name of channelNames) assert.equal(channelOf(name).name, name);
});

test('knows at the edge what the channels say of themselves', () => {
  for (const name of channelNames) {
    const { settings, secrets, isPublic } = channelOf(name);
    const traits = channelTraits[name];
    assert.deepEqual([traits.secrets, traits.isPublic], [secrets, isPublic], name);
    if (!traits.isBuiltIn) assert.equal(traits.settings, settings, name);
  }
});

test('describes every setting and names the secret ones', () => {
  for (const name of channelNames) {
    const { settings, secrets, receiver } = channelTraits[name];
    for (const field of [...secrets, ...receiver]) assert.ok(field in settings.properties, `${name} ${field}`);
    for (const [field, schema] of Object.entries(settings.properties)) {
      assert.ok(schema.description, `${name} ${field} is described`);
      if (/token|password|webhook|recipients/i.test(field))
        assert.ok(secrets.includes(field), `${name} ${field} is secret`);
    }
    assert.equal(settings.additionalProperties, false);
  }
});
