/** Finds the organization that a command line names. */
import { directoryName } from '../foundation/partition-names.ts';
import type { RequestReaders } from '../store/readers.ts';
import { listOrganizations, type OrganizationRecord } from '../store/tables/directory.ts';
import { NotFoundError } from './usage.ts';

/**
 * Finds an organization by its id or by its login, ignoring case.
 * @throws NotFoundError when no organization has that id or login, or Error when more than one has it
 */
export function findOrganization(readers: RequestReaders, wanted: string): OrganizationRecord {
  const directory = readers.fresh(directoryName);
  const all = directory ? listOrganizations(directory) : [];
  const found = all.filter(({ id, login }) => id === wanted || login.toLowerCase() === wanted.toLowerCase());
  const [organization] = found;
  if (!organization) throw new NotFoundError(`Organization ${JSON.stringify(wanted)} is not known here.`);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new Error(`Several organizations are called ${wanted}. Use one of these ids instead: ${ids}`);
  }
  return organization;
}
