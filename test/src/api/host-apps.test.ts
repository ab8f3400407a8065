/** Checks the manifest of an app and the state that comes back from the host. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { appManifest, manifestUrl, openState, reachableUrl, sealState } from '../../../src/api/host-apps.ts';
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

test('a state that was made while the clock was ahead is refused when the clock is right again', () => {
  const state = sealState(sealer, origin, 'key_1', now + 1);
  assert.throws(() => openState(sealer, state, 'key_1', now), refusal(/state: .* of a later time/));
});

test('a state of nobody, of another service or with a changed character is refused', () => {
  const state = sealState(sealer, origin, 'key_1', now);
  const foreign = sealState(createSealer(randomBytes(32)), origin, 'key_1', now);
  const changed = state.slice(0, -4) + (state.endsWith('AAAA') ? 'BBBB' : 'AAAA');
  const otherUse = sealer.seal(JSON.stringify({ id: 'x', origin, keyId: 'key_1', until: now + 1 }), ['other']);
  for (const text of ['', 'x', foreign, changed, otherUse])
    assert.throws(() => openState(sealer, text, 'key_1', now), refusal(/state: expected the state of POST/));
});

const reach = (publicUrl: string, host = origin) => reachableUrl({ publicUrl, host: '0.0.0.0', port: 8080 }, host);

test('an address that the host cannot reach is refused with the name of the setting', () => {
  for (const url of [
    '',
    'http://localhost:8080',
    'http://127.0.0.1',
    'https://[::1]',
    'http://x.localhost',
    'not a url',
  ])
    assert.throws(
      () => reach(url),
      { kind: 'conflict', message: /TIDINGS_PUBLIC_URL is .* Set TIDINGS_PUBLIC_URL to/ },
      url,
    );
  for (const url of ['http://10.1.2.3', 'https://192.168.1.5:8443', 'http://[fd00::1]'])
    assert.throws(() => reach(url), { kind: 'conflict', message: /github\.com cannot reach/ }, url);
});

test('public addresses are accepted, and those of a network for a host in it', () => {
  assert.equal(reach('https://notes.example.com/tidings/'), 'https://notes.example.com/tidings');
  assert.equal(reach('http://10.1.2.3', 'https://github.example.com'), 'http://10.1.2.3');
  assert.equal(reach('http://127.0.0.1:8080', 'http://localhost:3000'), 'http://127.0.0.1:8080');
  assert.throws(() => reach('http://127.0.0.1:8080', 'https://github.example.com'), { kind: 'conflict' });
});
