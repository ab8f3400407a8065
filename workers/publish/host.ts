/**
 * A repository's source-code host, as channels may write to it: with the credentials of the settings, and none without.
 */
import { type Host, hasCredentials, hostAt } from '../../config/hosts.ts';
import { DeliveryError, type HostAccess } from '../../src/channels/channel.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { RepositoryAccess } from '../../src/host/access.ts';
import { HostClient, type HostClientOptions } from '../../src/host/client.ts';
import type { OwnerConfirmation } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDirectoryRepository, readOrganisation } from '../../src/store/tables/directory.ts';
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
export function hostAccess(hosting: Hosting, repoId: string, signal: AbortSignal): HostAccess | null {
  const options = accessOptions(hosting, repoId, signal);
  if (!options) return null;
  return new RepositoryAccess(options, async () => {
    const client = new HostClient({ ...options, isPatient: false });
    return (await hosting.owners.confirm(repoId, client, signal)).repository.fullName;
  });
}

/**
 * Asks the host who owns a repository before a publication is made for it.
 * @returns why the credentials may not be used; null where they may, or where the host does not answer now
 */
export async function confirmOwner(hosting: Hosting, repoId: string, ms: number): Promise<OwnerConfirmation> {
  const signal = AbortSignal.timeout(ms);
  try {
    const options = accessOptions(hosting, repoId, signal);
    if (options) await hosting.owners.confirm(repoId, new HostClient({ ...options, isPatient: false }), signal);
    return { refusal: null };
  } catch (error) {
    const mayPass = signal.aborted || error instanceof DeliveryError;
    if (mayPass || (error instanceof ServiceError && error.kind === 'unavailable')) return { refusal: null };
    if (error instanceof ServiceError) return { refusal: error.message };
    throw error;
  }
}

/**
 * What a repository's host is asked with; undefined without credentials for it.
 * @throws DeliveryError `retry` while the directory cannot be read
 */
function accessOptions(
  { hosts, logger, directory }: Hosting,
  repoId: string,
  signal: AbortSignal,
): HostClientOptions | undefined {
  const partition = directory();
  if (!partition) throw new DeliveryError('retry', 'The directory cannot be read right now.');
  const listed = readDirectoryRepository(partition, repoId);
  const origin = listed && readOrganisation(partition, listed.orgId)?.origin;
  const host = origin === undefined ? undefined : hostAt(hosts, origin);
  if (!listed || !host || !hasCredentials(host, listed.installationId)) return undefined;
  const { installationId } = listed;
  return { host, logger, signal, ...(installationId !== null && { installationId }) };
}
