/** Checks the manifest of an app and the state that comes back from the host. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { appManifest, manifestUrl, openState, sealState } from '../../../src/api/host-apps.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import { knownEvents } from '../../../src/intake/events.ts';

const sealer = createSealer(randomBytes(32));
const origin = 'https://github.com';
const now = Date.UTC(2026, 2, 2);
const refusal = (why: RegExp) => ({ kind: 'invalid', message: why });

test('a manifest names the addresses of the service, and a name that fits', () => {
  const url = 'https://notes-of-a-rather-large-company.example.com';
  const manifest = appManifest(url);
  assert.equal(manifest.hook_attributes.url, `${url}/api/webhooks/scm`);
  assert.equal(manifest.redirect_url, `${url}/app/github-app`);
  assert.equal(manifest.public, false);
  assert.ok(manifest.name.length <= 34, manifest.name);
  assert.equal(appManifest(url, 'Notes').name, 'Notes');
});

test('a manifest asks for the events that the service captures', () => {
  for (const event of appManifest(origin).default_events) assert.ok(knownEvents.has(event), event);
});

test('a manifest is posted to the page of the person or of an organization', () => {
  assert.equal(manifestUrl(origin, undefined, 'a b'), `${origin}/settings/apps/new?state=a%20b`);
  assert.equal(manifestUrl(origin, 'acme', 'x'), `${origin}/organizations/acme/settings/apps/new?state=x`);
});

test('a state opens with the key that it was made for, within an hour', () => {
  const state = sealState(sealer, origin, 'key_1', now);
  assert.match(state, /^[\w.-]+$/, 'it needs no escapes in an address');
  assert.equal(openState(sealer, state, 'key_1', now + 3_599_999).origin, origin);
  assert.throws(() => openState(sealer, state, 'key_1', now + 3_600_000), refusal(/state: .* expired at 2026/));
  assert.throws(() => openState(sealer, state, 'key_2', now), refusal(/state: .* of another key/));
});

test('a state of nobody, of another service or with a changed character is refused', () => {
  const state = sealState(sealer, origin, 'key_1', now);
  const foreign = sealState(createSealer(randomBytes(32)), origin, 'key_1', now);
  const changed = state.slice(0, -4) + (state.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  const otherUse = sealer.seal(JSON.stringify({ id: 'x', origin, keyId: 'key_1', until: now + 1 }), ['other']);
  for (const text of ['', 'x', foreign, changed, otherUse])
    assert.throws(() => openState(sealer, text, 'key_1', now), refusal(/state: expected the state of POST/));
});
