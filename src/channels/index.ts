/**
 * The list of channels. Each is a file of one shape (`channel.ts`).
 */
import type { Channel, ChannelName } from './channel.ts';
import { email } from './email.ts';
import { officeChat } from './office-chat.ts';
import { supportMessenger } from './support-messenger.ts';
import { workspaceChat } from './workspace-chat.ts';

const channels: readonly Channel[] = [
  //
  supportMessenger,
  workspaceChat,
  officeChat,
  email,
];

/** The channel of a name. @throws Error when there is none */
export function channelOf(name: ChannelName): Channel {
  const channel = channels.find((each) => each.name === name);
  if (!channel) throw new Error(`there is no channel ${name}`);
  return channel;
}
