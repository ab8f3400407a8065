/**
 * Folds into the directory what is proved of owners: the host's answers to who owns a repository, and renames. What follows from
 * them for a repository reaches its partition by a relay.
 */
import { partitionOf, slotOfId } from '../../src/foundation/ids.ts';
import { partitionName } from '../../src/journal/subjects.ts';
import type { OwnerAnswered } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type DirectoryRepository,
  isFreeNumber,
  listDirectoryRepositories,
  type OrganisationRecord,
  ownerNumber,
  readDirectoryRepository,
  readOrganisation,
  writeDirectoryRepository,
  writeOrganisation,
} from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';

/** Folds the host's answer. One that was asked for another owner than the present one changes nothing. */
export function foldOwnerAnswer(
  partition: Partition,
  { repoId, orgId, ownerId, ...told }: OwnerAnswered,
  at: number,
): void {
  const { askedAt, answer, partitions } = told;
  const listed = readDirectoryRepository(partition, repoId);
  const organisation = readOrganisation(partition, orgId);
  if (listed?.orgId !== orgId || organisation?.ownerId !== ownerId) return;
  if (listed.ownership && listed.ownership.at > askedAt) return;
  if (!answer.confirmed) {
    const { confirmed, cause, ...other } = answer;
    return writeDirectoryRepository(partition, { ...listed, ownership: { confirmed, at: askedAt, cause, ...other } });
  }
  if (listed.claimed || !listed.ownership?.confirmed) proveOwner(partition, listed, organisation, { at, partitions });
  const { claimed: _, contenders: __, ...proved } = listed;
  const ownership = { confirmed: true as const, at: askedAt, fullName: answer.fullName };
  writeDirectoryRepository(partition, { ...proved, ownership });
  proveOrganisation(partition, withNumber(partition, organisation, answer.ownerId), answer.login, told, at);
}

/** An organization that was known by its login alone, with the number of its owner, unless that is another one's by now. */
function withNumber(
  partition: Partition,
  organisation: OrganisationRecord,
  ownerId: string | undefined,
): OrganisationRecord {
  if (ownerId === undefined || ownerNumber(organisation) !== null) return organisation;
  if (!isFreeNumber(partition, organisation, ownerId)) return organisation;
  const { ownerProof: _, ...numbered } = organisation;
  return { ...numbered, ownerId };
}

/** Tells the partition of a claimed repository who owns it: the organization that claims it, or another one. */
export function proveOwner(
  partition: Partition,
  { id, orgId }: DirectoryRepository,
  owner: OrganisationRecord,
  { at, partitions }: { at: number; partitions: number },
): void {
  if (owner.ownerId === null || partitions === 0) return;
  const target = partitionName(partitionOf(slotOfId(id) as number, partitions));
  const refuted = orgId === owner.id ? null : orgId;
  const body = { relay: 'ownerProved' as const, repoId: id, ownerId: owner.ownerId, orgId: owner.id, refuted };
  writeEffect(partition, { effect: 'relay', target, at, body });
}

/** The owner's number is proved, and its login is the one that the host names, unless a later rename is known. */
function proveOrganisation(
  partition: Partition,
  before: OrganisationRecord,
  login: string,
  { askedAt, partitions }: Pick<OwnerAnswered, 'askedAt' | 'partitions'>,
  at: number,
): void {
  const isRename = login !== before.login && askedAt >= (before.namedAt ?? 0);
  const after: OrganisationRecord = {
    ...before,
    ownerProof: 'proved',
    ...(isRename && { login, namedAt: askedAt }),
  };
  if (before.ownerProof !== 'proved' || isRename) writeOrganisation(partition, after);
  if (isRename) renameAll(partition, after, at, partitions);
}

/** Every full name under a renamed owner changes with it, here and in the partitions. */
export function renameAll(
  partition: Partition,
  organisation: OrganisationRecord,
  at: number,
  partitions: number,
): void {
  const { id, login, ownerId } = organisation;
  for (const repository of listDirectoryRepositories(partition, id)) {
    const [former = '', name = ''] = repository.fullName.split('/');
    writeDirectoryRepository(partition, { ...repository, fullName: `${login}/${name}` });
    if (partitions === 0 || ownerId === null) continue;
    const target = partitionName(partitionOf(slotOfId(repository.id) as number, partitions));
    const body = { relay: 'ownerRenamed' as const, repoId: repository.id, ownerId, login, former };
    writeEffect(partition, { effect: 'relay', target, at, body });
  }
}
