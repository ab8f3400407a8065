/**
 * Folds what an app's installation tells into the directory: which repositories of an owner are connected, and since when
 * the app is gone.
 */
import type { InstallationBody } from '../../src/protocol/events.ts';
import type { InstallationRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type ConnectionState,
  type Contender,
  type DirectoryRepository,
  isRefutedFor,
  listDirectoryRepositories,
  type OrganisationRecord,
  readDirectoryRepository,
  writeDirectoryRepository,
  writeOrganisation,
} from '../../src/store/tables/directory.ts';
import { toldAt } from '../../src/store/tables/retention.ts';
import { bindClaimant, meetOrganisation } from './directory.ts';
import { proveOwner, renameAll } from './owners.ts';

/**
 * Folds one delivery about an installation. Under an organization's own secret it is a claim: it binds no login, and connects
 * only what no other organization has.
 */
export function foldInstallation(partition: Partition, record: InstallationRecord): void {
  const { body, at, partitions = 0, signedBy } = record;
  const organisation = signedBy
    ? bindClaimant(partition, signedBy.org, body.owner)
    : meetOrganisation(partition, body.origin, body.owner, { at, seenAt: at, isProof: signedBy === null });
  if (!organisation) return;
  switch (body.action) {
    case 'installed':
      markInstalled(partition, organisation, null);
      break;
    case 'uninstalled':
      markInstalled(partition, organisation, toldAt(partition, at));
      disconnectAll(partition, organisation, body.installationId);
      break;
    case 'renamed':
      if (!signedBy) renameAll(partition, organisation, at, partitions);
      return;
    case 'selected':
      break;
  }
  if (body.action !== 'uninstalled') for (const added of body.added) connect(partition, organisation, record, added);
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

function connect(
  partition: Partition,
  organisation: OrganisationRecord,
  { body: { installationId, owner }, at, partitions = 0, signedBy }: InstallationRecord,
  added: InstallationBody['added'][number],
): void {
  const listed = readDirectoryRepository(partition, added.id);
  const isForeign = listed !== undefined && listed.orgId !== organisation.id;
  if (isForeign && signedBy && !isRefutedFor(listed, organisation, owner.id))
    return contend(partition, listed, { orgId: organisation.id, installationId });
  if (listed?.claimed && (isForeign || !signedBy)) proveOwner(partition, listed, organisation, { at, partitions });
  // Nothing of a claim counts for another organization.
  const before = isForeign && listed.claimed ? undefined : listed;
  const state: ConnectionState = 'connected';
  const fresh = { defaultBranch: null, createdAt: at, seenAt: 0 };
  const { id, hostId, fullName } = added;
  const { claimed, contenders, ...known } = before ?? { ...fresh, fullName, claimed: undefined, contenders: undefined };
  const isClaim = signedBy && (!before || claimed);
  writeDirectoryRepository(partition, {
    ...{ ...known, id, hostId, orgId: organisation.id, state, installationId },
    ...(isClaim && { claimed: true }),
    ...(isClaim && contenders && { contenders }),
  });
}

/** Most organizations that are remembered of one repository. */
const mostContenders = 8;

/** What is merely claimed may be another one's, whose installation shows it to the host's client. */
function contend(partition: Partition, listed: DirectoryRepository, contender: Contender): void {
  const others = (listed.contenders ?? []).filter(({ orgId }) => orgId !== contender.orgId);
  if (!listed.claimed || others.length >= mostContenders) return;
  writeDirectoryRepository(partition, { ...listed, contenders: [...others, contender] });
}

/** A repository that moved to another owner meanwhile is not the former owner's to take away. */
function leave(partition: Partition, { id: orgId }: OrganisationRecord, repoId: string): void {
  const repository = readDirectoryRepository(partition, repoId);
  if (repository?.orgId === orgId) writeDirectoryRepository(partition, { ...repository, state: 'unselected' });
}
