/**
 * The configuration of the supervised nats-server: the fixed part of `config/nats-server.conf` and the users with their
 * permissions (`docs/architecture.md` decision 8). It holds no secret: users are named by their public keys.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf, type NatsUser } from '../journal/keys.ts';
import { atLeast } from '../journal/topology.ts';

const fixedPart = fileURLToPath(new URL('../../../config/nats-server.conf', import.meta.url));

/** Options that servers before a version refuse to start with. */
const newerOptions = { sync_interval: [2, 10, 0], handshake_first: [2, 10, 4] } as const;

/** How long a reply to a question may take; the gateway waits for less. */
const respond = { max: 1, expires: '1m' };

/**
 * The text of the configuration. It is another one whenever the running server would have to be another one, so it also
 * names the certificate.
 */
export function natsConfig(dataDir: string, version: string, users: readonly NatsUser[]): string {
  let text = readFileSync(fixedPart, 'utf8');
  for (const [option, since] of Object.entries(newerOptions)) {
    if (!atLeast(version, since)) text = text.replace(new RegExp(`^ *${option}:.*\\n`, 'm'), '');
  }
  const authorization = JSON.stringify({ users: users.map(toUser) }, undefined, 2);
  return `${text}\n# certificate ${fingerprintOf(dataDir)}\nauthorization: ${authorization}\n`;
}

function toUser({ nkey, permissions }: NatsUser): object {
  if (!permissions) return { nkey };
  const { publish, subscribe } = permissions;
  return { nkey, permissions: { publish, subscribe, ...(permissions.respond && { allow_responses: respond }) } };
}

/** Path of the configuration. */
export function natsConfigFile(dataDir: string): string {
  return join(dataDir, 'nats', 'server.conf');
}

/** The configuration that the server was started with; empty when it never was. */
export function writtenNatsConfig(dataDir: string): string {
  const file = natsConfigFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
