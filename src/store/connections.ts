/**
 * Finds the connection that a channel uses for a repository or an organization. A built-in channel without a stored
 * connection uses its default settings.
 */
import { Value } from '@sinclair/typebox/value';
import { ServiceError } from '../foundation/errors.ts';
import type { Sealer } from '../foundation/seal.ts';
import {
  type ChannelName,
  type ChannelRecord,
  type Connection,
  channelSealedFor,
  channelTraits,
} from '../protocol/channels.ts';
import type { Partition } from './partition.ts';
import { effectiveChannel, toConnection } from './tables/channels.ts';

/** The owner of a connection: an organization, or one of its repositories. */
export type Owner = Pick<Connection, 'orgId' | 'repoId'>;

type Fields = Record<string, unknown>;

/**
 * Returns the connection that a channel uses: the stored one, or the defaults of a built-in channel.
 * @throws ServiceError `conflict` when the channel needs a connection and has none, or when the connection's secrets
 *   cannot be decrypted
 */
export function connectionInForce(
  sealer: Sealer,
  directory: Partition,
  { orgId, repoId }: Owner,
  channel: ChannelName,
): Connection {
  const stored = effectiveChannel(directory, orgId, repoId, channel);
  if (stored) {
    assertOpens(sealer, stored);
    return toConnection(stored);
  }
  if (channelTraits[channel].isBuiltIn) return defaultConnection(sealer, orgId, channel);
  throw new ServiceError('conflict', `The channel ${channel} is not connected: see PUT /api/channels/${channel}.`);
}

/**
 * Makes a connection from the default settings of a channel. A built-in channel without a stored connection uses this
 * connection.
 */
export function defaultConnection(sealer: Sealer, orgId: string, channel: ChannelName): Connection {
  const settings = Value.Default(channelTraits[channel].settings, {}) as Fields;
  return { orgId, repoId: null, settings, secrets: {}, receiver: receiverDigest(sealer, channel, settings) };
}

/**
 * Computes the digest that identifies a receiver. The digest is keyed with a secret of the instance, because some of
 * the fields are secrets with few possible values. From an unkeyed digest, someone could guess these values.
 */
export function receiverDigest(sealer: Sealer, channel: ChannelName, settings: Fields): string {
  const { receiver } = channelTraits[channel];
  const values = receiver.map((field) => settings[field] ?? null);
  return receiver.length === 0 ? '' : sealer.mac(JSON.stringify(values), ['receiver', channel]).slice(0, 22);
}

/**
 * Checks that the secrets of a connection can be opened.
 * @throws ServiceError `conflict` if a secret cannot be opened with the current sealing key. The error names each such
 * secret.
 */
function assertOpens(sealer: Sealer, record: ChannelRecord): void {
  const { channel, secrets } = record;
  const shut = Object.entries(secrets).flatMap(([field, sealed]) => {
    try {
      sealer.open(sealed, channelSealedFor(record, channel, field));
      return [];
    } catch {
      return [field];
    }
  });
  if (shut.length === 0) return;
  const what = `the current sealing key cannot decrypt the stored ${shut.join(', ')}. Connect the channel again.`;
  throw new ServiceError('conflict', `The channel ${channel} is not connected: ${what}`);
}
