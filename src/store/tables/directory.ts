/**
 * The tables of the directory partition: organisations, which repositories they have (the only place authorisation
 * reads), and API keys by hash (`docs/architecture.md` decision 13).
 */
import { ServiceError } from '../../foundation/errors.ts';
import { digestOf } from '../../foundation/etag.ts';
import { isNumber } from '../../foundation/ids.ts';
import type { KeyRecord } from '../../protocol/commands.ts';
import type { RefusalCause } from '../../protocol/results.ts';
import type { Partition } from '../partition.ts';
import { indexRepository } from './repository-index.ts';

/**
 * An organisation or user that owns repositories. `ownerId` is null until its first delivery is seen, and a name stands for the
 * number while no delivery had one.
 */
export interface OrganisationRecord {
  id: string;
  origin: string;
  login: string;
  ownerId: string | null;
  createdAt: number;
  /** When the app was removed; null while it is installed or never was. */
  uninstalledAt: number | null;
  /** Host time at which it was first told under its login; absent for one that was named before its first delivery. */
  namedAt?: number;
  /**
   * How its owner's number is known: claimed by a delivery under its own secret, or proved by the host or under a secret of
   * the whole host. Absent before it is known, and in rows of earlier versions.
   */
  ownerProof?: 'claimed' | 'proved';
}

/** Whether a repository's events are wanted: `unselected` by a person, `disconnected` with the app. */
export type ConnectionState = 'connected' | 'unselected' | 'disconnected';

/** What the host last answered to the question who owns a repository, and when it was asked. */
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
  /** The app installation that brought it; null for a plain webhook. */
  installationId: string | null;
  createdAt: number;
  seenAt: number;
  /** It is known under its organization's own secret alone: neither the host nor a secret of the whole host has said so. */
  claimed?: true;
  ownership?: Ownership;
  /** Organizations whose app was told to have it while another one merely claims it: the host can be asked with theirs, too. */
  contenders?: readonly Contender[];
  /**
   * Removal of the app after which all but its published notes was erased; no longer meant once the app is installed again, as a
   * later removal has another time.
   */
  keptSince?: number;
}

/** An organization, and the installation of the app under which it has told of a repository. */
export interface Contender {
  orgId: string;
  installationId: string;
}

/** Whether two logins are one: hosts do not tell capitals apart. */
export function sameLogin(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * Why an account of the host is not that of an organization; undefined where it is. Where the owner's number is not proved yet, the
 * account must also be called as the organization is, which is the operator's word. Where deliveries have told the login alone,
 * the login decides.
 */
export function refusalOf(
  { id, login }: { id: string; login: string },
  organisation: Pick<OrganisationRecord, 'ownerId' | 'ownerProof' | 'login'>,
): 'owner' | 'login' | undefined {
  const { ownerId } = organisation;
  if (ownerId !== null && !isNumber(ownerId)) return sameLogin(login, organisation.login) ? undefined : 'login';
  if (id !== ownerId) return 'owner';
  return organisation.ownerProof === 'proved' || sameLogin(login, organisation.login) ? undefined : 'login';
}

/**
 * Whether a repository is only claimed by its organization, and the host has named the owner of this one instead. Where this
 * one's number is not proved, the host must also have called that owner as this one is called, which is the operator's word.
 * @param ownerId the number that it has, or claims with its first delivery
 */
export function isRefutedFor(
  { claimed, ownership }: DirectoryRepository,
  { ownerProof, login, ownerId: proved }: OrganisationRecord,
  ownerId: string,
): boolean {
  if (!claimed || ownership?.confirmed !== false || ownership.ownerId !== ownerId) return false;
  const isProved = ownerProof === 'proved' && proved === ownerId;
  return isProved || ownership.ownerLogin === undefined || sameLogin(ownership.ownerLogin, login);
}

export function readOrganisation(partition: Partition, id: string): OrganisationRecord | undefined {
  return partition.tables.organisations.get(id);
}

export function organisationByOwner(
  partition: Partition,
  origin: string,
  ownerId: string,
): OrganisationRecord | undefined {
  const id: string | undefined = partition.tables.organisationsByOwner.get([origin, ownerId]);
  return id === undefined ? undefined : readOrganisation(partition, id);
}

export function organisationByLogin(
  partition: Partition,
  origin: string,
  login: string,
): OrganisationRecord | undefined {
  const id: string | undefined = partition.tables.organisationsByLogin.get([origin, login.toLowerCase()]);
  return id === undefined ? undefined : readOrganisation(partition, id);
}

/**
 * The organization that the owner of a payload is: known by the host's number, else by the login, unless that is bound to another
 * number. One that merely claims the number, and is called otherwise, is not it.
 * @param isProof whether the payload proves who the owner is: a number that is merely claimed yields to it
 */
export function organisationOfOwner(
  partition: Partition,
  origin: string,
  owner: { id: string; login: string },
  isProof: boolean,
): OrganisationRecord | undefined {
  const named = organisationByLogin(partition, origin, owner.login);
  const number = named ? ownerNumber(named) : null;
  if (named && !isNumber(owner.id) && number !== null) return named;
  const isFree = number === null || number === owner.id || (isProof && named?.ownerProof === 'claimed');
  const numbered = organisationByOwner(partition, origin, owner.id);
  const isFalse = numbered?.ownerProof === 'claimed' && !sameLogin(numbered.login, owner.login);
  return (isFalse ? undefined : numbered) ?? (isFree ? named : undefined);
}

/** The refusal of a login that several organizations bear, such as a former and a present owner of it; it lists their ids. */
export function ambiguousLogin(partition: Partition, login: string, origin: string): ServiceError | undefined {
  const bearers = listOrganisations(partition).filter(
    (organisation) => organisation.origin === origin && sameLogin(organisation.login, login),
  );
  if (bearers.length < 2) return undefined;
  const ids = bearers.map(({ id }) => id).join(', ');
  const message = `Several organizations on ${origin} are called ${JSON.stringify(login)}: ${ids}. Name one of them by its id.`;
  return new ServiceError('conflict', message, { details: { org: `expected one of ${ids}` } });
}

/** The number of an organization's owner; null while no delivery has told one. */
export function ownerNumber({ ownerId }: Pick<OrganisationRecord, 'ownerId'>): string | null {
  return ownerId !== null && isNumber(ownerId) ? ownerId : null;
}

/**
 * Whether an organization may claim an owner under its own secret. One whose number is not known yet is known by its login; a
 * number that is proved for another organization is nobody's to claim.
 */
export function mayClaimOwner(
  partition: Partition,
  organisation: OrganisationRecord,
  owner: { id: string; login: string },
): boolean {
  const { login, ownerProof } = organisation;
  const number = ownerNumber(organisation);
  if (number === null ? !sameLogin(owner.login, login) : owner.id !== number) return false;
  if (number !== null && ownerProof !== 'claimed') return true;
  return isFreeNumber(partition, organisation, owner.id);
}

/** Whether the number of an owner is proved for no organization but the given one. */
export function isFreeNumber(
  partition: Partition,
  { id, origin }: Pick<OrganisationRecord, 'id' | 'origin'>,
  ownerId: string,
): boolean {
  const other = organisationByOwner(partition, origin, ownerId);
  return other === undefined || other.id === id || other.ownerProof === 'claimed';
}

/**
 * Writes an organisation and its two indexes; a former login stays free for whoever takes it. A claimed number does not take
 * the place of another organisation's, and writing what bore a login before does not take the login back.
 */
export function writeOrganisation(partition: Partition, organisation: OrganisationRecord): void {
  const { organisations, organisationsByOwner, organisationsByLogin } = partition.tables;
  const before = readOrganisation(partition, organisation.id);
  if (before && before.login.toLowerCase() !== organisation.login.toLowerCase()) {
    const key = [before.origin, before.login.toLowerCase()];
    if (organisationsByLogin.get(key) === before.id) organisationsByLogin.removeSync(key);
  }
  if (before && before.ownerId !== null && before.ownerId !== organisation.ownerId) {
    const key = [before.origin, before.ownerId];
    if (organisationsByOwner.get(key) === before.id) organisationsByOwner.removeSync(key);
  }
  organisations.putSync(organisation.id, organisation);
  const byLogin = [organisation.origin, organisation.login.toLowerCase()];
  const isNamed = before === undefined || !sameLogin(before.login, organisation.login);
  if (isNamed || organisationsByLogin.get(byLogin) === undefined)
    organisationsByLogin.putSync(byLogin, organisation.id);
  if (organisation.ownerId === null) return;
  const byOwner = [organisation.origin, organisation.ownerId];
  if (organisation.ownerProof === 'claimed' && organisationsByOwner.get(byOwner) !== undefined) return;
  organisationsByOwner.putSync(byOwner, organisation.id);
}

/** Removes an organisation and the indexes that lead to it. */
export function removeOrganisation(partition: Partition, id: string): void {
  const { organisations, organisationsByOwner, organisationsByLogin } = partition.tables;
  const organisation = readOrganisation(partition, id);
  if (!organisation) return;
  const { origin, login, ownerId } = organisation;
  organisations.removeSync(id);
  const byLogin = [origin, login.toLowerCase()];
  if (organisationsByLogin.get(byLogin) === id) organisationsByLogin.removeSync(byLogin);
  if (ownerId !== null && organisationsByOwner.get([origin, ownerId]) === id)
    organisationsByOwner.removeSync([origin, ownerId]);
}

export function listOrganisations(partition: Partition): OrganisationRecord[] {
  return [...partition.tables.organisations.getRange({})].map((row) => row.value as OrganisationRecord);
}

export function readDirectoryRepository(partition: Partition, id: string): DirectoryRepository | undefined {
  return partition.tables.directoryRepositories.get(id);
}

export function writeDirectoryRepository(partition: Partition, repository: DirectoryRepository): void {
  const before = readDirectoryRepository(partition, repository.id);
  partition.tables.directoryRepositories.putSync(repository.id, repository);
  indexRepository(partition, before, repository);
}

export function removeDirectoryRepository(partition: Partition, id: string): void {
  const before = readDirectoryRepository(partition, id);
  partition.tables.directoryRepositories.removeSync(id);
  indexRepository(partition, before, undefined);
}

/** A repository as the API answers it (spec part 2). `scmRepoId` is left out where the host sent no number. */
export function directoryRepositoryResponse(repository: DirectoryRepository): Record<string, unknown> {
  const { id, orgId, hostId, fullName, defaultBranch, state, createdAt, ownership } = repository;
  return {
    ...{ id, orgId, ...(/^\d+$/.test(hostId) && { scmRepoId: Number(hostId) }), fullName, defaultBranch, state },
    createdAt: new Date(createdAt).toISOString(),
    ownerConfirmed: ownership?.confirmed === true,
    ownerUnconfirmedReason: unconfirmedReason(ownership),
  };
}

/**
 * Why a repository's owner is not confirmed, null where it is. It does not say which of the causes it was: whoever names a
 * number must not learn from it what a host has there.
 */
function unconfirmedReason(ownership: Ownership | undefined): string | null {
  if (ownership === undefined) return 'The host has not been asked yet, or there are no credentials to ask it with.';
  return ownership.confirmed ? null : refusedOwner;
}

/** What everybody but the operator is told when the host does not confirm an owner. */
export const refusedOwner =
  'The host does not confirm that this repository belongs to its organization: it shows no such repository to the credentials of this service, or names another owner.';

/**
 * Validator of a repository's state; of a fixed list of fields, so that a replay by a later version compares as it did then.
 * What the host said of its owner counts where it was asked.
 */
export function directoryRepositoryDigest(repository: DirectoryRepository): string {
  const { id, orgId, hostId, fullName, defaultBranch, state, createdAt, ownership } = repository;
  const asked = ownership ? [ownership.confirmed] : [];
  return digestOf(JSON.stringify([id, orgId, hostId, fullName, defaultBranch, state, createdAt, ...asked]));
}

/** Whether nothing is left of an organization but repositories whose published notes are kept. */
export function isKeptAlone(partition: Partition, { id, uninstalledAt }: OrganisationRecord): boolean {
  const repositories = listDirectoryRepositories(partition, id);
  const isKept = ({ keptSince }: DirectoryRepository) => keptSince !== undefined && keptSince === uninstalledAt;
  return repositories.length > 0 && repositories.every(isKept);
}

/** Repositories of an organisation, or all of them for null, by id. */
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

/** Lists a key among those that its organisation, or the instance, may have in use. */
export function putKeyInUse({ tables }: Partition, { id, orgId }: KeyRecord): void {
  tables.keysInUse.putSync([orgId ?? '', id], true);
}

/** Takes a key that has ended off the list. */
export function removeKeyInUse({ tables }: Partition, { id, orgId }: Pick<KeyRecord, 'id' | 'orgId'>): void {
  tables.keysInUse.removeSync([orgId ?? '', id]);
}

/** Keys that are not revoked, of an organisation or of all. Some may have ended, by their time or with the key that made them. */
export function listKeysInUse(partition: Partition, orgId?: string): KeyRecord[] {
  const range = orgId === undefined ? {} : { start: [orgId, ''], end: [orgId, '\uffff'] };
  const keys = [...partition.tables.keysInUse.getKeys(range)];
  return keys.flatMap((key) => readKey(partition, (key as string[])[1] as string) ?? []);
}

export function listKeys(partition: Partition): KeyRecord[] {
  return [...partition.tables.keys.getRange({})].map((row) => row.value as KeyRecord);
}
