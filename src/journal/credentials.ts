/**
 * Reads the credential files and TLS options that the settings name. A process and the journal's server authenticate
 * each other with these files and options. Each error names the setting that is wrong.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type ConnectionOptions as SecureOptions } from 'node:tls';
import { type Authenticator, credsAuthenticator, nkeyAuthenticator, nkeys, type TlsOptions } from 'nats';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import type { Settings } from '../../config/schema.ts';
import { JournalSetupError } from './topology.ts';

/** The settings of the connection to the journal's server: its address, credential files and TLS. */
export type NatsSettings = Pick<
  Settings,
  'natsUrl' | 'natsCredentials' | 'natsTlsCa' | 'natsTlsCert' | 'natsTlsKey' | 'natsTlsFirst'
> & {
  /** Name of this node in a cluster; absent or empty on one machine. */
  node?: string;
};

type KeyPair = ReturnType<typeof nkeys.fromSeed>;

/** Matches a user's NKey seed, alone on a line or between the marker lines of a `.creds` file. */
const userSeed = /^SU[A-Z2-7]{56}$/m;
const userToken = '-----BEGIN NATS USER JWT-----';

/**
 * Reads a user's key from a file that contains the user's NKey seed.
 * @throws JournalSetupError if the file does not contain a seed
 */
export function keyPairOf(file: string): KeyPair {
  const pair = pairIn(read(file));
  if (pair) return pair;
  throw new JournalSetupError(
    `${file} does not contain an NKey seed. Delete the file: the next start creates it with a new seed.`,
  );
}

function pairIn(text: string): KeyPair | undefined {
  try {
    return nkeys.fromSeed(new TextEncoder().encode(userSeed.exec(text)?.[0]));
  } catch {
    return undefined;
  }
}

/**
 * Creates an authenticator from a `.creds` file or a file with an NKey seed. The authenticator reads the file again for
 * each connection, so credentials can be replaced while the service runs. If the file cannot be used for a new
 * connection, the authenticator uses the credentials that it read last.
 * @throws JournalSetupError if the file cannot be used when this function is called
 */
export function authenticatorOf(file: string): Authenticator {
  let last = readAuthenticator(file);
  return (nonce) => {
    try {
      last = readAuthenticator(file);
    } catch {
      // The file is being replaced, so the last credentials are used.
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

/** Whether the settings require TLS. */
export function asksForTls({ natsUrl, natsTlsCa, natsTlsCert, natsTlsFirst }: NatsSettings): boolean {
  return natsTlsFirst || natsTlsCa !== '' || natsTlsCert !== '' || natsAddressesOf(natsUrl).tls;
}

/**
 * Returns the TLS options; undefined if the settings do not require TLS. With these options, the client rejects a
 * server without TLS and sends nothing to it.
 * @throws JournalSetupError if a file cannot be used
 */
export function tlsOptionsOf(settings: NatsSettings): TlsOptions | undefined {
  if (!asksForTls(settings)) return undefined;
  const { natsTlsCa, natsTlsCert, natsTlsKey, natsTlsFirst } = settings;
  const options: TlsOptions & SecureOptions = { ...nameCheckOf(settings.natsUrl) };
  if (natsTlsFirst) options.handshakeFirst = true;
  if (natsTlsCa !== '') Object.assign(options, trustIn(read(natsTlsCa, 'TIDINGS_NATS_TLS_CA: '), natsTlsCa));
  if (natsTlsCert !== '') {
    options.cert = read(natsTlsCert, 'TIDINGS_NATS_TLS_CERT: ');
    options.key = read(natsTlsKey, 'TIDINGS_NATS_TLS_KEY: ');
  }
  return options as TlsOptions;
}

/**
 * Returns a check of the names in a certificate for servers whose addresses are IP addresses. For these, the client (nats
 * 2.29.3) names no server to Node, which then expects the name `localhost`. Which of the servers answers is not known, so
 * the certificate must be of one of them.
 */
function nameCheckOf(natsUrl: string): Pick<SecureOptions, 'checkServerIdentity'> {
  const hosts = natsAddressesOf(natsUrl).servers.map((server) => new URL(`nats://${server}`).hostname);
  const addresses = hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1')).filter((host) => isIP(host) !== 0);
  if (addresses.length === 0 || hosts.includes('localhost')) return {};
  return {
    checkServerIdentity: (name, certificate) => {
      if (name !== 'localhost') return checkServerIdentity(name, certificate);
      const faults = addresses.map((address) => checkServerIdentity(address, certificate));
      return faults.includes(undefined) ? undefined : faults[0];
    },
  };
}

/**
 * Returns options that trust the CAs in a file. If the file contains only a single certificate that is not a CA, this
 * certificate is pinned. Then the client accepts only this certificate and does not check the server name.
 */
function trustIn(ca: string, file: string): SecureOptions {
  const pinned = certificateIn(ca, file);
  if (pinned.ca || ca.indexOf('-----BEGIN') !== ca.lastIndexOf('-----BEGIN')) return { ca };
  return {
    ca,
    // A pinned certificate is trusted even if it was issued by a CA that is not in the file.
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

/** @param setting name of the setting; error messages begin with this name */
function read(file: string, setting = ''): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new JournalSetupError(`${setting}${(error as Error).message}`);
  }
}
