/**
 * Folds what an app's installation tells into the directory: which repositories of an owner are connected, and since when
 * the app is gone.
 */
import { partitionOf, slotOfId } from '../../src/ids.ts';
import { partitionName } from '../../src/journal/subjects.ts';
import type { InstallationBody } from '../../src/protocol/events.ts';
import type { InstallationRecord } from '../../src/protocol/journal.ts';
import {
  type ConnectionState,
  listDirectoryRepositories,
  type OrganisationRecord,
  readDirectoryRepository,
  writeDirectoryRepository,
  writeOrganisation,
} from '../../src/store/directory.ts';
import { writeEffect } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { toldAt } from '../../src/store/retention.ts';
import { meetOrganisation } from './directory.ts';

/** Folds one delivery about an installation. */
export function foldInstallation(partition: Partition, { body, at, partitions }: InstallationRecord): void {
  const organisation = meetOrganisation(partition, body.origin, body.owner, { at, seenAt: at });
  switch (body.action) {
    case 'installed':
      markInstalled(partition, organisation, null);
      break;
    case 'uninstalled':
      markInstalled(partition, organisation, toldAt(partition, at));
      disconnectAll(partition, organisation, body.installationId);
      break;
    case 'renamed':
      return renameAll(partition, organisation, at, partitions);
    case 'selected':
      break;
  }
  if (body.action !== 'uninstalled') for (const added of body.added) connect(partition, organisation, body, added, at);
  for (const { id } of body.removed) leave(partition, organisation, id);
}

function markInstalled(partition: Partition, organisation: OrganisationRecord, uninstalledAt: number | null): void {
  writeOrganisation(partition, { ...organisation, uninstalledAt });
}

function disconnectAll(partition: Partition, { id }: OrganisationRecord, installationId: string): void {
  for (const repository of listDirectoryRepositories(partition, id)) {
    if (repository.installationId === null || repository.installationId === installationId) {
      writeDirectoryRepository(partition, { ...repository, state: 'disconnected' });
    }
  }
}

/** Every full name under a renamed owner changes with it, here and in the partitions. */
function renameAll(partition: Partition, organisation: OrganisationRecord, at: number, partitions = 0): void {
  const { id, login, ownerId } = organisation;
  for (const repository of listDirectoryRepositories(partition, id)) {
    const name = repository.fullName.slice(repository.fullName.indexOf('/') + 1);
    writeDirectoryRepository(partition, { ...repository, fullName: `${login}/${name}` });
    if (partitions === 0 || ownerId === null) continue;
    const target = partitionName(partitionOf(slotOfId(repository.id) as number, partitions));
    const body = { relay: 'ownerRenamed' as const, repoId: repository.id, ownerId, login };
    writeEffect(partition, { effect: 'relay', target, at, body });
  }
}

function connect(
  partition: Partition,
  organisation: OrganisationRecord,
  { installationId }: InstallationBody,
  added: InstallationBody['added'][number],
  at: number,
): void {
  const before = readDirectoryRepository(partition, added.id);
  const state: ConnectionState = 'connected';
  const fresh = { defaultBranch: null, createdAt: at, seenAt: 0 };
  const { id, hostId, fullName } = added;
  const known = before ?? { ...fresh, fullName };
  writeDirectoryRepository(partition, { ...known, id, hostId, orgId: organisation.id, state, installationId });
}

/** A repository that moved to another owner meanwhile is not the former owner's to take away. */
function leave(partition: Partition, { id: orgId }: OrganisationRecord, repoId: string): void {
  const repository = readDirectoryRepository(partition, repoId);
  if (repository?.orgId === orgId) writeDirectoryRepository(partition, { ...repository, state: 'unselected' });
}
