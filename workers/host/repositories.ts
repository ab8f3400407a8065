/**
 * Finds a repository on its host by name, so that a backfill can be requested before the first delivery of the
 * repository.
 */
import { hostAt } from '../../config/hosts.ts';
import { type ErrorKind, invalid, ServiceError } from '../../src/foundation/errors.ts';
import { minimiseRepository } from '../../src/intake/minimise.ts';
import type { ResolvedRepository, ResolveRepositoryTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  listDirectoryRepositories,
  type OrganizationRecord,
  organizationByLogin,
  readOrganization,
} from '../../src/store/tables/directory.ts';
import { identityOfProof } from '../../src/store/tables/repository-names.ts';
import { clientFor, type HostContext } from './context.ts';
import { counted } from './counted.ts';

/**
 * Maximum wait in milliseconds. A client waits for the answer, so a longer wait for the host's rate limit is not
 * accepted.
 */
const answerMs = 8000;

/**
 * Returns the repository as the host describes it, and the installation whose credentials may read the repository.
 * @throws ServiceError `notFound`; `invalid` when the settings do not contain the host or the name is not valid;
 * `forbidden` when the host refuses our credentials; `unavailable` when the host asks us to wait
 */
export async function resolveRepository(
  { hosts, logger, owners }: Pick<HostContext, 'hosts' | 'logger' | 'owners'>,
  directory: Partition,
  { origin, fullName }: ResolveRepositoryTask,
): Promise<ResolvedRepository> {
  if (!hostAt(hosts, origin)) {
    const known = hosts.map((host) => host.origin).join(', ');
    throw invalid({ host: `expected one of ${known}, got ${JSON.stringify(origin)}` });
  }
  const { installationId, organization } = installationOf(directory, origin, fullName);
  const abort = new AbortController();
  const busy = new ServiceError('unavailable', `The host ${origin} does not answer right now. Try again later.`, {
    retryAfter: 60,
  });
  const timer = setTimeout(() => abort.abort(busy), answerMs);
  const client = clientFor({ hosts, logger }, origin, {
    installationId,
    signal: abort.signal,
    onWait: ({ ms }) => {
      if (ms > answerMs) abort.abort(busy);
    },
  });
  try {
    await owners.assertInstallation(client, organization);
    const found = await counted(client.repository(fullName));
    const repository = minimiseRepository(found, origin);
    const { id, hostId } = identityOfProof(directory, repository);
    return { repository: { ...repository, id, hostId }, installationId, confirmed: true };
  } catch (error) {
    // The host's status 401 is not passed on. A client would conclude that its own API key is wrong.
    const kind: ErrorKind | undefined = error instanceof ServiceError ? error.kind : undefined;
    throw kind === 'unauthorized' ? new ServiceError('forbidden', (error as Error).message) : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns an installation of the repository's owner, and the organization that the installation belongs to. The
 * installation that includes the repository is preferred.
 */
function installationOf(
  directory: Partition,
  origin: string,
  fullName: string,
): { installationId: string | null; organization: OrganizationRecord | undefined } {
  const [login = ''] = fullName.split('/');
  const owner = organizationByLogin(directory, origin, login);
  const named = listDirectoryRepositories(directory, owner?.id ?? null).filter(
    ({ orgId }) => readOrganization(directory, orgId)?.origin === origin,
  );
  const same = named.find((repository) => repository.fullName.toLowerCase() === fullName.toLowerCase());
  const any = owner && named.find(({ installationId }) => installationId !== null);
  const from = same?.installationId != null ? same : any;
  const organization = from && readOrganization(directory, from.orgId);
  return { installationId: from?.installationId ?? null, organization };
}
