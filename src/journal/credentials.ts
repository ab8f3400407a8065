/**
 * What a process proves itself with to the journal's server, and how it recognises that server: credential files and TLS
 * options of the settings. A fault names its setting.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions as SecureOptions } from 'node:tls';
import { type Authenticator, credsAuthenticator, nkeyAuthenticator, nkeys, type TlsOptions } from 'nats';
import type { Settings } from '../../config/schema.ts';
import { JournalSetupError } from './topology.ts';

/** How the journal's server is reached: its address, the files with credentials, TLS. */
export type NatsSettings = Pick<
  Settings,
  'natsUrl' | 'natsCredentials' | 'natsTlsCa' | 'natsTlsCert' | 'natsTlsKey' | 'natsTlsFirst'
>;

type KeyPair = ReturnType<typeof nkeys.fromSeed>;

/** A user seed, on a line of its own or between the lines of a decorated file. */
const userSeed = /^SU[A-Z2-7]{56}$/m;
const userToken = '-----BEGIN NATS USER JWT-----';

/**
 * Reads the key of a user from a file with its NKey seed.
 * @throws JournalSetupError when there is none
 */
export function keyPairOf(file: string): KeyPair {
  const pair = pairIn(read(file));
  if (pair) return pair;
  throw new JournalSetupError(`${file} does not hold an NKey seed. Delete it, and the next start makes a new one.`);
}

function pairIn(text: string): KeyPair | undefined {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(userSeed.exec(text)?.[0]));
  } catch {
    return undefined;
  }
}

/**
 * The authenticator of a `.creds` file or of a file with an NKey seed. It reads the file again for each connection, so that
 * credentials can be replaced while the service runs; while the file cannot be used, the last ones count.
 * @throws JournalSetupError when the file cannot be used now
 */
export function authenticatorOf(file: string): Authenticator {
  let last = readAuthenticator(file);
  return (nonce) => {
    try {
      last = readAuthenticator(file);
    } catch {
      // The file is being replaced.
    }
    return last(nonce);
  };
}

function readAuthenticator(file: string): Authenticator {
  const text = read(file, 'TIDINGS_NATS_CREDENTIALS: ');
  const pair = pairIn(text);
  if (!pair) {
    throw new JournalSetupError(
      `TIDINGS_NATS_CREDENTIALS: expected a .creds file or a file with the NKey seed of a user (SU…), got ${file}`,
    );
  }
  return text.includes(userToken)
    ? credsAuthenticator(new TextEncoder().encode(text))
    : nkeyAuthenticator(pair.getSeed());
}

/** Whether the settings ask for TLS. */
export function asksForTls({ natsUrl, natsTlsCa, natsTlsCert, natsTlsFirst }: NatsSettings): boolean {
  return natsUrl.startsWith('tls:') || natsTlsFirst || natsTlsCa !== '' || natsTlsCert !== '';
}

/**
 * The TLS options; undefined when the settings do not ask for TLS. With them the client refuses a server without TLS before
 * it sends anything.
 * @throws JournalSetupError when a file cannot be used
 */
export function tlsOptionsOf(settings: NatsSettings): TlsOptions | undefined {
  if (!asksForTls(settings)) return undefined;
  const { natsTlsCa, natsTlsCert, natsTlsKey, natsTlsFirst } = settings;
  const options: TlsOptions & SecureOptions = {};
  if (natsTlsFirst) options.handshakeFirst = true;
  if (natsTlsCa !== '') Object.assign(options, trustIn(read(natsTlsCa, 'TIDINGS_NATS_TLS_CA: '), natsTlsCa));
  if (natsTlsCert !== '') {
    options.cert = read(natsTlsCert, 'TIDINGS_NATS_TLS_CERT: ');
    options.key = read(natsTlsKey, 'TIDINGS_NATS_TLS_KEY: ');
  }
  return options as TlsOptions;
}

/** Trusts the CAs of a file. A single certificate that is not a CA is pinned: no other one is accepted, whatever its name. */
function trustIn(ca: string, file: string): SecureOptions {
  const pinned = certificateIn(ca, file);
  if (pinned.ca || ca.indexOf('-----BEGIN') !== ca.lastIndexOf('-----BEGIN')) return { ca };
  return {
    ca,
    // One that a CA has issued is trusted without that CA.
    allowPartialTrustChain: true,
    checkServerIdentity: (_, { fingerprint256 }) =>
      fingerprint256 === pinned.fingerprint256
        ? undefined
        : new Error(`expected the certificate ${pinned.fingerprint256}, got ${fingerprint256}`),
  };
}

function certificateIn(text: string, file: string): X509Certificate {
  try {
    return new X509Certificate(text);
  } catch {
    throw new JournalSetupError(`TIDINGS_NATS_TLS_CA: expected a certificate in PEM, got ${file}`);
  }
}

/** @param setting name of the setting, before the message */
function read(file: string, setting = ''): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new JournalSetupError(`${setting}${(error as Error).message}`);
  }
}
