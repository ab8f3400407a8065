/**
 * Creates and reads the keys of the supervised nats-server, in a folder of the data directory: one NKey seed per role,
 * and the server's certificate. The first start creates all keys. A later start creates only the missing keys.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { isPair, makeCertificate } from './certificate.ts';
import { keyPairOf } from './credentials.ts';
import { type JournalRole, journalRoles, type Permissions, permissionsOf } from './roles.ts';

/**
 * A user of the supervised server: its public key and its permissions. A user without `permissions` may do everything.
 */
export interface NatsUser {
  nkey: string;
  permissions?: Permissions;
}

/** Returns the folder of all keys of the journal. */
export function journalKeysFolder(dataDir: string): string {
  return join(dataDir, 'journal-keys');
}

/** Returns the path of a role's NKey seed, with which the role proves its identity to the server. */
export function seedFile(dataDir: string, role: JournalRole): string {
  return join(journalKeysFolder(dataDir), `${role}.nk`);
}

/** Returns the path of the server's certificate. Clients accept only this certificate. */
export function certificateFile(dataDir: string): string {
  return join(journalKeysFolder(dataDir), 'server-cert.pem');
}

/** Returns the path of the private key of the server's certificate. */
export function certificateKeyFile(dataDir: string): string {
  return join(journalKeysFolder(dataDir), 'server-key.pem');
}

/**
 * Creates the keys that are missing.
 * @param write writes a file atomically, so that it is never incomplete, and makes it readable only by its owner
 * @returns the paths of the new files
 */
export function makeJournalKeys(dataDir: string, write: (file: string, text: string) => void): string[] {
  mkdirSync(journalKeysFolder(dataDir), { recursive: true, mode: 0o700 });
  const made: string[] = [];
  const add = (file: string, text: string): void => {
    write(file, text);
    made.push(file);
  };
  for (const role of journalRoles) {
    const file = seedFile(dataDir, role);
    if (!existsSync(file)) add(file, `${new TextDecoder().decode(nkeys.createUser().getSeed())}\n`);
  }
  const [certificate, key] = [certificateFile(dataDir), certificateKeyFile(dataDir)];
  // The private key is written before the certificate. If the process ended between the two writes at an earlier start,
  // the two files do not match.
  if (isPair({ certificate: textOf(certificate), key: textOf(key) })) return made;
  const pair = makeCertificate();
  add(key, pair.key);
  add(certificate, pair.certificate);
  return made;
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/**
 * Returns the users of the server, one per role.
 * @throws JournalSetupError if a file does not contain a seed
 */
export function usersOf(dataDir: string): NatsUser[] {
  return journalRoles.map((role) => ({
    nkey: keyPairOf(seedFile(dataDir, role)).getPublicKey(),
    permissions: permissionsOf(role),
  }));
}

/** Returns the SHA-256 fingerprint of the server's certificate. */
export function fingerprintOf(dataDir: string): string {
  return new X509Certificate(readFileSync(certificateFile(dataDir))).fingerprint256;
}
