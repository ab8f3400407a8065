/**
 * Judges what a delivery under one organization's own secret may say: things of that organization and of no other. Whoever
 * sets up hooks in one organization must not move, rename or write into another's (`docs/architecture.md` decision 25).
 */
import { isNumber } from '../foundation/ids.ts';
import type { InstallationBody, SignedBy } from '../protocol/events.ts';
import type { Partition } from '../store/partition.ts';
import {
  isRefutedFor,
  mayClaimOwner,
  type OrganisationRecord,
  organisationByLogin,
  ownerNumber,
  readDirectoryRepository,
  readOrganisation,
  sameLogin,
} from '../store/tables/directory.ts';

/** An owner, and the repositories that a payload says are theirs. */
export interface Claim {
  owner: InstallationBody['owner'];
  /** Repositories that others merely claim are left out of a list, instead of holding up the rest: the fold passes them over. */
  isList?: boolean;
  repositories: readonly { id: string; fullName: string; hostId?: string }[];
}

/** A claim that the organization may make. */
export interface Standing {
  /**
   * The owner's login as it counts. A login that differs from the stored one is a claim to a rename, which only the host or a
   * secret of the whole host proves: until then the stored one counts.
   */
  login: string;
  signedBy: NonNullable<SignedBy>;
  /** Ids of the repositories that the directory does not list yet. */
  unlisted: readonly string[];
}

/** Longest login and id that are looked up, in characters: keys of the store are bounded. */
const longest = 255;

/** What the organization may say of a claim; undefined where it concerns another organization. */
export function standingOf(
  directory: Partition,
  orgId: string,
  { owner, repositories, isList }: Claim,
): Standing | undefined {
  const organisation = readOrganisation(directory, orgId);
  if (!organisation || !isOwner(directory, organisation, owner)) return undefined;
  const prefix = `${owner.login.toLowerCase()}/`;
  const unlisted: string[] = [];
  let supersedes: string | undefined;
  for (const { id, fullName, hostId } of repositories) {
    if (!fullName.toLowerCase().startsWith(prefix)) return undefined;
    // A name that stands for the number proves nothing but what the organization is called.
    if (hostId !== undefined && !isNumber(hostId) && !sameLogin(owner.login, organisation.login)) return undefined;
    const known = readDirectoryRepository(directory, id);
    if (!known) unlisted.push(id);
    else if (known.orgId !== orgId) {
      if (isRefutedFor(known, organisation, owner.id)) supersedes = known.orgId;
      else if (!isList || !known.claimed) return undefined;
    }
  }
  const login = sameLogin(owner.login, organisation.login) ? owner.login : organisation.login;
  // Whose number is not known yet has proved none: rows of earlier versions have a number, and do not say how it is known.
  const proved = ownerNumber(organisation) !== null && organisation.ownerProof !== 'claimed';
  return { login, signedBy: { org: orgId, proved, ...(supersedes && { supersedes }) }, unlisted };
}

/**
 * The owner is known by the host's number. An organization that was named before its first delivery has none yet: there the
 * login decides, and no other organization may have proved the number. No one takes over the login of another organization.
 */
function isOwner(directory: Partition, organisation: OrganisationRecord, owner: Claim['owner']): boolean {
  if (Math.max(owner.id.length, owner.login.length) > longest) return false;
  const named = organisationByLogin(directory, organisation.origin, owner.login);
  return (!named || named.id === organisation.id) && mayClaimOwner(directory, organisation, owner);
}
