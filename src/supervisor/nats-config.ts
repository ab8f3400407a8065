/**
 * Builds the configuration of the supervised nats-server: the fixed part from `config/nats-server.conf`, and the users
 * with their permissions (`docs/architecture.md` decision 8). The configuration contains no secret, because users are
 * named by their public keys.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fingerprintOf, type NatsUser } from '../journal/keys.ts';
import { atLeast } from '../journal/topology.ts';

const fixedPart = fileURLToPath(new URL('../../../config/nats-server.conf', import.meta.url));

/**
 * Options, each with the first version of nats-server that accepts it. An earlier version does not start if its
 * configuration contains the option.
 */
const newerOptions = { sync_interval: [2, 10, 0], handshake_first: [2, 10, 4] } as const;

/**
 * Limits of the permission to reply (`allow_responses`): one reply per request, within one minute. The gateway waits
 * less than a minute for a reply.
 */
const respond = { max: 1, expires: '1m' };

/**
 * Returns the text of the configuration. If the text has changed, a running server is restarted. The text also contains
 * the fingerprint of the certificate, so that a new certificate restarts the server too.
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

/** Returns the path of the configuration file. */
export function natsConfigFile(dataDir: string): string {
  return join(dataDir, 'nats', 'server.conf');
}

/** Returns the configuration that the last start of the server used; an empty text if there was no start. */
export function writtenNatsConfig(dataDir: string): string {
  const file = natsConfigFile(dataDir);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
