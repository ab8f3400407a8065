/** Finds the organization that a command line names. */
import { directoryName } from '../foundation/partition-names.ts';
import type { Readers } from '../store/readers.ts';
import { listOrganizations, type OrganizationRecord } from '../store/tables/directory.ts';

/**
 * Finds an organization by its id or by its login, ignoring case.
 * @throws Error when no organization, or more than one, has that id or login
 */
export function findOrganization(readers: Readers, wanted: string): OrganizationRecord {
  const directory = readers.fresh(directoryName);
  const all = directory ? listOrganizations(directory) : [];
  const found = all.filter(({ id, login }) => id === wanted || login.toLowerCase() === wanted.toLowerCase());
  const [organization] = found;
  if (!organization) throw new Error(`Organization ${JSON.stringify(wanted)} is not known here.`);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new Error(`Several organizations are called ${wanted}. Use one of these ids instead: ${ids}`);
  }
  return organization;
}
