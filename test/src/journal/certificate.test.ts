/**
 * Tests the certificate of the supervised nats-server: its names and its validity. Also tests that clients trust only
 * this certificate.
 */
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { isPair, makeCertificate } from '../../../src/journal/certificate.ts';

test('a certificate is self-signed, names loopback and is not a CA', () => {
  const pair = makeCertificate();
  const certificate = new X509Certificate(pair.certificate);
  assert.ok(certificate.verify(certificate.publicKey), 'signed by its own key');
  assert.ok(certificate.checkPrivateKey(createPrivateKey(pair.key)));
  assert.equal(certificate.ca, false);
  assert.equal(certificate.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(certificate.checkHost('localhost'), 'localhost');
  assert.equal(certificate.checkHost('nats.example'), undefined);
});

test('a certificate is valid from 1970 to the end of 9999', () => {
  const certificate = new X509Certificate(makeCertificate().certificate);
  assert.equal(Date.parse(certificate.validFrom), 0);
  assert.equal(Date.parse(certificate.validTo), Date.UTC(9999, 11, 31, 23, 59, 59));
});

test('200 certificates are well-formed and all different', () => {
  const made = Array.from({ length: 200 }, makeCertificate);
  const certificates = made.map(({ certificate }) => new X509Certificate(certificate));
  assert.equal(new Set(certificates.map(({ fingerprint256 }) => fingerprint256)).size, made.length);
  assert.equal(new Set(certificates.map(({ serialNumber }) => serialNumber)).size, made.length);
  for (const certificate of certificates) assert.ok(certificate.verify(certificate.publicKey));
});

test('isPair accepts only the key of the certificate', () => {
  const [pair, other] = [makeCertificate(), makeCertificate()];
  assert.ok(isPair(pair));
  assert.ok(!isPair({ certificate: pair.certificate, key: other.key }));
  for (const key of ['', 'half a k', pair.certificate]) assert.ok(!isPair({ certificate: pair.certificate, key }));
  assert.ok(!isPair({ certificate: '', key: pair.key }));
});

test('only a client that trusts the certificate accepts it over TLS', async (t) => {
  const [pair, other] = [makeCertificate(), makeCertificate()];
  const server = createServer({ cert: pair.certificate, key: pair.key }, (socket) => socket.end());
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const reach = (ca: string) =>
    new Promise<string>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', ca }, () => resolve(socket.getProtocol() ?? ''));
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
      socket.resume();
    });
  assert.equal(await reach(pair.certificate), 'TLSv1.3');
  assert.match(await reach(other.certificate), /SELF_SIGNED|UNABLE_TO/);
});
