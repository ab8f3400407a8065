/**
 * A repository's source-code host, as channels may write to it: with the credentials of the settings, and none without.
 */
import type { Host } from '../../config/hosts.ts';
import { DeliveryError, type HostAccess } from '../../src/channels/channel.ts';
import { RepositoryAccess } from '../../src/host/access.ts';
import { HostClient } from '../../src/host/client.ts';
import type { Logger } from '../../src/logger.ts';
import { readDirectoryRepository, readOrganisation } from '../../src/store/directory.ts';
import type { Partition } from '../../src/store/partition.ts';
import { hostAt } from '../host/context.ts';
import type { Owners } from '../host/owners.ts';

/** What reaching a host takes. */
export interface Hosting {
  hosts: readonly Host[];
  logger: Logger;
  /** The directory as of now, whoever owns it; undefined while it is not there. */
  directory: () => Partition | undefined;
  owners: Owners;
}

/**
 * The host of a repository; null where there are no credentials for it. The host confirms the owner before the first request of
 * each access, and its name for the repository is the one that is used.
 * @throws DeliveryError `retry` while the directory cannot be read
 */
export function hostAccess(
  { hosts, logger, directory, owners }: Hosting,
  repoId: string,
  signal: AbortSignal,
): HostAccess | null {
  const partition = directory();
  if (!partition) throw new DeliveryError('retry', 'The directory cannot be read right now.');
  const listed = readDirectoryRepository(partition, repoId);
  const origin = listed && readOrganisation(partition, listed.orgId)?.origin;
  const host = origin === undefined ? undefined : hostAt(hosts, origin);
  if (!listed || !host || (host.token === undefined && host.app === undefined)) return null;
  const { installationId } = listed;
  const options = { host, logger, signal, ...(installationId !== null && { installationId }) };
  return new RepositoryAccess(options, async () => {
    const client = new HostClient({ ...options, isPatient: false });
    return (await owners.confirm(repoId, client, signal)).repository.fullName;
  });
}
