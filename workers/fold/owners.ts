/**
 * Folds proofs of ownership into the directory: the host's answers to the question who owns a repository, and renames
 * of owners. Relays carry the consequences to the partitions of the repositories.
 */
import { partitionOfRepository } from '../../src/foundation/partition-names.ts';
import type { OwnerAnswered } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type DirectoryRepository,
  isFreeNumber,
  listDirectoryRepositories,
  type OrganizationRecord,
  ownerNumber,
  readDirectoryRepository,
  readOrganization,
  writeDirectoryRepository,
  writeOrganization,
} from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';

/** Folds the host's answer to the question who owns a repository. An answer about a former owner changes nothing. */
export function foldOwnerAnswer(
  partition: Partition,
  { repoId, orgId, ownerId, ...answered }: OwnerAnswered,
  at: number,
): void {
  const { askedAt, answer, partitions } = answered;
  const listed = readDirectoryRepository(partition, repoId);
  const organization = readOrganization(partition, orgId);
  if (listed?.orgId !== orgId || organization?.ownerId !== ownerId) return;
  if (listed.ownership && listed.ownership.at > askedAt) return;
  if (!answer.confirmed) {
    const { confirmed, cause, ...other } = answer;
    return writeDirectoryRepository(partition, { ...listed, ownership: { confirmed, at: askedAt, cause, ...other } });
  }
  if (listed.claimed || !listed.ownership?.confirmed) proveOwner(partition, listed, organization, { at, partitions });
  const { claimed: _, contenders: __, ...proved } = listed;
  const ownership = { confirmed: true as const, at: askedAt, fullName: answer.fullName };
  writeDirectoryRepository(partition, { ...proved, ownership });
  proveOrganization(partition, withNumber(partition, organization, answer.ownerId), answer.login, answered, at);
}

/**
 * Returns the organization. If only its login was known, the function adds the owner's number `ownerId`. The function
 * does not add the number if another organization already has it.
 */
function withNumber(
  partition: Partition,
  organization: OrganizationRecord,
  ownerId: string | undefined,
): OrganizationRecord {
  if (ownerId === undefined || ownerNumber(organization) !== null) return organization;
  if (!isFreeNumber(partition, organization, ownerId)) return organization;
  const { ownerProof: _, ...numbered } = organization;
  return { ...numbered, ownerId };
}

/**
 * Reports the proved owner of a claimed repository to the repository's partition. If the owner is not the organization
 * that claims the repository, the claim is refuted.
 */
export function proveOwner(
  partition: Partition,
  { id, orgId }: DirectoryRepository,
  owner: OrganizationRecord,
  { at, partitions }: { at: number; partitions: number },
): void {
  if (owner.ownerId === null || partitions === 0) return;
  const target = partitionOfRepository(id, partitions);
  const refuted = orgId === owner.id ? null : orgId;
  const body = { relay: 'ownerProved' as const, repoId: id, ownerId: owner.ownerId, orgId: owner.id, refuted };
  writeEffect(partition, { effect: 'relay', target, at, body });
}

/**
 * Marks the organization's owner number as proved. Also adopts the login that the host gives, unless a later rename is
 * known.
 */
function proveOrganization(
  partition: Partition,
  before: OrganizationRecord,
  login: string,
  { askedAt, partitions }: Pick<OwnerAnswered, 'askedAt' | 'partitions'>,
  at: number,
): void {
  const isRename = login !== before.login && askedAt >= (before.namedAt ?? 0);
  const after: OrganizationRecord = {
    ...before,
    ownerProof: 'proved',
    ...(isRename && { login, namedAt: askedAt }),
  };
  if (before.ownerProof !== 'proved' || isRename) writeOrganization(partition, after);
  if (isRename) renameAll(partition, after, at, partitions);
}

/**
 * Changes the full names of all repositories of a renamed owner. This function changes the names in the directory
 * partition. It also writes relays, which change the names in the repositories' partitions.
 */
export function renameAll(
  partition: Partition,
  organization: OrganizationRecord,
  at: number,
  partitions: number,
): void {
  const { id, login, ownerId } = organization;
  for (const repository of listDirectoryRepositories(partition, id)) {
    const [former = '', name = ''] = repository.fullName.split('/');
    writeDirectoryRepository(partition, { ...repository, fullName: `${login}/${name}` });
    if (partitions === 0 || ownerId === null) continue;
    const target = partitionOfRepository(repository.id, partitions);
    const body = { relay: 'ownerRenamed' as const, repoId: repository.id, ownerId, login, former };
    writeEffect(partition, { effect: 'relay', target, at, body });
  }
}
