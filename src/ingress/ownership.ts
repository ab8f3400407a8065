/**
 * What a delivery under one organisation's secret may say: things of that organisation and of nobody else's. Whoever sets up
 * hooks in one organisation must not move, rename or write into another's (`docs/architecture.md` decision 25).
 */
import type { InstallationBody } from '../protocol/events.ts';
import {
  type OrganisationRecord,
  organisationByLogin,
  organisationByOwner,
  readDirectoryRepository,
  readOrganisation,
} from '../store/directory.ts';
import type { Partition } from '../store/partition.ts';

/** An owner, and the repositories that a payload says are theirs. */
export interface Claim {
  owner: InstallationBody['owner'];
  repositories: readonly { id: string; fullName: string }[];
}

/** Longest login and id that are looked up, in characters: keys of the store are bounded. */
const longest = 255;

/** Whether the organisation may say so. */
export function isOwn(directory: Partition, orgId: string, { owner, repositories }: Claim): boolean {
  const organisation = readOrganisation(directory, orgId);
  if (!organisation || !isOwner(directory, organisation, owner)) return false;
  const prefix = `${owner.login.toLowerCase()}/`;
  return repositories.every(({ id, fullName }) => {
    const known = readDirectoryRepository(directory, id);
    return fullName.toLowerCase().startsWith(prefix) && (known?.orgId ?? orgId) === orgId;
  });
}

/**
 * The owner is known by the host's id. An organisation that was named before its first delivery has none yet: there the
 * login decides, and the id must be nobody else's. Nobody takes over a login that another organisation goes by.
 */
function isOwner(directory: Partition, organisation: OrganisationRecord, owner: Claim['owner']): boolean {
  if (Math.max(owner.id.length, owner.login.length) > longest) return false;
  const { id, origin, login, ownerId } = organisation;
  const named = organisationByLogin(directory, origin, owner.login);
  if (named && named.id !== id) return false;
  if (ownerId !== null) return owner.id === ownerId;
  const isNamed = owner.login.toLowerCase() === login.toLowerCase();
  return isNamed && organisationByOwner(directory, origin, owner.id) === undefined;
}
