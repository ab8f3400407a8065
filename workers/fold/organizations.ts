/**
 * Folds the sweeps of the directory partition, which erase organizations. An organization is erased 30 days after its
 * app was removed. The organization's keys, webhook secrets and list of repositories are erased too. Relays report the
 * erasure to the partitions of the organization's repositories. If the app is installed again within 30 days, nothing
 * is erased.
 */
import { dayMs } from '../../src/foundation/days.ts';
import { erasedRecords } from '../../src/foundation/metrics.ts';
import { partitionOfRepository } from '../../src/foundation/partition-names.ts';
import type { KeyRecord, WebhookSecretRecord } from '../../src/protocol/commands.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { DueOrganization, OrganizationsWait, SweepBody } from '../../src/protocol/retention.ts';
import type { WebhookEndpointRecord } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { TablesErasedWith } from '../../src/store/table-registry.ts';
import { removeChannelsBut } from '../../src/store/tables/channels.ts';
import {
  type DirectoryRepository,
  listDirectoryRepositories,
  listKeys,
  listOrganizations,
  readOrganization,
  removeDirectoryRepository,
  removeKey,
  removeOrganization,
  writeDirectoryRepository,
  writeOrganization,
} from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { readPolicy, removePolicy } from '../../src/store/tables/policies.ts';
import {
  isFreeShare,
  isUninstalled,
  noCounts,
  noteErasure,
  organizationKeepingMs,
  readWaitingOrganizations,
  writeLastSweep,
  writeWaitingOrganizations,
} from '../../src/store/tables/retention.ts';
import { removeSessionsOf } from '../../src/store/tables/sessions.ts';
import { removeSuppressions } from '../../src/store/tables/suppressions.ts';
import { standardTier, writeTier } from '../../src/store/tables/tiers.ts';
import { removeKeyUse, removeUsage } from '../../src/store/tables/usage.ts';
import { listWebhookEndpoints } from '../../src/store/tables/webhook-endpoints.ts';
import { listWebhookSecrets, removeWebhookSecret } from '../../src/store/tables/webhook-secrets.ts';
import { count } from './counting.ts';
import { eraseWebhookEndpoint } from './webhook-queue.ts';

type Sweep = Omit<Extract<SweepBody, { sweep: 'organisations' }>, 'sweep'>;

/**
 * Erases the organizations of a sweep. If too many records would be erased without an approval, the organizations wait
 * for an operator's approval.
 */
export function sweepOrganizations(partition: Partition, sweep: Sweep, at: number): void {
  correctFutureRemovals(partition, at);
  const organizations = sweep.organisations.filter((each) => isUninstalled(partition, each) && isOver(each, at));
  const { partitions, shares, kept = [] } = sweep;
  const isHeld = organizations.length > 0 && !shares.every(({ records, total }) => isFreeShare(records, total));
  if (isHeld) {
    return writeWaitingOrganizations(partition, {
      ...{ cause: 'organisations', organisations: organizations, partitions, shares },
      ...(kept.length > 0 && { kept }),
    });
  }
  writeWaitingOrganizations(partition, undefined);
  for (const { id } of organizations) eraseOrganization(partition, id, { partitions, kept, at });
  writeLastSweep(partition, { at, before: null, erased: noCounts() });
}

/**
 * Corrects removal times that are in the future because a clock ran ahead. For an organization with such a time, the 30
 * days begin now.
 */
function correctFutureRemovals(partition: Partition, at: number): void {
  for (const organization of listOrganizations(partition)) {
    const { uninstalledAt } = organization;
    if (uninstalledAt !== null && uninstalledAt > at + dayMs)
      writeOrganization(partition, { ...organization, uninstalledAt: at });
  }
}

function isOver({ uninstalledAt }: DueOrganization, at: number): boolean {
  return uninstalledAt <= at - organizationKeepingMs;
}

/**
 * Erases the organizations that an operator has approved, except those that have installed the app again since the
 * approval.
 * @returns whether exactly the approved organizations were waiting
 */
export function approveOrganizations(partition: Partition, wait: OrganizationsWait, at: number): boolean {
  const waiting = readWaitingOrganizations(partition);
  if (JSON.stringify(waiting) !== JSON.stringify(wait)) return false;
  writeWaitingOrganizations(partition, undefined);
  const gone = wait.organisations.filter((due) => isUninstalled(partition, due));
  const { partitions, kept = [] } = wait;
  for (const { id } of gone) eraseOrganization(partition, id, { partitions, kept, at });
  return true;
}

/** An organization that is being erased, and the data that the directory has about it. */
interface Erasing {
  partition: Partition;
  orgId: string;
  /** `repositories` are erased. `staying` are kept, because they have published notes. */
  repositories: readonly DirectoryRepository[];
  staying: readonly DirectoryRepository[];
  stayingIds: ReadonlySet<string>;
  keys: readonly KeyRecord[];
  secrets: readonly WebhookSecretRecord[];
  endpoints: readonly WebhookEndpointRecord[];
  ownerId: string | null;
  uninstalledAt: number | null;
  partitions: number;
  at: number;
}

/**
 * Erases everything that the directory has about an organization. If notes of some repositories are kept, the data that
 * is needed to show these notes is kept too.
 */
function eraseOrganization(
  partition: Partition,
  orgId: string,
  { partitions, kept, at }: { partitions: number; kept: readonly string[]; at: number },
): void {
  const { ownerId = null, uninstalledAt = null } = readOrganization(partition, orgId) ?? {};
  const all = listDirectoryRepositories(partition, orgId);
  const isKeeping = ownerId !== null && readPolicy(partition, orgId).keepPublishedAfterUninstall;
  const staying = all.filter(({ id, claimed }) => isKeeping && !claimed && kept.includes(id));
  const stayingIds = new Set(staying.map(({ id }) => id));
  const repositories = all.filter(({ id }) => !stayingIds.has(id));
  const keys = listKeys(partition).filter((key) => key.orgId === orgId);
  const secrets = listWebhookSecrets(partition, orgId);
  const endpoints = listWebhookEndpoints(partition, orgId);
  const held = { repositories, staying, stayingIds, keys, secrets, endpoints };
  const erasing: Erasing = { partition, orgId, ...held, ownerId, uninstalledAt, partitions, at };
  for (const erase of new Set(Object.values(erasers))) erase(erasing);
  // If notes are kept, every sweep processes the organization again. An erasure is recorded only if this sweep erased
  // something or is the first to keep these notes.
  const isNewlyKept = staying.some(({ keptSince }) => keptSince !== uninstalledAt);
  if (staying.length === 0 || isNewlyKept || repositories.length + keys.length > 0) noteErasure(partition);
  const erased = {
    organisations: staying.length === 0 ? 1 : 0,
    keys: keys.length,
    secrets: secrets.length,
    endpoints: endpoints.length,
    repositories: repositories.length,
  };
  for (const [kind, number] of Object.entries(erased))
    count(partition, erasedRecords, { partition: partition.name, kind }, number);
}

function eraseRepositories({
  partition,
  orgId,
  repositories,
  staying,
  ownerId,
  uninstalledAt,
  partitions,
  at,
}: Erasing): void {
  // The login is taken from the repository's full name in the directory, because the repository's partition knows this
  // login. The organization's current login can be different after a rename.
  const loginIn = ({ fullName }: { fullName: string }) => fullName.split('/')[0] as string;
  for (const { id, claimed, fullName } of repositories) {
    removeDirectoryRepository(partition, id);
    const erased = { orgId, ownerId: claimed ? null : ownerId, login: loginIn({ fullName }) };
    const namesOwner = claimed === true || ownerId !== null;
    relayErased(partition, { repoId: id, ...(namesOwner && erased) }, partitions, at);
  }
  for (const repository of staying) {
    if (repository.keptSince === uninstalledAt) continue;
    const keptSince = uninstalledAt ?? at;
    writeDirectoryRepository(partition, { ...repository, state: 'disconnected', keptSince });
    relayErased(
      partition,
      { repoId: repository.id, orgId, ownerId, login: loginIn(repository), keepPublished: true },
      partitions,
      at,
    );
  }
}

function eraseKeys({ partition, keys }: Erasing): void {
  for (const key of keys) {
    removeKey(partition, key);
    removeKeyUse(partition, key.id);
    removeSessionsOf(partition, key.id);
  }
}

function eraseSecrets({ partition, secrets }: Erasing): void {
  for (const secret of secrets) removeWebhookSecret(partition, secret);
}

function eraseEndpoints({ partition, endpoints }: Erasing): void {
  for (const endpoint of endpoints) eraseWebhookEndpoint(partition, endpoint);
}

function eraseChannels({ partition, orgId, stayingIds }: Erasing): void {
  removeChannelsBut(partition, orgId, stayingIds);
}

function erasePolicy({ partition, orgId, staying }: Erasing): void {
  if (staying.length === 0) removePolicy(partition, orgId);
}

function eraseRecord({ partition, orgId, staying }: Erasing): void {
  if (staying.length === 0) removeOrganization(partition, orgId);
}

/**
 * The functions that erase the tables of an organization, in the order in which they run. One function can erase
 * several tables. The type requires a function for every table that the registry erases with `organization`.
 */
const erasers: Readonly<Record<TablesErasedWith<'organization'>, (erasing: Erasing) => void>> = {
  directoryRepositories: eraseRepositories,
  repositoriesByName: eraseRepositories,
  repositoriesByNumber: eraseRepositories,
  keys: eraseKeys,
  keysByHash: eraseKeys,
  keysInUse: eraseKeys,
  sessions: eraseKeys,
  sessionsByKey: eraseKeys,
  sessionsByEnd: eraseKeys,
  signInCodes: eraseKeys,
  usage: ({ partition, orgId }) => removeUsage(partition, orgId),
  tiers: ({ partition, orgId }) => writeTier(partition, orgId, standardTier),
  webhookSecrets: eraseSecrets,
  webhookSecretsByOwner: eraseSecrets,
  channels: eraseChannels,
  policies: erasePolicy,
  suppressions: ({ partition, orgId }) => removeSuppressions(partition, orgId),
  webhookEndpoints: eraseEndpoints,
  webhookEndpointsByOrganization: eraseEndpoints,
  webhookDeliveries: eraseEndpoints,
  webhookDeliveriesById: eraseEndpoints,
  webhookDeliveriesByTime: eraseEndpoints,
  webhookQueue: eraseEndpoints,
  organizations: eraseRecord,
  organizationsByOwner: eraseRecord,
  organizationsByLogin: eraseRecord,
};

function relayErased(
  partition: Partition,
  erased: Omit<Extract<RelayBody, { relay: 'repositoryErased' }>, 'relay'>,
  partitions: number,
  at: number,
): void {
  const target = partitionOfRepository(erased.repoId, partitions);
  writeEffect(partition, { effect: 'relay', target, at, body: { relay: 'repositoryErased', ...erased } });
}
