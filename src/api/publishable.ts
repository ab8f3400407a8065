/**
 * Refuses a publication that no attempt could deliver, before anything is made of it: the range has no tag for a release, the
 * pages are off, or the service may not write to the repository's host.
 */
import { hasCredentials, hostAt, hostsOf } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { ask } from '../journal/query.ts';
import { directoryName } from '../journal/subjects.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import type { ConfirmOwnerTask, OwnerConfirmation } from '../protocol/tasks.ts';
import type { Partition } from '../store/partition.ts';
import { type DirectoryRepository, readDirectoryRepository, readOrganisation } from '../store/tables/directory.ts';
import { readRange } from '../store/tables/ranges.ts';
import type { ApiContext } from './context.ts';
import type { ApiRequest } from './handle.ts';

/**
 * Checks that a range can be published to a channel.
 * @throws ServiceError `conflict` for a release of a range that ends at no tag
 */
export function assertRangeFits(partition: Partition, rangeId: string, channel: ChannelName): void {
  if (!channelTraits[channel].needsTag) return;
  const range = readRange(partition, rangeId);
  if (range?.bounds.toTag !== undefined) return;
  throw new ServiceError(
    'conflict',
    `The channel ${channel} publishes the release of a tag, and this range is ${
      range?.bounds.toDate === undefined ? 'by pull requests' : 'by dates'
    }. Create a range between two tags, or publish to another channel.`,
  );
}

/** @throws ServiceError `conflict` when the pages of the repository are off */
export function assertPagesShown(channel: ChannelName, pagesUrl: string | null): void {
  if (channel !== 'hosted' || pagesUrl !== null) return;
  throw new ServiceError(
    'conflict',
    'The pages of this repository are off, which is the default for private ones. Set visibility to public or unlisted with PUT /api/channels/hosted?repoId=….',
  );
}

/**
 * Checks that the service may write to a repository's host, for channels that do. A host that does not answer now is left to
 * the attempts.
 * @throws ServiceError `conflict` that says which credentials are missing, or that the host does not confirm the owner
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
  const origin = readOrganisation(directory, orgId)?.origin ?? settings.hostOrigin;
  const host = hostAt(hostsOf(settings), origin);
  if (!host) return `the settings do not name the host ${origin}. Add it to TIDINGS_HOSTS with a token, then restart.`;
  if (hasCredentials(host, installationId)) return null;
  if (host.app !== undefined)
    return `the app has no installation for ${fullName}. Install it for the owner with access to this repository.`;
  const setting = origin === settings.hostOrigin ? 'TIDINGS_HOST_TOKEN' : 'its token in TIDINGS_HOSTS';
  return `the service has no credentials for ${origin}. Set ${setting} to one that may write to the repository, or set up an app, then restart.`;
}

/** A confirmed owner is asked for again by the attempt; any other answer may be old, so the host is asked now. */
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
