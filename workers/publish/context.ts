/**
 * What publishing needs of its worker, and what a channel's delivery is given: opened secrets, the way out, who wants no mail.
 */
import type { ChannelSettings, DeliveryContext } from '../../src/channels/channel.ts';
import type { Egress } from '../../src/egress/egress.ts';
import type { Sealer } from '../../src/foundation/seal.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { type ChannelName, type Connection, channelSealedFor, channelTraits } from '../../src/protocol/channels.ts';
import type { Partition } from '../../src/store/partition.ts';
import { addressDigest, unsubscribeToken } from '../../src/store/tables/suppressions.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Breakers } from './breakers.ts';
import type { Hosting } from './host.ts';

/** What all partitions of a worker publish with. */
export interface Delivering extends Hosting {
  egress: Egress;
  sealer: Sealer;
  breakers: Breakers;
  /** Address that recipients of mail reach the service at; empty where the settings name none. */
  publicUrl: string;
}

/** One partition and its surroundings, as its publisher sees them. */
export interface PublishContext extends Delivering {
  dataDir: string;
  pool: RenderPool;
  lane: Lane;
  partition: () => Partition;
  folded: () => number;
  caughtUp: () => boolean;
}

/** A connection that cannot be used; the message is for people. */
export class ConnectionError extends Error {}

/**
 * The settings of a connection, its secrets opened.
 * @throws ConnectionError when a secret does not open under the sealing key in use
 */
export function openSettings(sealer: Sealer, channel: ChannelName, connection: Connection): ChannelSettings {
  const opened = Object.entries(connection.secrets).map(([field, sealed]) => {
    try {
      return [field, JSON.parse(sealer.open(sealed, channelSealedFor(connection, channel, field)))];
    } catch {
      throw new ConnectionError(
        `The ${field} of the connection does not open under the sealing key in use. Put it again.`,
      );
    }
  });
  return { ...connection.settings, ...Object.fromEntries(opened) };
}

/** What a delivery through a connection may use, but for what is of the one attempt. */
export function deliveryBase(
  { sealer, egress, publicUrl }: Delivering,
  channel: ChannelName,
  connection: Connection,
): Pick<DeliveryContext, 'settings' | 'egress' | 'unsubscribeUrl'> {
  const { orgId } = connection;
  const digest = (address: string) => ({ orgId, address: addressDigest(sealer, orgId, address) });
  return {
    settings: openSettings(sealer, channel, connection),
    egress,
    unsubscribeUrl: (address) =>
      publicUrl === '' ? null : `${publicUrl}/unsubscribe/${unsubscribeToken(sealer, digest(address))}`,
  };
}

/** What tells receivers apart: the settings that say which it is, of whose connection. */
export function receiverOf(channel: ChannelName, { orgId, receiver }: Connection, repoId: string): string {
  return `${channel} ${channelTraits[channel].isBuiltIn ? repoId : orgId} ${receiver}`;
}
