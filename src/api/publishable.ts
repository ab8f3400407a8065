/** Checks that the service may write to a repository's host, before a publication is created or a channel is tested. */
import { ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import { type ChannelName, channelTraits } from '../protocol/channels.ts';
import type { ConfirmOwnerTask, OwnerConfirmation } from '../protocol/tasks.ts';
import { assertCredentials, notConnected, unconfirmedOwner } from '../store/publishable.ts';
import { type DirectoryRepository, readDirectoryRepository } from '../store/tables/directory.ts';
import type { ApiContext } from './context.ts';
import type { ApiRequest } from './route.ts';

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
  assertCredentials(context.settings, directory, repoId, channel);
  const listed = readDirectoryRepository(directory, repoId) as DirectoryRepository;
  const reason = await ownerRefusal(context, listed);
  if (reason !== null) throw notConnected(channel, reason);
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
    return refusal && unconfirmedOwner(refusal);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'unavailable') return null;
    throw error;
  }
}
