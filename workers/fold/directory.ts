/**
 * Folds what belongs to the directory: repositories met by other partitions, organisations, API keys. Webhook secrets have
 * a file of their own.
 */
import { hashedId, isNumber } from '../../src/foundation/ids.ts';
import { mostAheadMs } from '../../src/intake/text.ts';
import type { PartitionName } from '../../src/journal/subjects.ts';
import type { CommandResult, DirectoryCommand } from '../../src/protocol/commands.ts';
import type { RelayRecord } from '../../src/protocol/journal.ts';
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
  type OrganisationRecord,
  organisationByLogin,
  organisationByOwner,
  organisationOfOwner,
  ownerNumber,
  readDirectoryRepository,
  readOrganisation,
  sameLogin,
  writeDirectoryRepository,
  writeOrganisation,
} from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { writePolicy } from '../../src/store/tables/policies.ts';
import { replaceSeals } from '../../src/store/tables/seals.ts';
import { organisationDigest, organisationResponse, writeTier } from '../../src/store/tables/tiers.ts';
import { disconnectChannel, putChannel, suppress } from './channels.ts';
import { createKey, revokeKey, rotateKey } from './keys.ts';
import { missing, refused, stale } from './refusals.ts';
import { foldWebhookCommand } from './webhook-endpoints.ts';
import { createWebhookSecret, revokeWebhookSecret, rotateWebhookSecret } from './webhook-secrets.ts';

/** The slot in ids of what lives in the directory. */
const directorySlot = 0;

/**
 * Folds what another partition relayed of a repository. Proof counts more than a claim, whatever its time; a claim takes no
 * repository that is listed for another organization, unless the host has refuted that one's own claim. A claim that is not
 * listed ends in the partition, too: whoever is listed would read what it brought.
 */
export function foldSeen(
  partition: Partition,
  { repository, seenAt, claimedBy }: Extract<RelayBody, { relay: 'repositorySeen' }>,
  { at, source, replayed }: Pick<RelayRecord, 'at' | 'source' | 'replayed'>,
): void {
  const listed = readDirectoryRepository(partition, repository.id);
  const isProof = claimedBy === null;
  // The partition of a repository has judged proof by then, and relays come in its order, but for one that is replayed.
  // Of who else claims it the time says nothing: it was the claim's choice.
  const isNewest = (isProof && (listed?.claimed || !replayed)) || (claimedBy != null && claimedBy !== listed?.orgId);
  const isLate = listed !== undefined && listed.seenAt > seenAt && !isNewest;
  // The time of a replayed relay is that of its first receipt, and says nothing of a clock.
  const isFromFuture =
    listed !== undefined && !replayed && claimedBy !== undefined && listed.seenAt > at + 2 * mostAheadMs;
  if (isLate && !isFromFuture) return;
  const { origin, owner } = repository;
  const organisation =
    typeof claimedBy === 'string'
      ? bindClaimant(partition, claimedBy, owner)
      : (keeperOf(partition, listed, owner) ?? meetOrganisation(partition, origin, owner, { at, seenAt, isProof }));
  const isMoved = listed !== undefined && listed.orgId !== organisation?.id;
  if (typeof claimedBy === 'string' && (!organisation || (isMoved && !isRefutedFor(listed, organisation, owner.id)))) {
    const body = { relay: 'claimDropped', repoId: repository.id, claimedBy } as const;
    return void writeEffect(partition, { effect: 'relay', target: source as PartitionName, at, body });
  }
  if (!organisation) return;
  // A relay that does not speak of claims, such as that of a rename, leaves one what it is.
  const isClaim = typeof claimedBy === 'string' || (claimedBy === undefined && listed?.claimed === true);
  if (isMoved && isClaim && claimedBy === undefined) return;
  // Nothing of a claim counts for another organization.
  const before = isMoved && listed.claimed ? undefined : listed;
  const contender = listed?.contenders?.find(({ orgId }) => orgId === organisation.id);
  writeDirectoryRepository(partition, {
    id: repository.id,
    orgId: organisation.id,
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
  });
  // The host's word came before the partition knew the repository.
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
 * The organization that a repository is listed for, where its partition tells the owner by the same login as before, without a
 * number, and somebody else bears that login by now: a repository does not change its owner with a login.
 */
function keeperOf(
  partition: Partition,
  listed: DirectoryRepository | undefined,
  owner: EventRepository['owner'],
): OrganisationRecord | undefined {
  if (!listed || listed.claimed || isNumber(owner.id)) return undefined;
  const keeper = readOrganisation(partition, listed.orgId);
  if (!keeper || !sameLogin(listed.fullName.split('/')[0] as string, owner.login)) return undefined;
  return organisationOfOwner(partition, keeper.origin, owner, true)?.id === keeper.id ? undefined : keeper;
}

/**
 * The organization whose own secret signed a claim, bound to the owner's number that it claims when it has none yet; undefined
 * when it is gone, or may not claim that owner any more: since the edge has judged the claim, another one may have proved it.
 */
export function bindClaimant(
  partition: Partition,
  orgId: string,
  owner: EventRepository['owner'],
): OrganisationRecord | undefined {
  const organisation = readOrganisation(partition, orgId);
  if (!organisation || !mayClaimOwner(partition, organisation, owner)) return undefined;
  if (organisation.ownerId === owner.id || ownerNumber(organisation) !== null) return organisation;
  const bound: OrganisationRecord = { ...organisation, login: owner.login, ownerId: owner.id, ownerProof: 'claimed' };
  writeOrganisation(partition, bound);
  return bound;
}

/** Carries out one command of the directory at time `at`. */
export function foldDirectoryCommand(partition: Partition, command: DirectoryCommand, at: number): CommandResult {
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
      return updateOrganisation(partition, command);
    case 'selectRepository':
      return selectRepository(partition, command);
    case 'nameOrganisation':
      return nameOrganisation(partition, command, at);
    case 'createWebhookSecret':
      return createWebhookSecret(partition, command, at);
    case 'rotateWebhookSecret':
      return rotateWebhookSecret(partition, command, at);
    case 'revokeWebhookSecret':
      return revokeWebhookSecret(partition, command.secretId, at);
    case 'reseal': {
      const records = replaceSeals(partition, new Map(command.seals.map(({ from, to }) => [from, to])));
      return { ok: true, value: { records } };
    }
    case 'putChannel':
      return putChannel(partition, command, at);
    case 'removeChannel':
      return disconnectChannel(partition, command);
    case 'suppress':
      return suppress(partition, command, at);
    default:
      return foldWebhookCommand(partition, command, at);
  }
}

/**
 * The organization that owns a repository: known by the host's number of the owner, else by a login that was named before its
 * first delivery and is not bound to an owner yet, else new. Where the host sent no number of the owner, the login decides, and an
 * organization that is known by its login alone adopts the number that comes later. An event from before the last rename does not
 * bring a login back, whichever of its repositories it is about.
 * Another organization that merely claims the number, and is called otherwise, loses it.
 * @param isProof whether this proves who the owner is; records of earlier versions do not say so
 */
export function meetOrganisation(
  partition: Partition,
  origin: string,
  owner: EventRepository['owner'],
  { at, seenAt, isProof = false }: { at: number; seenAt: number; isProof?: boolean },
): OrganisationRecord {
  endFalseClaim(partition, origin, owner);
  const found = organisationOfOwner(partition, origin, owner, isProof);
  if (found && !isNumber(owner.id) && ownerNumber(found) !== null) return found;
  const isKnown = found !== undefined && found.ownerId === owner.id;
  const isLate = isKnown && seenAt < (found.namedAt ?? 0);
  const login = isLate ? found.login : owner.login;
  const ownerProof = isProof ? 'proved' : found?.ownerProof;
  const organisation: OrganisationRecord = {
    id: found?.id ?? freshId(partition, `${origin}\n${owner.id}`),
    origin,
    login,
    ownerId: owner.id,
    createdAt: found?.createdAt ?? at,
    uninstalledAt: found?.uninstalledAt ?? null,
    namedAt: isKnown && found.login === login ? (found.namedAt ?? 0) : seenAt,
    ...(ownerProof && { ownerProof }),
  };
  if (!isKnown || found.login !== organisation.login || found.ownerProof !== ownerProof) {
    writeOrganisation(partition, organisation);
  }
  return organisation;
}

/**
 * The id of a new organization. Logins are used again: one that was first known by this login, and is called otherwise now, keeps its
 * id, its keys and its repositories to itself.
 */
function freshId(partition: Partition, text: string): string {
  for (let nth = 1; ; nth++) {
    const id = hashedId('org', directorySlot, nth === 1 ? text : `${text} ${nth}`);
    if (!readOrganisation(partition, id)) return id;
  }
}

/** An organization that claims the number of an owner, and is called otherwise, was wrong. */
function endFalseClaim(partition: Partition, origin: string, owner: EventRepository['owner']): void {
  const claimant = organisationByOwner(partition, origin, owner.id);
  if (claimant?.ownerProof !== 'claimed' || sameLogin(claimant.login, owner.login)) return;
  const { ownerProof: _, ...unbound } = claimant;
  writeOrganisation(partition, { ...unbound, ownerId: null });
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
  const orgId = org === null ? null : organisationNamed(partition, org, origin, at);
  if (orgId === undefined) return missing('Organization', String(command.org));
  return createKey(partition, command, orgId, at);
}

/** An organisation by id or login; a login not met yet is kept for the owner that comes with it. */
function organisationNamed(partition: Partition, name: string, origin: string, at: number): string | undefined {
  if (name.startsWith('org_')) return readOrganisation(partition, name)?.id;
  const known = organisationByLogin(partition, origin, name);
  if (known) return known.id;
  const id = freshId(partition, `${origin}\nlogin ${name.toLowerCase()}`);
  writeOrganisation(partition, { id, origin, login: name, ownerId: null, createdAt: at, uninstalledAt: null });
  return id;
}

/** Gives an organisation a tier, and sets what it allows; all of it or nothing. */
function updateOrganisation(
  partition: Partition,
  {
    orgId,
    tier,
    refuseInternalOnPublicChannels,
    keepPublishedAfterUninstall,
    ifMatch,
  }: Extract<DirectoryCommand, { name: 'updateOrganisation' | 'setTier' | 'setPolicy' }>,
): CommandResult {
  const organisation = readOrganisation(partition, orgId);
  if (!organisation) return missing('Organization', orgId);
  if (ifMatch && !ifMatch.includes(organisationDigest(partition, organisation))) return stale('Organization', orgId);
  if (tier !== undefined) writeTier(partition, orgId, tier);
  if (refuseInternalOnPublicChannels !== undefined) writePolicy(partition, orgId, { refuseInternalOnPublicChannels });
  if (keepPublishedAfterUninstall !== undefined) writePolicy(partition, orgId, { keepPublishedAfterUninstall });
  const digest = organisationDigest(partition, organisation);
  return { ok: true, value: { ...organisationResponse(partition, organisation), digest } };
}

function nameOrganisation(
  partition: Partition,
  { login, origin, unambiguous }: Extract<DirectoryCommand, { name: 'nameOrganisation' }>,
  at: number,
): CommandResult {
  const clash = unambiguous && ambiguousLogin(partition, login, origin);
  if (clash) return refused(clash);
  return { ok: true, value: { orgId: organisationNamed(partition, login, origin, at) } };
}

/** Who takes up a repository's events again wants it kept, though the app was removed. */
function keepOrganisation(partition: Partition, id: string): void {
  const organisation = readOrganisation(partition, id);
  if (organisation && organisation.uninstalledAt !== null)
    writeOrganisation(partition, { ...organisation, uninstalledAt: null });
}

/** A person's choice: an unselected repository's events stop. */
function selectRepository(
  partition: Partition,
  { repoId, orgId, selected, ifMatch }: Extract<DirectoryCommand, { name: 'selectRepository' }>,
): CommandResult {
  const before = readDirectoryRepository(partition, repoId);
  if (!before || (orgId !== undefined && before.orgId !== orgId)) return missing('Repository', repoId);
  if (ifMatch && !ifMatch.includes(directoryRepositoryDigest(before))) return stale('Repository', repoId);
  const repository: DirectoryRepository = { ...before, state: selected ? 'connected' : 'unselected' };
  if (before.state !== repository.state) writeDirectoryRepository(partition, repository);
  if (selected) keepOrganisation(partition, repository.orgId);
  const digest = directoryRepositoryDigest(repository);
  return { ok: true, value: { ...directoryRepositoryResponse(repository), digest } };
}
