/**
 * Defines the context that a worker gives to publishing, and prepares the context of a delivery: opened secrets,
 * outgoing requests, unsubscribe links.
 */
import type { ChannelSettings, DeliveryContext } from '../../src/channels/channel.ts';
import type { Egress } from '../../src/egress/egress.ts';
import type { Sealer } from '../../src/foundation/seal.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { type ChannelName, type Connection, channelSealedFor, channelTraits } from '../../src/protocol/channels.ts';
import type { Partition } from '../../src/store/partition.ts';
import { addressDigest, unsubscribeToken } from '../../src/store/tables/suppressions.ts';
import type { Lead } from '../partition/lead.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Breakers } from './breakers.ts';
import type { Hosting } from './host.ts';

/** The resources that all partitions of a worker share for publishing. */
export interface Delivering extends Hosting {
  egress: Egress;
  sealer: Sealer;
  breakers: Breakers;
  /** Public address of the service for links in mail; empty if the settings contain no address. */
  publicUrl: string;
}

/** One partition with its lane, render pool and shared resources, as its publisher uses them. */
export interface PublishContext extends Delivering {
  dataDir: string;
  pool: RenderPool;
  lane: Lane;
  partition: () => Partition;
  folded: () => number;
  /** The lead of the partition. Only the lead publishes. */
  lead: Pick<Lead, 'acts' | 'holds' | 'stamp'>;
  /**
   * Whether a former lead may still be sending. On one machine it has ended, because its lock on the store is free.
   */
  formerMayLive: boolean;
}

/** Thrown when a connection cannot be used. A person reads the message. */
export class ConnectionError extends Error {}

/**
 * Returns the settings of a connection, with opened secrets.
 * @throws ConnectionError when a secret does not open with the current sealing key
 */
export function openSettings(sealer: Sealer, channel: ChannelName, connection: Connection): ChannelSettings {
  const opened = Object.entries(connection.secrets).map(([field, sealed]) => {
    try {
      return [field, JSON.parse(sealer.open(sealed, channelSealedFor(connection, channel, field)))];
    } catch {
      throw new ConnectionError(
        `The current sealing key cannot decrypt the ${field} of the connection. Set this field again.`,
      );
    }
  });
  return { ...connection.settings, ...Object.fromEntries(opened) };
}

/** Returns the part of a delivery's context that depends on the connection only, not on the attempt. */
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

/**
 * Returns the key that identifies a receiver. The key contains the channel, the repository or organization, and a
 * digest of the settings that identify the receiver.
 */
export function receiverOf(channel: ChannelName, { orgId, receiver }: Connection, repoId: string): string {
  return `${channel} ${channelTraits[channel].isBuiltIn ? repoId : orgId} ${receiver}`;
}
