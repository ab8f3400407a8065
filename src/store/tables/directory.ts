/**
 * The tables of the directory partition: organizations, the repositories of each organization, and API keys by hash
 * (`docs/architecture.md` decision 13). Authorization reads ownership only from here.
 */
import { ServiceError } from '../../foundation/errors.ts';
import { digestOf } from '../../foundation/etag.ts';
import { isNumber } from '../../foundation/ids.ts';
import type { KeyRecord } from '../../protocol/commands.ts';
import type { RefusalCause } from '../../protocol/results.ts';
import type { Partition } from '../partition.ts';
import { indexRepository } from './repository-index.ts';

/**
 * An organization or user that owns repositories. `ownerId` is the number that the host has given to the owner. The
 * field is null until the first delivery arrives. If the first deliveries do not contain the number, the field is a
 * name such as `name:acme` until a delivery contains the number.
 */
export interface OrganizationRecord {
  id: string;
  origin: string;
  login: string;
  ownerId: string | null;
  createdAt: number;
  /** When the app was removed, in milliseconds; null while the app is installed, or if it was never installed. */
  uninstalledAt: number | null;
  /**
   * The host's time of the first payload that contained this login. The field is absent if the operator created the
   * organization and no delivery has arrived for the organization yet.
   */
  namedAt?: number;
  /**
   * How the owner's number is known. `claimed`: a delivery signed with the organization's own secret contained the
   * number. `proved`: the host confirmed the number, or a delivery signed with a secret of the whole host contained it.
   * The field is absent before the number is known, and in rows that earlier versions of Tidings wrote.
   */
  ownerProof?: 'claimed' | 'proved';
}

/**
 * Whether events of a repository are captured. `unselected`: a person deselected the repository. `disconnected`: the
 * app of the repository was removed.
 */
export type ConnectionState = 'connected' | 'unselected' | 'disconnected';

/** The host's last answer about the owner of a repository. `at` is the time when the host was asked. */
export type Ownership =
  | { confirmed: true; at: number; fullName: string }
  | { confirmed: false; at: number; cause: RefusalCause; ownerId?: string; ownerLogin?: string };

/** A repository as the directory lists it. */
export interface DirectoryRepository {
  id: string;
  orgId: string;
  hostId: string;
  fullName: string;
  defaultBranch: string | null;
  state: ConnectionState;
  /** The app installation that added the repository; null if a plain webhook added it. */
  installationId: string | null;
  createdAt: number;
  seenAt: number;
  /**
   * True if the organization only claims this repository: all deliveries that named it were signed with the
   * organization's own secret. Neither the host nor a delivery signed with a secret of the whole host has confirmed the
   * owner.
   */
  claimed?: true;
  ownership?: Ownership;
  /**
   * App installations of other organizations that reported this repository while it was only claimed. The service can
   * ask the host who owns the repository. For this request, the service can use the credentials of the claiming
   * organization and of these app installations.
   */
  contenders?: readonly Contender[];
  /**
   * Time of an app removal. The field is set after that removal, when everything except the published notes is erased.
   * It has an effect only as long as it equals the organization's `uninstalledAt`. A new installation or a later
   * removal ends the effect.
   */
  keptSince?: number;
}

/** An organization, and its app installation that reported a repository. */
export interface Contender {
  orgId: string;
  installationId: string;
}

/** Whether two logins are the same. Hosts ignore case. */
export function sameLogin(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * Compares an account of the host with an organization. Returns undefined if the account belongs to the organization.
 * Otherwise, returns `owner` if the numbers differ, or `login` if the logins differ.
 * - If the organization's number is proved, only the numbers are compared.
 * - If the organization's number is not proved, both the numbers and the logins must match. The login is trusted
 *   because the operator entered it.
 * - If `ownerId` is a name such as `name:acme`, only the logins are compared.
 * - If `ownerId` is null, the result is `owner`.
 */
export function refusalOf(
  { id, login }: { id: string; login: string },
  organization: Pick<OrganizationRecord, 'ownerId' | 'ownerProof' | 'login'>,
): 'owner' | 'login' | undefined {
  const { ownerId } = organization;
  if (ownerId !== null && !isNumber(ownerId)) return sameLogin(login, organization.login) ? undefined : 'login';
  if (id !== ownerId) return 'owner';
  return organization.ownerProof === 'proved' || sameLogin(login, organization.login) ? undefined : 'login';
}

/**
 * Whether the host has reported this organization as the owner of a repository that another organization only claims.
 * The number in the host's report must be `ownerId`. If `ownerId` is not this organization's proved number, a login in
 * the report must also be this organization's login. The login is trusted, because the operator entered it.
 * @param ownerId the number of the repository's owner, as this organization's delivery states it
 */
export function isRefutedFor(
  { claimed, ownership }: DirectoryRepository,
  { ownerProof, login, ownerId: proved }: OrganizationRecord,
  ownerId: string,
): boolean {
  if (!claimed || ownership?.confirmed !== false || ownership.ownerId !== ownerId) return false;
  const isProved = ownerProof === 'proved' && proved === ownerId;
  return isProved || ownership.ownerLogin === undefined || sameLogin(ownership.ownerLogin, login);
}

export function readOrganization(partition: Partition, id: string): OrganizationRecord | undefined {
  return partition.tables.organizations.get(id);
}

export function organizationByOwner(
  partition: Partition,
  origin: string,
  ownerId: string,
): OrganizationRecord | undefined {
  const id: string | undefined = partition.tables.organizationsByOwner.get([origin, ownerId]);
  return id === undefined ? undefined : readOrganization(partition, id);
}

export function organizationByLogin(
  partition: Partition,
  origin: string,
  login: string,
): OrganizationRecord | undefined {
  const id: string | undefined = partition.tables.organizationsByLogin.get([origin, login.toLowerCase()]);
  return id === undefined ? undefined : readOrganization(partition, id);
}

/**
 * Returns the organization that the owner in a payload belongs to. Searches by the owner's number on the host. If the
 * payload contains no number, or no organization matches the number, searches by the owner's login. Two kinds of
 * organizations do not match:
 * - an organization that has the owner's login but a number other than the number in the payload;
 * - an organization that only claims the owner's number and has a different login.
 * @param isProof whether the payload proves the owner's number. If true, an organization with the owner's login matches
 *   even if the organization claims a different number
 */
export function organizationOfOwner(
  partition: Partition,
  origin: string,
  owner: { id: string; login: string },
  isProof: boolean,
): OrganizationRecord | undefined {
  const named = organizationByLogin(partition, origin, owner.login);
  const number = named ? ownerNumber(named) : null;
  if (named && !isNumber(owner.id) && number !== null) return named;
  const isFree = number === null || number === owner.id || (isProof && named?.ownerProof === 'claimed');
  const numbered = organizationByOwner(partition, origin, owner.id);
  const isFalse = numbered?.ownerProof === 'claimed' && !sameLogin(numbered.login, owner.login);
  return (isFalse ? undefined : numbered) ?? (isFree ? named : undefined);
}

/**
 * Returns an error if several organizations have the same login. Example: the host gave the former login of one
 * organization to another organization. The error lists the ids of the organizations with this login.
 */
export function ambiguousLogin(partition: Partition, login: string, origin: string): ServiceError | undefined {
  const bearers = listOrganizations(partition).filter(
    (organization) => organization.origin === origin && sameLogin(organization.login, login),
  );
  if (bearers.length < 2) return undefined;
  const ids = bearers.map(({ id }) => id).join(', ');
  const message = `Several organizations on ${origin} are called ${JSON.stringify(login)}: ${ids}. Use one of these ids instead of the login.`;
  return new ServiceError('conflict', message, { details: { org: `expected one of ${ids}` } });
}

/** Returns the number that an organization's owner has on the host; null while no delivery has contained the number. */
export function ownerNumber({ ownerId }: Pick<OrganizationRecord, 'ownerId'>): string | null {
  return ownerId !== null && isNumber(ownerId) ? ownerId : null;
}

/**
 * Whether a delivery signed with an organization's own secret may name the given owner. If the numbers of both are
 * known, the numbers must be equal. Otherwise the logins must be equal. So a payload without numbers is accepted even if
 * the organization's number became known after the payload was received. Then no other organization may have taken the
 * login meanwhile. An organization cannot claim a number that is proved for another organization.
 */
export function mayClaimOwner(
  partition: Partition,
  organization: OrganizationRecord,
  owner: { id: string; login: string },
): boolean {
  const { login, ownerProof } = organization;
  const number = ownerNumber(organization);
  const isSame = number !== null && isNumber(owner.id) ? owner.id === number : sameLogin(owner.login, login);
  if (!isSame) return false;
  if (number !== null && !isNumber(owner.id)) {
    if (organizationByLogin(partition, organization.origin, login)?.id !== organization.id) return false;
  }
  if (number !== null && ownerProof !== 'claimed') return true;
  return isFreeNumber(partition, organization, number ?? owner.id);
}

/**
 * Returns false if another organization has this owner number and the number is proved. Returns true in all other
 * cases.
 */
export function isFreeNumber(
  partition: Partition,
  { id, origin }: Pick<OrganizationRecord, 'id' | 'origin'>,
  ownerId: string,
): boolean {
  const other = organizationByOwner(partition, origin, ownerId);
  return other === undefined || other.id === id || other.ownerProof === 'claimed';
}

/**
 * Writes an organization and its two index rows: one by login, and one by number. If the login or number has changed,
 * the organization's index row of the former login or number is removed.
 * - The index row of a login names the organization that took the login last. So if the organization's login is
 *   unchanged, an existing index row stays unchanged.
 * - If the number is only claimed and its index row already names an organization, the index row stays unchanged.
 */
export function writeOrganization(partition: Partition, organization: OrganizationRecord): void {
  const { organizations, organizationsByOwner, organizationsByLogin } = partition.tables;
  const before = readOrganization(partition, organization.id);
  if (before && before.login.toLowerCase() !== organization.login.toLowerCase()) {
    const key = [before.origin, before.login.toLowerCase()];
    if (organizationsByLogin.get(key) === before.id) organizationsByLogin.removeSync(key);
  }
  if (before && before.ownerId !== null && before.ownerId !== organization.ownerId) {
    const key = [before.origin, before.ownerId];
    if (organizationsByOwner.get(key) === before.id) organizationsByOwner.removeSync(key);
  }
  organizations.putSync(organization.id, organization);
  const byLogin = [organization.origin, organization.login.toLowerCase()];
  const isNamed = before === undefined || !sameLogin(before.login, organization.login);
  if (isNamed || organizationsByLogin.get(byLogin) === undefined)
    organizationsByLogin.putSync(byLogin, organization.id);
  if (organization.ownerId === null) return;
  const byOwner = [organization.origin, organization.ownerId];
  if (organization.ownerProof === 'claimed' && organizationsByOwner.get(byOwner) !== undefined) return;
  organizationsByOwner.putSync(byOwner, organization.id);
}

/** Removes an organization and its index rows. */
export function removeOrganization(partition: Partition, id: string): void {
  const { organizations, organizationsByOwner, organizationsByLogin } = partition.tables;
  const organization = readOrganization(partition, id);
  if (!organization) return;
  const { origin, login, ownerId } = organization;
  organizations.removeSync(id);
  const byLogin = [origin, login.toLowerCase()];
  if (organizationsByLogin.get(byLogin) === id) organizationsByLogin.removeSync(byLogin);
  if (ownerId !== null && organizationsByOwner.get([origin, ownerId]) === id)
    organizationsByOwner.removeSync([origin, ownerId]);
}

export function listOrganizations(partition: Partition): OrganizationRecord[] {
  return [...partition.tables.organizations.getRange({})].map((row) => row.value as OrganizationRecord);
}

export function readDirectoryRepository(partition: Partition, id: string): DirectoryRepository | undefined {
  return partition.tables.directoryRepositories.get(id);
}

export function writeDirectoryRepository(partition: Partition, repository: DirectoryRepository): void {
  const before = readDirectoryRepository(partition, repository.id);
  partition.tables.directoryRepositories.putSync(repository.id, repository);
  indexRepository(partition, before, repository);
  partition.changes?.noteRepository(repository.id, 'repository');
  if (before && before.orgId !== repository.orgId)
    partition.changes?.noteLost({ repoId: repository.id, orgId: before.orgId });
}

export function removeDirectoryRepository(partition: Partition, id: string): void {
  const before = readDirectoryRepository(partition, id);
  partition.tables.directoryRepositories.removeSync(id);
  indexRepository(partition, before, undefined);
  if (before) partition.changes?.noteLost({ repoId: id, orgId: before.orgId });
}

/**
 * Converts a repository to its form in API replies (spec part 2). `scmRepoId` is omitted if the host sent no number.
 */
export function directoryRepositoryResponse(repository: DirectoryRepository): Record<string, unknown> {
  const { id, orgId, hostId, fullName, defaultBranch, state, ownership } = repository;
  const createdAt = new Date(repository.createdAt).toISOString();
  const ownerConfirmed = ownership?.confirmed === true;
  const ownerUnconfirmedReason = unconfirmedReason(ownership);
  // Plain literals: lists contain many repositories, and an object that is spread takes a microsecond.
  if (!/^\d+$/.test(hostId))
    return { id, orgId, fullName, defaultBranch, state, createdAt, ownerConfirmed, ownerUnconfirmedReason };
  const scmRepoId = Number(hostId);
  return { id, orgId, scmRepoId, fullName, defaultBranch, state, createdAt, ownerConfirmed, ownerUnconfirmedReason };
}

/**
 * Returns why a repository's owner is not confirmed; null if the owner is confirmed. The text lists all possible causes
 * and does not state which of them is the actual cause. The actual cause would reveal whether the host has a repository
 * with a guessed number.
 */
function unconfirmedReason(ownership: Ownership | undefined): string | null {
  if (ownership === undefined)
    return 'The owner has not been checked with the host yet, or the service has no credentials for this host.';
  return ownership.confirmed ? null : refusedOwner;
}

/** The message when the host does not confirm an owner. All users except the operator get this message. */
export const refusedOwner =
  'The host does not confirm that this repository belongs to its organization. Either the credentials of this service cannot see the repository, or the host reports another owner.';

/**
 * Returns the validator (ETag) of a repository's state. The list of fields is fixed, because a replay by a later
 * version of Tidings must compute the same digests. If the host has answered who owns the repository, the validator
 * also covers this answer.
 */
export function directoryRepositoryDigest(repository: DirectoryRepository): string {
  const { id, orgId, hostId, fullName, defaultBranch, state, createdAt, ownership } = repository;
  const asked = ownership ? [ownership.confirmed] : [];
  return digestOf(JSON.stringify([id, orgId, hostId, fullName, defaultBranch, state, createdAt, ...asked]));
}

/**
 * Whether all repositories of an organization were erased except for their published notes. The result is false if the
 * organization has no repositories.
 */
export function isKeptAlone(partition: Partition, { id, uninstalledAt }: OrganizationRecord): boolean {
  const repositories = listDirectoryRepositories(partition, id);
  const isKept = ({ keptSince }: DirectoryRepository) => keptSince !== undefined && keptSince === uninstalledAt;
  return repositories.length > 0 && repositories.every(isKept);
}

/**
 * Returns the repositories of an organization, ordered by id. If `orgId` is null, returns those of all organizations.
 */
export function listDirectoryRepositories(partition: Partition, orgId: string | null): DirectoryRepository[] {
  const rows = [...partition.tables.directoryRepositories.getRange({})].map((row) => row.value as DirectoryRepository);
  return orgId === null ? rows : rows.filter((repository) => repository.orgId === orgId);
}

export function readKey(partition: Partition, id: string): KeyRecord | undefined {
  return partition.tables.keys.get(id);
}

export function keyByHash(partition: Partition, hash: string): KeyRecord | undefined {
  const id: string | undefined = partition.tables.keysByHash.get(hash);
  return id === undefined ? undefined : readKey(partition, id);
}

export function writeKey(partition: Partition, key: KeyRecord): void {
  partition.tables.keys.putSync(key.id, key);
  partition.tables.keysByHash.putSync(key.hash, key.id);
  if (key.revokedAt === null) putKeyInUse(partition, key);
  else removeKeyInUse(partition, key);
}

export function removeKey(partition: Partition, key: KeyRecord): void {
  partition.tables.keys.removeSync(key.id);
  partition.tables.keysByHash.removeSync(key.hash);
  removeKeyInUse(partition, key);
}

/**
 * Adds a key to its organization's list of keys in use. A key without an organization is added to the instance's list.
 */
export function putKeyInUse({ tables }: Partition, { id, orgId }: KeyRecord): void {
  tables.keysInUse.putSync([orgId ?? '', id], true);
}

/** Removes an ended key from its organization's list of keys in use. */
export function removeKeyInUse({ tables }: Partition, { id, orgId }: Pick<KeyRecord, 'id' | 'orgId'>): void {
  tables.keysInUse.removeSync([orgId ?? '', id]);
}

/**
 * Returns the keys of one organization that are not revoked. If `orgId` is undefined, returns the keys of all
 * organizations and of the instance. A returned key may have ended for another reason. Example: the key has expired, or
 * the key that created it has ended.
 */
export function listKeysInUse(partition: Partition, orgId?: string): KeyRecord[] {
  const range = orgId === undefined ? {} : { start: [orgId, ''], end: [orgId, '\uffff'] };
  const keys = [...partition.tables.keysInUse.getKeys(range)];
  return keys.flatMap((key) => readKey(partition, (key as string[])[1] as string) ?? []);
}

export function listKeys(partition: Partition): KeyRecord[] {
  return [...partition.tables.keys.getRange({})].map((row) => row.value as KeyRecord);
}
