/**
 * A repository's source-code host, as channels may write to it: with the credentials of the settings, and none without.
 */
import type { Host } from '../../config/hosts.ts';
import { DeliveryError, type HostAccess } from '../../src/channels/channel.ts';
import { RepositoryAccess } from '../../src/host/access.ts';
import type { Logger } from '../../src/logger.ts';
import { readDirectoryRepository, readOrganisation } from '../../src/store/directory.ts';
import type { Partition } from '../../src/store/partition.ts';
import { hostAt } from '../host/context.ts';

/** What reaching a host takes. */
export interface Hosting {
  hosts: readonly Host[];
  logger: Logger;
  /** The directory as of now, whoever owns it; undefined while it is not there. */
  directory: () => Partition | undefined;
}

/**
 * The host of a repository, by what the directory knows of it; null where there are no credentials for it.
 * @throws DeliveryError `retry` while the directory cannot be read
 */
export function hostAccess(
  { hosts, logger, directory }: Hosting,
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
  return new RepositoryAccess(
    { host, logger, signal, ...(installationId !== null && { installationId }) },
    listed.fullName,
  );
}
