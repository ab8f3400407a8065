/** Tests that the sign-in to the journal equals that of the client library, byte by byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nkeyAuthenticator as libraryAuthenticator, nkeys } from 'nats';
import { nkeyAuthenticator } from '../../../src/journal/nkey.ts';

test('public key and signature of a user equal those of the client library', () => {
  for (let round = 0; round < 20; round += 1) {
    const seed = nkeys.createUser().getSeed();
    const [own, expected] = [nkeyAuthenticator(new TextDecoder().decode(seed)), libraryAuthenticator(seed)];
    for (const nonce of [undefined, '', 'a', 'PXoWU7zWAMt75FY']) assert.deepEqual(own(nonce), expected(nonce));
  }
});
