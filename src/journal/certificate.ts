/**
 * Makes the certificate of the supervised nats-server: self-signed, for loopback, with a key of its own. Node.js reads
 * X.509 and cannot write it. The fields are fixed, so they are written here as DER: the library for it brings 20 packages.
 */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';

/** A certificate and its private key, both as PEM. */
export interface CertificatePair {
  certificate: string;
  key: string;
}

/** DER tags (X.690). Context tags are those of TBSCertificate and GeneralName (RFC 5280). */
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
 * The certificate is valid from 1970 to the end of 9999, "no well-defined expiration date" in RFC 5280 (4.1.2.5). Clients pin
 * it, so a date protects nothing, and a clock that jumps must not lock the operator out.
 */
const validity = der(
  tag.sequence,
  der(tag.utcTime, Buffer.from('700101000000Z')),
  der(tag.generalizedTime, Buffer.from('99991231235959Z')),
);

/** Makes a certificate for `localhost` and 127.0.0.1. It is not a CA: it vouches for nothing but itself. */
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

/** 16 random bytes as a positive number without a leading zero. */
function serialNumber(): Buffer {
  const number = randomBytes(16);
  number[0] = ((number[0] as number) & 0x7f) | 0x40;
  return number;
}

function object(id: string): Buffer {
  return der(tag.oid, Buffer.from(id, 'hex'));
}

/** A bit string of whole bytes: none of the last byte's bits is unused. */
function bits(bytes: Buffer): Buffer {
  return der(tag.bitString, Buffer.from([0]), bytes);
}

/** One DER element: tag, length, contents. */
function der(type: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([type]), lengthOf(body), body]);
}

/** The length of contents: one byte below 128, else its own bytes behind their number. */
function lengthOf({ length }: Buffer): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  if (length < 0x100) return Buffer.from([0x81, length]);
  return Buffer.from([0x82, length >> 8, length & 0xff]);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
