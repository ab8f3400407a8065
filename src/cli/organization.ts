/**
 * How a command finds the organisation that a person names.
 */
import { directoryName } from '../journal/subjects.ts';
import type { Readers } from '../store/readers.ts';
import { listOrganisations, type OrganisationRecord } from '../store/tables/directory.ts';

/**
 * An organisation by its id or by its login, in any case.
 * @throws Error when none or several are called so
 */
export function findOrganisation(readers: Readers, wanted: string): OrganisationRecord {
  const directory = readers.fresh(directoryName);
  const all = directory ? listOrganisations(directory) : [];
  const found = all.filter(({ id, login }) => id === wanted || login.toLowerCase() === wanted.toLowerCase());
  const [organisation] = found;
  if (!organisation) throw new Error(`Organization ${JSON.stringify(wanted)} is not known here.`);
  if (found.length > 1) {
    const ids = found.map(({ id }) => id).join(', ');
    throw new Error(`Several organizations are called ${wanted}. Name one by its id: ${ids}`);
  }
  return organisation;
}
