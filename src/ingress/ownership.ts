/**
 * Checks that a delivery signed with an organization's own secret concerns only that organization. Some people can set
 * up webhooks in one organization only. These people must not be able to move, rename or change the repositories of
 * another organization (decision 25 in `docs/architecture.md`).
 */
import { isNumber } from '../foundation/ids.ts';
import type { InstallationBody, SignedBy } from '../protocol/events.ts';
import type { Partition } from '../store/partition.ts';
import {
  isRefutedFor,
  mayClaimOwner,
  type OrganizationRecord,
  organizationByLogin,
  ownerNumber,
  readDirectoryRepository,
  readOrganization,
  sameLogin,
} from '../store/tables/directory.ts';

/** An owner, and the repositories that a payload attributes to this owner. */
export interface Claim {
  owner: InstallationBody['owner'];
  /**
   * True for the repository list of an installation. The list may contain repositories that another organization has
   * claimed without proof. Then the list is still accepted, but the fold skips the claimed repositories.
   */
  isList?: boolean;
  repositories: readonly { id: string; fullName: string; hostId?: string }[];
}

/** The result of the check for a claim that is accepted. */
export interface AdmittedClaim {
  /**
   * The login under which the owner is stored. A payload with a different login claims that the owner was renamed. Only
   * the host or a secret of the whole host can prove a rename. The stored login is used until the rename is proved.
   */
  login: string;
  signedBy: NonNullable<SignedBy>;
  /** Ids of the repositories that the directory does not list yet. */
  unlisted: readonly string[];
}

/**
 * Maximum length of an owner's id and of an owner's login, in characters. Both are looked up in the store, where the
 * length of keys is limited.
 */
const maxLength = 255;

/**
 * Checks a claim of an organization. Returns undefined when the owner or a repository in the claim does not match this
 * organization.
 */
export function checkClaim(
  directory: Partition,
  orgId: string,
  { owner, repositories, isList }: Claim,
): AdmittedClaim | undefined {
  const organization = readOrganization(directory, orgId);
  if (!organization || !isOwner(directory, organization, owner)) return undefined;
  const prefix = `${owner.login.toLowerCase()}/`;
  const unlisted: string[] = [];
  let supersedes: string | undefined;
  for (const { id, fullName, hostId } of repositories) {
    if (!fullName.toLowerCase().startsWith(prefix)) return undefined;
    // A repository without a numeric id from the host is known only by its name. In this case, the login of the owner
    // must equal the login of the organization.
    if (hostId !== undefined && !isNumber(hostId) && !sameLogin(owner.login, organization.login)) return undefined;
    const known = readDirectoryRepository(directory, id);
    if (!known) unlisted.push(id);
    else if (known.orgId !== orgId) {
      if (isRefutedFor(known, organization, owner.id)) supersedes = known.orgId;
      else if (!isList || !known.claimed) return undefined;
    }
  }
  const login = sameLogin(owner.login, organization.login) ? owner.login : organization.login;
  // An organization without a known number has proved nothing. Earlier versions of Tidings stored numbers without
  // `ownerProof`. A number that is stored without `ownerProof` counts as proved.
  const proved = ownerNumber(organization) !== null && organization.ownerProof !== 'claimed';
  return { login, signedBy: { org: orgId, proved, ...(supersedes && { supersedes }) }, unlisted };
}

/**
 * Whether an organization may claim to be this owner. All three conditions must be met:
 * - The owner has the organization's numeric id on the host. An organization that was added before its first delivery
 *   has no numeric id yet. In this case, the owner has the organization's login.
 * - The owner's login does not belong to another organization.
 * - The owner's numeric id is not proved for another organization.
 */
function isOwner(directory: Partition, organization: OrganizationRecord, owner: Claim['owner']): boolean {
  if (Math.max(owner.id.length, owner.login.length) > maxLength) return false;
  const named = organizationByLogin(directory, organization.origin, owner.login);
  return (!named || named.id === organization.id) && mayClaimOwner(directory, organization, owner);
}
