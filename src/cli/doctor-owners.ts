/**
 * The part of `tidings doctor` about owners: reports how many repositories have an owner that the host has confirmed.
 * It also reports why the owners of the other repositories are not confirmed.
 */
import { hasAnyCredentials } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { RefusalCause } from '../protocol/results.ts';
import { Readers } from '../store/readers.ts';
import { type DirectoryRepository, listDirectoryRepositories } from '../store/tables/directory.ts';
import { knownHosts } from './doctor-hosts.ts';
import type { Finding } from './finding.ts';

/** Maximum number of repositories that are listed by name. */
const maxNamed = 10;

const reasons: Record<RefusalCause, string> = {
  missing: 'the host does not show the repository to the configured credentials',
  owner: 'the host reports another owner',
  login: 'the host reports another login for the owner',
  installation: 'the app installation of the repository belongs to another account',
};

/**
 * Reports what the hosts answered about the owners of repositories. A false claim of ownership is reported as a note
 * and not as a fault, since any tenant can make a false claim.
 */
export async function checkOwners(settings: Settings): Promise<Finding[]> {
  const repositories = await listedRepositories(settings);
  if (repositories.length === 0) return [];
  const confirmed = repositories.filter(({ ownership }) => ownership?.confirmed).length;
  const why = (await knownHosts(settings)).some(hasAnyCredentials) ? '' : ' (no credentials for the check)';
  const text = `owners: ${confirmed} of ${repositories.length} repositories confirmed by their host${why}`;
  const refused = repositories.flatMap(refusalOf);
  const left = refused.length - maxNamed;
  const more =
    left > 0 ? [{ verdict: 'note' as const, text: `owners: ${left} more repositories are not confirmed` }] : [];
  return [{ verdict: 'ok', text }, ...refused.slice(0, maxNamed), ...more];
}

function refusalOf({ id, fullName, claimed, ownership }: DirectoryRepository): Finding[] {
  if (!ownership || ownership.confirmed) return [];
  const at = new Date(ownership.at).toISOString();
  const text = `owner of ${fullName} (${id}) not confirmed: ${reasons[ownership.cause]} (checked at ${at})`;
  return [{ verdict: claimed ? 'note' : 'fault', text }];
}

async function listedRepositories(settings: Settings): Promise<DirectoryRepository[]> {
  const readers = new Readers(settings.dataDir);
  try {
    const directory = readers.fresh(directoryName);
    return directory ? listDirectoryRepositories(directory, null) : [];
  } finally {
    await readers.close();
  }
}
