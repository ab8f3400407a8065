/** Says in one line what publishing a draft to a channel will do: where, to whom, and what happens to an earlier text. */
import type { Channel, Publication, Range } from '../../../sdk/index.ts';
import { relativeTime } from '../../text/dates.ts';
import { type ChannelName, count, rangeName } from '../../text/words.ts';

/** Channels in which a new text appears beside the earlier one. */
const addsTo: ReadonlySet<ChannelName> = new Set(['office_chat', 'email', 'support_messenger']);

/** Channels whose readers are those of the repository on its host. */
const onHost: ReadonlySet<ChannelName> = new Set(['scm_releases', 'changelog', 'releases_md']);

/**
 * @param channel the connection; undefined while it is not known
 * @param earlier the newest publication of this draft to the channel
 */
export function effectOf(
  name: ChannelName,
  channel: Channel | undefined,
  range: Range,
  earlier: Publication | undefined,
): string {
  return `${placeOf(name, channel, range, earlier)} ${afterEarlier(name, channel, earlier)}`;
}

/** Names who can read what is published in a channel. */
export function audienceOf(name: ChannelName, channel: Channel | undefined): string {
  if (onHost.has(name)) return 'readers of the repository';
  return (channel?.public ?? name === 'hosted') ? 'public' : 'internal';
}

function placeOf(
  name: ChannelName,
  channel: Channel | undefined,
  range: Range,
  earlier: Publication | undefined,
): string {
  const setting = (field: string): string | undefined => {
    const value = channel?.settings[field];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const file = (usual: string): string => {
    const [path, branch] = [setting('path') ?? usual, setting('branch') ?? 'the default branch'];
    return setting('via') === 'pull_request'
      ? `Opens a pull request that changes ${path} on ${branch}.`
      : `Commits to ${path} on ${branch}.`;
  };
  switch (name) {
    case 'hosted': {
      const visibility = setting('visibility');
      if (visibility === 'off') return 'The pages of this repository are off.';
      const who = visibility === 'unlisted' ? ', for everyone who has the address' : '';
      return `A page of this service and its feeds${who}.`;
    }
    case 'scm_releases':
      return `The text of the release ${rangeName(range)} on the host.`;
    case 'changelog':
      return file('CHANGELOG.md');
    case 'releases_md':
      return file('RELEASES.md');
    case 'workspace_chat':
      return `One message in ${setting('channel') ?? 'the channel of the connected webhook'}.`;
    case 'office_chat':
      return 'One card in the connected chat.';
    case 'support_messenger':
      return 'A news item for the people who use the product.';
    case 'email': {
      const from = setting('from');
      const sent = earlier?.counts.accepted;
      const to =
        sent === undefined
          ? 'each address on the list'
          : `each address on the list, ${count(sent, 'reader')} last time`;
      return `One mail to ${to}${from === undefined ? '' : `, from ${from}`}.`;
    }
  }
}

function afterEarlier(name: ChannelName, channel: Channel | undefined, earlier: Publication | undefined): string {
  if (!earlier) return 'These notes were not published there yet.';
  const at = Date.parse(earlier.publishedAt ?? earlier.createdAt);
  // The clock of the browser may be late.
  const when = `revision ${earlier.revision} was published ${relativeTime(at, Math.max(at, Date.now()))}`;
  const isAdded = addsTo.has(name) || (name === 'workspace_chat' && channel?.hasSecret.webhookUrl);
  return isAdded ? `Comes in addition: ${when}.` : `Replaces the text there: ${when}.`;
}
