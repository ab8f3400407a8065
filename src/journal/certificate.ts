/**
 * Creates the certificate of the supervised nats-server. The certificate is self-signed, is valid only for loopback
 * addresses, and has its own private key. Node.js can read X.509 certificates but cannot write them. Almost all fields
 * have fixed values, so this file writes them as DER. A library for X.509 would add 20 packages.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

/** A certificate and its private key, both as PEM. */
export interface CertificatePair {
  certificate: string;
  key: string;
}

/** DER tags (X.690). The context tags are those of TBSCertificate and GeneralName (RFC 5280). */
const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** Object identifiers, DER-encoded without their header. */
const oid = {
  commonName: '550403',
  ecdsaWithSha256: '2a8648ce3d040302',
  basicConstraints: '551d13',
  keyUsage: '551d0f',
  extendedKeyUsage: '551d25',
  serverAuth: '2b06010505070301',
  subjectAltName: '551d11',
} as const;

/**
 * The validity of the certificate: from 1970 to the end of 9999. RFC 5280 (4.1.2.5) defines this end date as "no
 * well-defined expiration date". Clients accept only this certificate, so an earlier end date would not protect
 * anything. But if the system clock jumped, an earlier end date could lock the operator out.
 */
const validity = der(
  tag.sequence,
  der(tag.utcTime, Buffer.from('700101000000Z')),
  der(tag.generalizedTime, Buffer.from('99991231235959Z')),
);

/**
 * Creates a certificate for `localhost` and 127.0.0.1. The certificate is not a CA, so it cannot sign other
 * certificates.
 */
export function makeCertificate(): CertificatePair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(tag.sequence, object(oid.ecdsaWithSha256));
  const name = der(
    tag.sequence,
    der(tag.set, der(tag.sequence, object(oid.commonName), der(tag.utf8String, Buffer.from('tidings journal')))),
  );
  const body = der(
    tag.sequence,
    der(tag.version, der(tag.integer, Buffer.from([2]))),
    der(tag.integer, serialNumber()),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(tag.extensions, der(tag.sequence, ...extensions())),
  );
  const certificate = der(tag.sequence, body, algorithm, bits(sign('sha256', body, privateKey)));
  return { certificate: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** Whether a certificate and a private key belong together. */
export function isPair({ certificate, key }: CertificatePair): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function extensions(): Buffer[] {
  const critical = der(tag.boolean, Buffer.from([0xff]));
  const digitalSignature = Buffer.from([0x07, 0x80]);
  const names = [der(tag.dnsName, Buffer.from('localhost')), der(tag.ipAddress, Buffer.from([127, 0, 0, 1]))];
  return [
    extension(oid.basicConstraints, der(tag.sequence), critical),
    extension(oid.keyUsage, der(tag.bitString, digitalSignature), critical),
    extension(oid.extendedKeyUsage, der(tag.sequence, object(oid.serverAuth))),
    extension(oid.subjectAltName, der(tag.sequence, ...names)),
  ];
}

function extension(id: string, value: Buffer, ...critical: Buffer[]): Buffer {
  return der(tag.sequence, object(id), ...critical, der(tag.octetString, value));
}

/** Returns 16 random bytes that encode a positive number without a leading zero byte. */
function serialNumber(): Buffer {
  const number = randomBytes(16);
  number[0] = ((number[0] as number) & 0x7f) | 0x40;
  return number;
}

function object(id: string): Buffer {
  return der(tag.oid, Buffer.from(id, 'hex'));
}

/** Encodes a bit string of whole bytes. The leading 0 is the number of unused bits in the last byte. */
function bits(bytes: Buffer): Buffer {
  return der(tag.bitString, Buffer.from([0]), bytes);
}

/** Encodes one DER element: tag, length, contents. */
function der(type: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([type]), lengthOf(body), body]);
}

/**
 * Encodes the length of a DER element. A length below 128 is one byte. For a greater length, the first byte (0x81,
 * 0x82) gives the number of length bytes that follow.
 */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
