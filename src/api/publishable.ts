/**
 * Refuses publications that cannot succeed, before they are stored. A publication is refused if the channel needs a tag
 * but the range does not end at a tag. A publication is also refused if the pages are off, or if the service may not
 * write to the repository's host.
 */
import { hasCredentials, hostAt, hostsOf } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import type { ConfirmOwnerTask, OwnerConfirmation } from '../protocol/tasks.ts';
import type { Partition } from '../store/partition.ts';
import { type DirectoryRepository, readDirectoryRepository, readOrganization } from '../store/tables/directory.ts';
import { readRange } from '../store/tables/ranges.ts';
import type { ApiContext } from './context.ts';
import type { ApiRequest } from './route.ts';

/**
 * Checks that a range can be published to a channel.
 * @throws ServiceError `conflict` when the channel needs a tag or a version but the range has none
 */
export function assertRangeFits(partition: Partition, rangeId: string, channel: ChannelName): void {
  const { needsTag, keepsVersions } = channelTraits[channel];
  const range = readRange(partition, rangeId);
  if (keepsVersions && range?.bounds.type === 'UNRELEASED') {
    throw new ServiceError(
      'conflict',
      `The channel ${channel} keeps the notes of each version, but this range has no version yet. ` +
        'Publish when its tag has arrived, or publish to a channel that sends messages.',
    );
  }
  if (!needsTag) return;
  if (range?.bounds.toTag !== undefined) return;
  throw new ServiceError(
    'conflict',
    `The channel ${channel} needs a range that ends at a tag, but this range is defined ${
      range?.bounds.toDate === undefined ? 'by pull requests' : 'by dates'
    }. Create a range between two tags, or publish to another channel.`,
  );
}

/** @throws ServiceError `conflict` when the pages of the repository are off */
export function assertPagesShown(channel: ChannelName, pagesUrl: string | null): void {
  if (channel !== 'hosted' || pagesUrl !== null) return;
  throw new ServiceError(
    'conflict',
    'The pages of this repository are off, which is the default for private repositories. Set visibility to public or unlisted with PUT /api/channels/hosted?repoId=….',
  );
}

/**
 * Checks that the service may write to the repository's host. Only channels that write to this host are checked. If the
 * host does not reply now, the publication is not refused, because each attempt asks the host again.
 * @throws ServiceError `conflict` when credentials are missing (the message names them), or when the host does not
 *   confirm the owner
 */
export async function assertHostWritable(
  { context, directory }: Pick<ApiRequest, 'context' | 'directory'>,
  repoId: string,
  channel: ChannelName,
): Promise<void> {
  if (!channelTraits[channel].needsRepository) return;
  const listed = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const reason = missingCredentials(context, directory, listed) ?? (await ownerRefusal(context, listed));
  if (reason !== null) throw new ServiceError('conflict', `The channel ${channel} is not connected: ${reason}`);
}

function missingCredentials(
  { settings }: ApiContext,
  directory: Partition,
  { orgId, fullName, installationId }: DirectoryRepository,
): string | null {
  const origin = readOrganization(directory, orgId)?.origin ?? settings.hostOrigin;
  const host = hostAt(hostsOf(settings), origin);
  if (!host)
    return `the settings do not contain the host ${origin}. Add it to TIDINGS_HOSTS with a token, then restart.`;
  if (hasCredentials(host, installationId)) return null;
  if (host.app !== undefined)
    return `the app has no installation for ${fullName}. Install it for the owner, and give it access to this repository.`;
  const setting = origin === settings.hostOrigin ? 'TIDINGS_HOST_TOKEN' : 'its token in TIDINGS_HOSTS';
  return `the service has no credentials for ${origin}. Set ${setting} to a token that may write to the repository, or set up an app, then restart.`;
}

/**
 * Returns why the host does not confirm the owner of the repository; null when the host confirms it. A stored
 * confirmation is enough here, since each attempt asks the host again. A stored denial may be out of date, so the host
 * is asked again before this function returns a refusal.
 */
async function ownerRefusal({ journal }: ApiContext, { id, ownership }: DirectoryRepository): Promise<string | null> {
  if (ownership?.confirmed) return null;
  const question: ConfirmOwnerTask = { task: 'confirmOwner', repoId: id };
  try {
    const { refusal } = await ask<ConfirmOwnerTask, OwnerConfirmation>(journal, directoryName, question);
    return refusal && `${lowerFirst(refusal)} Give the token or the app access to the repository, then try again.`;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'unavailable') return null;
    throw error;
  }
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
