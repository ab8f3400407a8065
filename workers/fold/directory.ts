/**
 * Folds records of the directory partition: repositories that other partitions have reported, organizations, and API
 * keys. `webhook-secrets.ts` folds the records about webhook secrets.
 */

import { isDeepStrictEqual } from 'node:util';
import { maxAheadMs } from '../../src/foundation/host-clock.ts';
import { hashedId, isNumber } from '../../src/foundation/ids.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import type { Identity } from '../../src/protocol/identity.ts';
import type { CommandRecord, RelayRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  ambiguousLogin,
  type DirectoryRepository,
  directoryRepositoryDigest,
  directoryRepositoryResponse,
  isRefutedFor,
  mayClaimOwner,
  type OrganizationRecord,
  organizationByLogin,
  organizationByOwner,
  organizationOfOwner,
  ownerNumber,
  readDirectoryRepository,
  readOrganization,
  sameLogin,
  writeOrganization,
} from '../../src/store/tables/directory.ts';
import { readIdentity, writeIdentity } from '../../src/store/tables/meta.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { writePolicy } from '../../src/store/tables/policies.ts';
import { replaceSeals } from '../../src/store/tables/seals.ts';
import { organizationDigest, organizationResponse, writeTier } from '../../src/store/tables/tiers.ts';
import { disconnectChannel, putChannel, suppress } from './channels.ts';
import { writeConnection } from './connections.ts';
import { createHostApp, deleteHostApp, takeAppState } from './host-apps.ts';
import { createKey, revokeKey, rotateKey } from './keys.ts';
import { missing, refused, stale } from './refusals.ts';
import { createSession, createSignInCode, endSession, endSessions, renewSession } from './sessions.ts';
import { foldWebhookCommand } from './webhook-endpoints.ts';
import { createWebhookSecret, revokeWebhookSecret, rotateWebhookSecret } from './webhook-secrets.ts';

/** Slot of the directory partition. The ids of the partition's records contain this number. */
const directorySlot = 0;

/**
 * Folds a repository that the repository's partition has relayed. Proof wins over a claim, even if the claim has a
 * later time. If the repository is listed for another organization, a claim is accepted only under two conditions: the
 * other organization has no proof either, and the host has named the claimant as the owner. If a claim is not accepted,
 * a relay ends the claim in the repository's partition and erases its data there. Otherwise the listed organization
 * could read the claimant's data.
 */
export function foldSeen(
  partition: Partition,
  { repository, seenAt, claimedBy }: Extract<RelayBody, { relay: 'repositorySeen' }>,
  { id, at, source, replayed }: Pick<RelayRecord, 'id' | 'at' | 'source' | 'replayed'>,
): void {
  const listed = readDirectoryRepository(partition, repository.id);
  const isProof = claimedBy === null;
  // The time of a proof is not compared. The repository's partition has already checked the proof, and the relays of
  // that partition arrive in order. Only a replayed relay arrives out of order. The time of a claim by another
  // organization is not compared either, because the claimant chose that time.
  const isNewest = (isProof && (listed?.claimed || !replayed)) || (claimedBy != null && claimedBy !== listed?.orgId);
  const isLate = listed !== undefined && listed.seenAt > seenAt && !isNewest;
  // If the stored time is far later than `at`, a clock usually ran ahead. A replayed relay is an exception: its `at` is
  // the time when the relay was first received, and the stored time can be from a later event.
  const isFromFuture =
    listed !== undefined && !replayed && claimedBy !== undefined && listed.seenAt > at + 2 * maxAheadMs;
  if (isLate && !isFromFuture) return;
  const { origin, owner } = repository;
  const organization =
    typeof claimedBy === 'string'
      ? bindClaimant(partition, claimedBy, owner)
      : (keeperOf(partition, listed, owner) ?? recordOrganization(partition, origin, owner, { at, seenAt, isProof }));
  const isMoved = listed !== undefined && listed.orgId !== organization?.id;
  if (typeof claimedBy === 'string' && (!organization || (isMoved && !isRefutedFor(listed, organization, owner.id)))) {
    const body = { relay: 'claimDropped', repoId: repository.id, claimedBy } as const;
    return void writeEffect(partition, { effect: 'relay', target: source as PartitionName, at, body });
  }
  if (!organization) return;
  // A relay that does not name a claimant, such as the relay of a rename, leaves a claim unchanged.
  const isClaim = typeof claimedBy === 'string' || (claimedBy === undefined && listed?.claimed === true);
  if (isMoved && isClaim && claimedBy === undefined) return;
  // Data that was stored under one organization's claim must not be used for another organization.
  const before = isMoved && listed.claimed ? undefined : listed;
  const contender = listed?.contenders?.find(({ orgId }) => orgId === organization.id);
  const after: DirectoryRepository = {
    id: repository.id,
    orgId: organization.id,
    hostId: isNumber(repository.hostId) ? repository.hostId : (before?.hostId ?? repository.hostId),
    fullName: repository.fullName,
    defaultBranch: repository.defaultBranch,
    state: before?.state ?? 'connected',
    installationId: before?.installationId ?? contender?.installationId ?? null,
    createdAt: before?.createdAt ?? at,
    seenAt,
    ...(isClaim && (!before || before.claimed) && { claimed: true }),
    ...(before?.ownership && !isMoved && { ownership: before.ownership }),
    ...(isClaim && before?.contenders && { contenders: before.contenders }),
  };
  writeConnection(partition, listed, after, { id, at, cause: 'delivery' });
  // The host's answer arrived before this relay, when the repository's partition did not know the repository yet. So
  // the repository's partition is informed of the answer now.
  if (typeof claimedBy === 'string' && before?.ownership?.confirmed) {
    const body = {
      relay: 'ownerProved',
      repoId: repository.id,
      ownerId: owner.id,
      orgId: claimedBy,
      refuted: null,
    } as const;
    writeEffect(partition, { effect: 'relay', target: source as PartitionName, at, body });
  }
}

/**
 * Returns the listed owner of a repository if the repository stays with this owner although another organization now
 * has the owner's login. This is the case for a proved owner, when the relay contains the login but no owner number.
 * Example: organization 77 owns `acme/app`, and organization 88 is now called `acme`. The partition still reports the
 * owner `acme`. The repository stays with 77. Returns undefined in all other cases.
 */
function keeperOf(
  partition: Partition,
  listed: DirectoryRepository | undefined,
  owner: EventRepository['owner'],
): OrganizationRecord | undefined {
  if (!listed || listed.claimed || isNumber(owner.id)) return undefined;
  const keeper = readOrganization(partition, listed.orgId);
  if (!keeper || !sameLogin(listed.fullName.split('/')[0] as string, owner.login)) return undefined;
  return organizationOfOwner(partition, keeper.origin, owner, true)?.id === keeper.id ? undefined : keeper;
}

/**
 * Returns the organization whose own secret signed a claim. If the organization has no owner number yet, it gets the
 * number in the claim. Returns undefined if the organization was erased, or if the number is now proved for another
 * organization. This proof can arrive after the delivery was accepted.
 */
export function bindClaimant(
  partition: Partition,
  orgId: string,
  owner: EventRepository['owner'],
): OrganizationRecord | undefined {
  const organization = readOrganization(partition, orgId);
  if (!organization || !mayClaimOwner(partition, organization, owner)) return undefined;
  if (organization.ownerId === owner.id || ownerNumber(organization) !== null) return organization;
  const bound: OrganizationRecord = { ...organization, login: owner.login, ownerId: owner.id, ownerProof: 'claimed' };
  writeOrganization(partition, bound);
  return bound;
}

/** Carries out the directory command of a record. */
export function foldDirectoryCommand(
  partition: Partition,
  command: DirectoryCommand,
  { id, at }: Pick<CommandRecord, 'id' | 'at'>,
): CommandResult {
  switch (command.name) {
    case 'createKey':
      return createKeyFor(partition, command, at);
    case 'rotateKey':
      return rotateKey(partition, command, at);
    case 'revokeKey':
      return revokeKey(partition, command, at);
    case 'updateOrganisation':
    case 'setTier':
    case 'setPolicy':
      return updateOrganization(partition, command);
    case 'selectRepository':
      return selectRepository(partition, command, { id, at });
    case 'nameOrganisation':
      return nameOrganization(partition, command, at);
    case 'createWebhookSecret':
      return createWebhookSecret(partition, command, at);
    case 'rotateWebhookSecret':
      return rotateWebhookSecret(partition, command, at);
    case 'revokeWebhookSecret':
      return revokeWebhookSecret(partition, command.secretId, at);
    case 'takeAppState':
      return takeAppState(partition, command, at);
    case 'createHostApp':
      return createHostApp(partition, command, at);
    case 'removeHostApp':
      return deleteHostApp(partition, command, at);
    case 'reseal': {
      const records = replaceSeals(partition, new Map(command.seals.map(({ from, to }) => [from, to])));
      return { ok: true, value: { records } };
    }
    case 'setIdentity':
      return { ok: true, value: setIdentity(partition, command) };
    case 'putChannel':
      return putChannel(partition, command, at);
    case 'removeChannel':
      return disconnectChannel(partition, command);
    case 'suppress':
      return suppress(partition, command, at);
    case 'createSession':
      return createSession(partition, command, at);
    case 'renewSession':
      return renewSession(partition, command, at);
    case 'endSession':
      return endSession(partition, command, at);
    case 'endSessions':
      return endSessions(partition, command, at);
    case 'createSignInCode':
      return createSignInCode(partition, command, at);
    default:
      return foldWebhookCommand(partition, command, at);
  }
}

/**
 * Stores the identity of the cluster, unless another one than the sender has read is stored. The sender compares them.
 * @returns the identity that is stored now
 */
function setIdentity(
  partition: Partition,
  { identity, replaces }: Extract<DirectoryCommand, { name: 'setIdentity' }>,
): Identity {
  const stored = readIdentity(partition);
  if (stored && !isDeepStrictEqual(stored, replaces)) return stored;
  writeIdentity(partition, identity);
  return identity;
}

/**
 * Returns the organization that owns a repository, and creates the organization if it does not exist. The function
 * searches for these organizations, in this order:
 * - the organization with the owner's number;
 * - an organization that was created for this login before the first delivery, and is not bound to an owner yet.
 *
 * If the payload contains no owner number, the login decides. An organization without a number gets its number from a
 * later payload. An event that is older than the last rename does not restore the old login, even if the event is about
 * another repository. If an organization only claims the owner's number and has another login, the organization loses
 * the number.
 * @param isProof whether the record proves the owner; false for records of earlier versions of Tidings
 */
export function recordOrganization(
  partition: Partition,
  origin: string,
  owner: EventRepository['owner'],
  { at, seenAt, isProof = false }: { at: number; seenAt: number; isProof?: boolean },
): OrganizationRecord {
  endFalseClaim(partition, origin, owner);
  const found = organizationOfOwner(partition, origin, owner, isProof);
  if (found && !isNumber(owner.id) && ownerNumber(found) !== null) return found;
  const isKnown = found !== undefined && found.ownerId === owner.id;
  const isLate = isKnown && seenAt < (found.namedAt ?? 0);
  const login = isLate ? found.login : owner.login;
  const ownerProof = isProof ? 'proved' : found?.ownerProof;
  const organization: OrganizationRecord = {
    id: found?.id ?? freshId(partition, `${origin}\n${owner.id}`),
    origin,
    login,
    ownerId: owner.id,
    createdAt: found?.createdAt ?? at,
    uninstalledAt: found?.uninstalledAt ?? null,
    namedAt: isKnown && found.login === login ? (found.namedAt ?? 0) : seenAt,
    ...(ownerProof && { ownerProof }),
  };
  if (!isKnown || found.login !== organization.login || found.ownerProof !== ownerProof) {
    writeOrganization(partition, organization);
  }
  return organization;
}

/**
 * Returns an unused id for a new organization, derived from its login or number. After a rename, a host can give the
 * old login to another owner. The organization that first had the login keeps its id, keys and repositories, so the new
 * organization gets a different id.
 */
function freshId(partition: Partition, text: string): string {
  for (let nth = 1; ; nth++) {
    const id = hashedId('org', directorySlot, nth === 1 ? text : `${text} ${nth}`);
    if (!readOrganization(partition, id)) return id;
  }
}

/** Removes the owner's number from an organization that only claims the number and does not have the owner's login. */
function endFalseClaim(partition: Partition, origin: string, owner: EventRepository['owner']): void {
  const claimant = organizationByOwner(partition, origin, owner.id);
  if (claimant?.ownerProof !== 'claimed' || sameLogin(claimant.login, owner.login)) return;
  const { ownerProof: _, ...unbound } = claimant;
  writeOrganization(partition, { ...unbound, ownerId: null });
}

function createKeyFor(
  partition: Partition,
  command: Extract<DirectoryCommand, { name: 'createKey' }>,
  at: number,
): CommandResult {
  const { org, origin, unambiguous } = command;
  if (org !== null && unambiguous) {
    const clash = ambiguousLogin(partition, org, origin);
    if (clash) return refused(clash);
  }
  const orgId = org === null ? null : organizationNamed(partition, org, origin, at);
  if (orgId === undefined) return missing('Organization', String(command.org));
  return createKey(partition, command, orgId, at);
}

/**
 * Returns the id of the organization with the given id or login. For an unknown login, the function creates an
 * organization. The new organization is bound to an owner when the first record about an owner with that login is
 * folded. Returns undefined for an unknown id.
 */
function organizationNamed(partition: Partition, name: string, origin: string, at: number): string | undefined {
  if (name.startsWith('org_')) return readOrganization(partition, name)?.id;
  const known = organizationByLogin(partition, origin, name);
  if (known) return known.id;
  const id = freshId(partition, `${origin}\nlogin ${name.toLowerCase()}`);
  writeOrganization(partition, { id, origin, login: name, ownerId: null, createdAt: at, uninstalledAt: null });
  return id;
}

/** Assigns a tier to an organization and sets its policies. Either all changes are written or none. */
function updateOrganization(
  partition: Partition,
  {
    orgId,
    tier,
    refuseInternalOnPublicChannels,
    keepPublishedAfterUninstall,
    ifMatch,
  }: Extract<DirectoryCommand, { name: 'updateOrganisation' | 'setTier' | 'setPolicy' }>,
): CommandResult {
  const organization = readOrganization(partition, orgId);
  if (!organization) return missing('Organization', orgId);
  if (ifMatch && !ifMatch.includes(organizationDigest(partition, organization))) return stale('Organization', orgId);
  if (tier !== undefined) writeTier(partition, orgId, tier);
  if (refuseInternalOnPublicChannels !== undefined) writePolicy(partition, orgId, { refuseInternalOnPublicChannels });
  if (keepPublishedAfterUninstall !== undefined) writePolicy(partition, orgId, { keepPublishedAfterUninstall });
  const digest = organizationDigest(partition, organization);
  return { ok: true, value: { ...organizationResponse(partition, organization), digest } };
}

function nameOrganization(
  partition: Partition,
  { login, origin, unambiguous }: Extract<DirectoryCommand, { name: 'nameOrganisation' }>,
  at: number,
): CommandResult {
  const clash = unambiguous && ambiguousLogin(partition, login, origin);
  if (clash) return refused(clash);
  return { ok: true, value: { orgId: organizationNamed(partition, login, origin, at) } };
}

/**
 * Cancels the erasure of an organization whose app was removed. This function is called when a person has selected one
 * of the organization's repositories, which shows that the organization is still in use.
 */
function keepOrganization(partition: Partition, id: string): void {
  const organization = readOrganization(partition, id);
  if (organization && organization.uninstalledAt !== null)
    writeOrganization(partition, { ...organization, uninstalledAt: null });
}

/**
 * Connects or disconnects a repository at a person's request. A disconnected repository has the state `unselected`, and
 * its events are dropped.
 */
function selectRepository(
  partition: Partition,
  { repoId, orgId, selected, ifMatch }: Extract<DirectoryCommand, { name: 'selectRepository' }>,
  record: Pick<CommandRecord, 'id' | 'at'>,
): CommandResult {
  const before = readDirectoryRepository(partition, repoId);
  if (!before || (orgId !== undefined && before.orgId !== orgId)) return missing('Repository', repoId);
  if (ifMatch && !ifMatch.includes(directoryRepositoryDigest(before))) return stale('Repository', repoId);
  const repository: DirectoryRepository = { ...before, state: selected ? 'connected' : 'unselected' };
  if (before.state !== repository.state)
    writeConnection(partition, before, repository, { id: record.id, at: record.at, cause: 'request' });
  if (selected) keepOrganization(partition, repository.orgId);
  const digest = directoryRepositoryDigest(repository);
  return { ok: true, value: { ...directoryRepositoryResponse(repository), digest } };
}
