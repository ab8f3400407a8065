/**
 * The list of channels by name.
 */
import type { Channel, ChannelName } from './channel.ts';
import { changelog, releasesMd } from './host/files.ts';
import { scmReleases } from './host/releases.ts';
import { hosted } from './hosted.ts';

// biome-ignore lint/suspicious/noExplicitAny: settings and payloads are each channel's own
const channels: Partial<Record<ChannelName, Channel<any, any>>> = {
  scm_releases: scmReleases,
  changelog,
  releases_md: releasesMd,
  hosted,
};

/** The channel of a name. */
export function channelOf(name: ChannelName): Channel {
  const channel = channels[name];
  if (!channel) throw new Error(`There is no channel ${name}.`);
  return channel;
}
