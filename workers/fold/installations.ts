/**
 * Folds events of an app's installation into the directory: which repositories of an owner are connected, and when the
 * app was removed.
 */
import { unreachable } from '../../src/foundation/unreachable.ts';
import type { InstallationBody } from '../../src/protocol/events.ts';
import type { InstallationRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type ConnectionState,
  type Contender,
  type DirectoryRepository,
  isRefutedFor,
  listDirectoryRepositories,
  type OrganizationRecord,
  readDirectoryRepository,
  writeDirectoryRepository,
  writeOrganization,
} from '../../src/store/tables/directory.ts';
import { correctedTime } from '../../src/store/tables/retention.ts';
import { type Change, writeConnection } from './connections.ts';
import { bindClaimant, recordOrganization } from './directory.ts';
import { proveOwner, renameAll } from './owners.ts';

/**
 * Folds one delivery about an installation. A delivery signed with an organization's own secret is a claim. A claim
 * changes no login, and connects only repositories that no other organization has.
 */
export function foldInstallation(partition: Partition, record: InstallationRecord): void {
  const { body, at, partitions = 0, signedBy } = record;
  const organization = signedBy
    ? bindClaimant(partition, signedBy.org, body.owner)
    : recordOrganization(partition, body.origin, body.owner, { at, seenAt: at, isProof: signedBy === null });
  if (!organization) return;
  const isSelection = body.action === 'selected';
  const change = { id: record.id, at, cause: isSelection ? 'selection' : 'installation' } as const;
  switch (body.action) {
    case 'installed':
      markInstalled(partition, organization, null);
      break;
    case 'uninstalled':
      markInstalled(partition, organization, correctedTime(partition, at));
      disconnectAll(partition, organization, body.installationId, change);
      break;
    case 'renamed':
      if (!signedBy) renameAll(partition, organization, at, partitions);
      return;
    case 'selected':
      break;
    default:
      unreachable(body.action, `Unknown action of an app installation: ${JSON.stringify(body.action)}.`);
  }
  if (body.action !== 'uninstalled')
    for (const added of body.added) connect(partition, organization, record, added, change);
  for (const { id } of body.removed) leave(partition, organization, id, change);
}

function markInstalled(partition: Partition, organization: OrganizationRecord, uninstalledAt: number | null): void {
  writeOrganization(partition, { ...organization, uninstalledAt });
}

function disconnectAll(partition: Partition, { id }: OrganizationRecord, installationId: string, change: Change): void {
  for (const repository of listDirectoryRepositories(partition, id)) {
    if (repository.installationId === null || repository.installationId === installationId) {
      writeConnection(partition, repository, { ...repository, state: 'disconnected' }, change);
    }
  }
}

function connect(
  partition: Partition,
  organization: OrganizationRecord,
  { body: { installationId, owner }, at, partitions = 0, signedBy }: InstallationRecord,
  added: InstallationBody['added'][number],
  change: Change,
): void {
  const listed = readDirectoryRepository(partition, added.id);
  const isForeign = listed !== undefined && listed.orgId !== organization.id;
  if (isForeign && signedBy && !isRefutedFor(listed, organization, owner.id))
    return contend(partition, listed, { orgId: organization.id, installationId });
  if (listed?.claimed && (isForeign || !signedBy)) proveOwner(partition, listed, organization, { at, partitions });
  // Data that was stored under one organization's claim must not be used for another organization.
  const before = isForeign && listed.claimed ? undefined : listed;
  const state: ConnectionState = 'connected';
  const fresh = { defaultBranch: null, createdAt: at, seenAt: 0 };
  const { id, hostId, fullName } = added;
  const { claimed, contenders, ...known } = before ?? { ...fresh, fullName, claimed: undefined, contenders: undefined };
  const isClaim = signedBy && (!before || claimed);
  const after: DirectoryRepository = {
    ...{ ...known, id, hostId, orgId: organization.id, state, installationId },
    ...(isClaim && { claimed: true }),
    ...(isClaim && contenders && { contenders }),
  };
  writeConnection(partition, listed, after, change);
}

/**
 * Maximum number of contenders that are remembered per repository. A contender is an organization whose installation
 * includes a repository that another organization only claims.
 */
const maxContenders = 8;

/**
 * Stores a contender (see `maxContenders`). Requests to the host about the owner can then use the contender's
 * installation as well as the claimant's installation.
 */
function contend(partition: Partition, listed: DirectoryRepository, contender: Contender): void {
  const others = (listed.contenders ?? []).filter(({ orgId }) => orgId !== contender.orgId);
  if (!listed.claimed || others.length >= maxContenders) return;
  writeDirectoryRepository(partition, { ...listed, contenders: [...others, contender] });
}

/**
 * Removes a repository from an installation. A former owner cannot remove a repository that has another owner by now.
 */
function leave(partition: Partition, { id: orgId }: OrganizationRecord, repoId: string, change: Change): void {
  const repository = readDirectoryRepository(partition, repoId);
  if (repository?.orgId === orgId)
    writeConnection(partition, repository, { ...repository, state: 'unselected' }, change);
}
