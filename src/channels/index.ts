/** Lists all channels by name. */
import type { Channel, ChannelName } from './channel.ts';
import { email } from './email.ts';
import { changelog, releasesMd } from './host/files.ts';
import { scmReleases } from './host/releases.ts';
import { hosted } from './hosted.ts';
import { officeChat } from './office-chat.ts';
import { supportMessenger } from './support-messenger.ts';
import { workspaceChat } from './workspace-chat.ts';

// biome-ignore lint/suspicious/noExplicitAny: settings and payloads are each channel's own
const channels: Readonly<Record<ChannelName, Channel<any, any>>> = {
  scm_releases: scmReleases,
  changelog,
  releases_md: releasesMd,
  hosted,
  support_messenger: supportMessenger,
  workspace_chat: workspaceChat,
  office_chat: officeChat,
  email,
};

export function channelOf(name: ChannelName): Channel {
  return channels[name];
}
