/**
 * Starts a nats-server as an operator sets it up. Each test supplies a configuration. The configuration can contain TLS
 * settings, and users that have NKeys, JWTs or passwords.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { nkeys } from 'nats';
import type { NatsSettings } from '../../src/journal/credentials.ts';
import { findNatsServer } from '../../src/supervisor/nats-server.ts';
import { afterwards, kill } from './cleanup.ts';
import { freePort, temporaryFolder } from './ports.ts';
import { waitUntil } from './wait-until.ts';

/** A self-signed certificate for localhost, and its key. */
export const certFile = fileURLToPath(new URL('../../../test/fixtures/localhost-cert.pem', import.meta.url));
export const certKeyFile = fileURLToPath(new URL('../../../test/fixtures/localhost-key.pem', import.meta.url));

/** A certificate and its key. The certificate was issued by a CA that no client trusts by default. */
export const issuedCertFile = fileURLToPath(new URL('../../../test/fixtures/issued-cert.pem', import.meta.url));
export const issuedKeyFile = fileURLToPath(new URL('../../../test/fixtures/issued-key.pem', import.meta.url));

/** Returns the server's TLS settings in its configuration syntax; `more` adds options between the braces. */
export const serverTls = (more = ''): string =>
  `tls { cert_file: "${certFile}", key_file: "${certKeyFile}", ca_file: "${certFile}", ${more} }`;

/**
 * Starts a nats-server with JetStream and returns its port.
 * @param jetstream more options of JetStream
 * @param program path of the nats-server; the packaged one by default
 */
export async function startExternal(
  t: TestContext,
  config: string,
  host = '127.0.0.1',
  jetstream = '',
  program = findNatsServer() as string,
): Promise<number> {
  const [folder, port] = [temporaryFolder(t), await freePort()];
  const file = join(folder, 'server.conf');
  writeFileSync(
    file,
    `listen: "${host}:${port}"\nmax_payload: 8MB\njetstream { store_dir: "${join(folder, 'store')}"; ${jetstream} }\n${config}\n`,
  );
  const child = spawn(program, ['-c', file], { stdio: 'ignore' });
  afterwards(t, () => kill(child));
  await waitUntil('the server listens', () => {
    if (child.exitCode !== null) throw new Error(`the server refuses its configuration: ${child.exitCode}`);
    return listens(host, port);
  });
  return port;
}

/**
 * Returns the settings of a service that uses an operator's nats-server. The settings contain only the address, unless
 * `more` contains further settings.
 */
export function externalSettings(natsUrl: string, more: Partial<NatsSettings> = {}): NatsSettings {
  const none = { natsCredentials: '', natsTlsCa: '', natsTlsCert: '', natsTlsKey: '', natsTlsFirst: false };
  return { natsUrl, ...none, ...more };
}

/** Makes a user that signs with an NKey. Returns its public key and the file with its seed. */
export function makeSigner(t: TestContext): { nkey: string; file: string } {
  const pair = nkeys.createUser();
  const file = join(temporaryFolder(t), 'user.nk');
  writeFileSync(file, `${textOf(pair.getSeed())}\n`, { mode: 0o600 });
  return { nkey: pair.getPublicKey(), file };
}

/**
 * Makes a user whose JWT is signed by a NATS operator key. Returns the server's configuration and the path of the
 * `.creds` file.
 */
export function makeCreds(t: TestContext): { config: string; file: string } {
  const [operator, user] = [nkeys.createOperator(), nkeys.createUser()];
  const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
  const none = { subs: -1, data: -1, payload: -1 };
  const limits = { ...none, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const stores = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const operatorJwt = jwt(operator, operator, { type: 'operator' });
  const accountJwt = jwt(operator, account, { type: 'account', limits: { ...limits, ...stores } });
  const systemJwt = jwt(operator, system, { type: 'account', limits });
  const userJwt = jwt(account, user, { type: 'user', pub: {}, sub: {}, ...none });
  const file = join(temporaryFolder(t), 'user.creds');
  const part = (name: string, text: string): string => `-----BEGIN ${name}-----\n${text}\n------END ${name}------\n\n`;
  writeFileSync(file, part('NATS USER JWT', userJwt) + part('USER NKEY SEED', textOf(user.getSeed())));
  const preload = `${account.getPublicKey()}: "${accountJwt}", ${system.getPublicKey()}: "${systemJwt}"`;
  const trust = `operator: "${operatorJwt}"\nsystem_account: ${system.getPublicKey()}`;
  return { config: `${trust}\nresolver: MEMORY\nresolver_preload: { ${preload} }`, file };
}

type Pair = ReturnType<typeof nkeys.createUser>;

function jwt(issuer: Pair, subject: Pair, nats: object): string {
  const sub = subject.getPublicKey();
  const claims = { jti: sub, iat: 1, iss: issuer.getPublicKey(), name: 'test', sub, nats: { ...nats, version: 2 } };
  const head = { typ: 'JWT', alg: 'ed25519-nkey' };
  const body = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${body}.${Buffer.from(issuer.sign(Buffer.from(body))).toString('base64url')}`;
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, host, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
