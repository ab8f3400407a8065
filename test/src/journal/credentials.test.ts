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

type Identity = { checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined };

/** Returns the check of a server's certificate for these addresses. */
function checkOf(natsUrl: string, more: Partial<NatsSettings> = {}): Identity['checkServerIdentity'] {
  return (tlsOptionsOf(externalSettings(natsUrl, more)) as Identity).checkServerIdentity;
}

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
  const identityOf = (natsTlsCa: string) => checkOf('tls://nats.example:4222', { natsTlsCa });
  const { fingerprint256 } = new X509Certificate(readFileSync(issuedCertFile));
  const judge = (found: string) => identityOf(issuedCertFile)?.('', { fingerprint256: found } as PeerCertificate);
  assert.equal(judge(fingerprint256), undefined);
  assert.match(String(judge(fingerprint256.replace(/^../, 'xx'))), /expected the certificate/);
  assert.equal(identityOf(certFile), undefined);
});

test('a server with an IP address needs a certificate for one of the addresses', () => {
  const certificate = (subjectaltname: string) => ({ subjectaltname, subject: {} }) as PeerCertificate;
  const check = checkOf('tls://10.0.0.1:4222,tls://[fd00::2]:4222,tls://nats-3:4222');
  // The name that Node gets for a server with an IP address.
  const [first, second] = [certificate('IP Address:10.0.0.1'), certificate('IP Address:FD00:0:0:0:0:0:0:2')];
  assert.deepEqual([check?.('localhost', first), check?.('localhost', second)], [undefined, undefined]);
  for (const other of ['IP Address:10.0.0.9', 'DNS:localhost', 'DNS:nats-3'])
    assert.match(String(check?.('localhost', certificate(other))), /does not match|is not in the cert's list/, other);
  assert.equal(check?.('nats-3', certificate('DNS:nats-3')), undefined);
  assert.match(String(check?.('nats-3', first)), /does not match/, 'a name needs its own certificate');
  assert.equal(checkOf('tls://nats-1:4222,tls://nats-2:4222'), undefined, 'Node checks names by itself');
  assert.equal(checkOf('tls://localhost:4222,tls://10.0.0.1:4222'), undefined);
});
