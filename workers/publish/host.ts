/** Gives channels access to a repository's host if the settings contain credentials for that host. */
import { type Host, hasCredentials, hostAt } from '../../config/hosts.ts';
import { DeliveryError } from '../../src/channels/channel.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { RepositoryAccess } from '../../src/host/access.ts';
import { HostClient, type HostClientOptions } from '../../src/host/client.ts';
import type { OwnerConfirmation } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDirectoryRepository, readOrganization } from '../../src/store/tables/directory.ts';
import type { Owners } from '../host/owners.ts';

/** Dependencies of the functions in this file. */
export interface Hosting {
  hosts: readonly Host[];
  logger: Logger;
  /** Returns the directory partition, or undefined while it does not exist. Its owner can be another process. */
  directory: () => Partition | undefined;
  owners: Owners;
}

/**
 * Returns access to the host of a repository, or null if the settings contain no credentials for that host. The host
 * confirms the owner before the first request through the returned access. All requests use the repository name that
 * the host returned.
 * @throws DeliveryError `retry` while the directory cannot be read
 */
export function hostAccess(hosting: Hosting, repoId: string, signal: AbortSignal): RepositoryAccess | null {
  const options = accessOptions(hosting, repoId, signal);
  if (!options) return null;
  return new RepositoryAccess(options, async () => {
    const client = new HostClient({ ...options, isPatient: false });
    return (await hosting.owners.confirm(repoId, client, signal)).repository.fullName;
  });
}

/**
 * Asks the host for a repository's owner before a publication of the repository is created.
 * @returns the reason why the credentials must not be used; null if their use is allowed, or if the host does not
 * answer
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
 * Returns the options of a client for a repository's host, or undefined if the settings contain no credentials for that
 * host.
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
  const origin = listed && readOrganization(partition, listed.orgId)?.origin;
  const host = origin === undefined ? undefined : hostAt(hosts, origin);
  if (!listed || !host || !hasCredentials(host, listed.installationId)) return undefined;
  const { installationId } = listed;
  return { host, logger, signal, ...(installationId !== null && { installationId }) };
}
