/**
 * The keys of the supervised nats-server, in a folder of the data directory: an NKey seed per role and the server's
 * certificate. The first start makes them; files that are missing are made again by the next start.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nkeys } from 'nats';
import { isPair, makeCertificate } from './certificate.ts';
import { keyPairOf } from './credentials.ts';
import { type JournalRole, journalRoles, type Permissions, permissionsOf } from './roles.ts';

/** A user of the supervised server: its public key and what it may do. Without permissions it may do everything. */
export interface NatsUser {
  nkey: string;
  permissions?: Permissions;
}

/** Folder of all keys of the journal. */
export function journalKeysFolder(dataDir: string): string {
  return join(dataDir, 'journal-keys');
}

/** Path of the seed that a role signs with. */
export function seedFile(dataDir: string, role: JournalRole): string {
  return join(journalKeysFolder(dataDir), `${role}.nk`);
}

/** Path of the server's certificate, which clients pin. */
export function certificateFile(dataDir: string): string {
  return join(journalKeysFolder(dataDir), 'server-cert.pem');
}

/** Path of the private key of the server's certificate. */
export function certificateKeyFile(dataDir: string): string {
  return join(journalKeysFolder(dataDir), 'server-key.pem');
}

/**
 * Makes the keys that are missing.
 * @param write writes a file that is whole or absent, readable by its owner only
 * @returns the files that are new
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
  // A start that ended between the two files leaves a pair that does not match.
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
 * The users of the server: one per role.
 * @throws JournalSetupError when a file does not hold a seed
 */
export function usersOf(dataDir: string): NatsUser[] {
  return journalRoles.map((role) => ({
    nkey: keyPairOf(seedFile(dataDir, role)).getPublicKey(),
    permissions: permissionsOf(role),
  }));
}

/** SHA-256 fingerprint of the server's certificate. */
export function fingerprintOf(dataDir: string): string {
  return new X509Certificate(readFileSync(certificateFile(dataDir))).fingerprint256;
}
