/**
 * Looks a repository up on its host, for whoever wants a backfill of one that no delivery has told of yet.
 */
import { hostAt } from '../../config/hosts.ts';
import { type ErrorKind, invalid, ServiceError } from '../../src/foundation/errors.ts';
import { minimiseRepository } from '../../src/intake/minimise.ts';
import type { ResolvedRepository, ResolveRepositoryTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  listDirectoryRepositories,
  type OrganisationRecord,
  organisationByLogin,
  readOrganisation,
} from '../../src/store/tables/directory.ts';
import { identityOfProof } from '../../src/store/tables/repository-names.ts';
import { clientFor, type HostContext } from './context.ts';
import { counted } from './counted.ts';

/** Whoever asks waits for the answer: a host's limits are not waited out. */
const answerMs = 8000;

/**
 * The repository as the host describes it, and the installation whose credentials may read it.
 * @throws ServiceError `invalid` for a host that the settings do not have or a name that is none, `notFound`, `forbidden`
 *   when the host refuses our credentials, `unavailable` when it asks for patience
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
  const { installationId, organisation } = installationOf(directory, origin, fullName);
  const abort = new AbortController();
  const busy = new ServiceError('unavailable', `The host ${origin} does not answer now. Try again later.`, {
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
    await owners.assertInstallation(client, organisation);
    const found = await counted(client.repository(fullName));
    const repository = minimiseRepository(found, origin);
    const { id, hostId } = identityOfProof(directory, repository);
    return { repository: { ...repository, id, hostId }, installationId, confirmed: true };
  } catch (error) {
    // To whoever asked us, 401 would speak of their own key.
    const kind: ErrorKind | undefined = error instanceof ServiceError ? error.kind : undefined;
    throw kind === 'unauthorized' ? new ServiceError('forbidden', (error as Error).message) : error;
  } finally {
    clearTimeout(timer);
  }
}

/** The installation of an app that brought the repository, or another one of its owner, and that owner. */
function installationOf(
  directory: Partition,
  origin: string,
  fullName: string,
): { installationId: string | null; organisation: OrganisationRecord | undefined } {
  const [login = ''] = fullName.split('/');
  const owner = organisationByLogin(directory, origin, login);
  const named = listDirectoryRepositories(directory, owner?.id ?? null).filter(
    ({ orgId }) => readOrganisation(directory, orgId)?.origin === origin,
  );
  const same = named.find((repository) => repository.fullName.toLowerCase() === fullName.toLowerCase());
  const any = owner && named.find(({ installationId }) => installationId !== null);
  const from = same?.installationId != null ? same : any;
  const organisation = from && readOrganisation(directory, from.orgId);
  return { installationId: from?.installationId ?? null, organisation };
}
