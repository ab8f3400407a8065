/**
 * The list of channels by name.
 */
import type { Channel, ChannelName } from './channel.ts';
import { hosted } from './hosted.ts';

const channels: Partial<Record<ChannelName, Channel>> = { hosted };

/** The channel of a name. */
export function channelOf(name: ChannelName): Channel {
  const channel = channels[name];
  if (!channel) throw new Error(`There is no channel ${name}.`);
  return channel;
}
