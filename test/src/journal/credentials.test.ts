/**
 * Tests the conversion of settings to connection options.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { PeerCertificate } from 'node:tls';
import { connectionOptions } from '../../../src/journal/connect.ts';
import { type NatsSettings, tlsOptionsOf } from '../../../src/journal/credentials.ts';
import { certFile, externalSettings, issuedCertFile } from '../../helpers/external-nats.ts';

const options = (settings: NatsSettings) => connectionOptions(settings, { role: 'gateway', name: 'test' });

test('connection options contain the credentials of the address', () => {
  const { servers, token, user, pass, tls } = options(externalSettings('nats://s%40cret@127.0.0.1:4222'));
  assert.deepEqual([servers, token, user, pass, tls], [['127.0.0.1:4222'], 's@cret', undefined, undefined, undefined]);
  const named = options(externalSettings('tls://ada:pa%3Ass@nats.example:4222'));
  assert.deepEqual([named.user, named.pass, named.token, named.tls], ['ada', 'pa:ss', undefined, {}]);
  assert.equal(options(externalSettings('nats://nats.example:4222')).token, undefined);
});

test('each role gets an inbox of its own', () => {
  assert.equal(options(externalSettings('nats://127.0.0.1:4222')).inboxPrefix, '_INBOX.gateway');
});

test('a pinned certificate is recognized by its fingerprint, and a CA is not pinned', () => {
  type Identity = { checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined };
  const identityOf = (natsTlsCa: string) =>
    (tlsOptionsOf(externalSettings('tls://127.0.0.1:4222', { natsTlsCa })) as Identity).checkServerIdentity;
  const { fingerprint256 } = new X509Certificate(readFileSync(issuedCertFile));
  const judge = (found: string) => identityOf(issuedCertFile)?.('', { fingerprint256: found } as PeerCertificate);
  assert.equal(judge(fingerprint256), undefined);
  assert.match(String(judge(fingerprint256.replace(/^../, 'xx'))), /expected the certificate/);
  assert.equal(identityOf(certFile), undefined);
});
