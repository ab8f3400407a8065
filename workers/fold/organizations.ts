/**
 * The directory's part of retention: an organisation goes a month after its app was removed, with its keys, its webhook
 * secrets and its list of repositories; each partition hears of its repositories by a relay. A re-install meanwhile keeps it.
 */
import { dayMs } from '../../src/foundation/days.ts';
import { partitionOf, slotOfId } from '../../src/foundation/ids.ts';
import { erasedRecords } from '../../src/foundation/metrics.ts';
import { partitionName } from '../../src/journal/subjects.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { DueOrganisation, OrganisationsWait, SweepBody } from '../../src/protocol/retention.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeChannelsBut } from '../../src/store/tables/channels.ts';
import {
  listDirectoryRepositories,
  listKeys,
  listOrganisations,
  readOrganisation,
  removeDirectoryRepository,
  removeKey,
  removeOrganisation,
  writeDirectoryRepository,
  writeOrganisation,
} from '../../src/store/tables/directory.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { readPolicy, removePolicy } from '../../src/store/tables/policies.ts';
import {
  isFreeShare,
  isUninstalled,
  noCounts,
  noteErasure,
  organisationKeepingMs,
  readWaitingOrganisations,
  writeLastSweep,
  writeWaitingOrganisations,
} from '../../src/store/tables/retention.ts';
import { removeSuppressions } from '../../src/store/tables/suppressions.ts';
import { standardTier, writeTier } from '../../src/store/tables/tiers.ts';
import { removeKeyUse, removeUsage } from '../../src/store/tables/usage.ts';
import { listWebhookEndpoints } from '../../src/store/tables/webhook-endpoints.ts';
import { listWebhookSecrets, removeWebhookSecret } from '../../src/store/tables/webhook-secrets.ts';
import { eraseWebhookEndpoint } from './webhook-queue.ts';

type Sweep = Omit<Extract<SweepBody, { sweep: 'organisations' }>, 'sweep'>;

/** Erases the organisations of a sweep, or, when that is more than may go without a word, leaves them waiting. */
export function sweepOrganisations(partition: Partition, sweep: Sweep, at: number): void {
  calm(partition, at);
  const organisations = sweep.organisations.filter((each) => isUninstalled(partition, each) && isOver(each, at));
  const { partitions, shares, kept = [] } = sweep;
  const isHeld = organisations.length > 0 && !shares.every(({ records, total }) => isFreeShare(records, total));
  if (isHeld) {
    return writeWaitingOrganisations(partition, {
      ...{ cause: 'organisations', organisations, partitions, shares },
      ...(kept.length > 0 && { kept }),
    });
  }
  writeWaitingOrganisations(partition, undefined);
  for (const { id } of organisations) eraseOrganisation(partition, id, { partitions, kept, at });
  writeLastSweep(partition, { at, before: null, erased: noCounts() });
}

/** A removal in the future was told by a clock that ran ahead: its month begins today. */
function calm(partition: Partition, at: number): void {
  for (const organisation of listOrganisations(partition)) {
    const { uninstalledAt } = organisation;
    if (uninstalledAt !== null && uninstalledAt > at + dayMs)
      writeOrganisation(partition, { ...organisation, uninstalledAt: at });
  }
}

function isOver({ uninstalledAt }: DueOrganisation, at: number): boolean {
  return uninstalledAt <= at - organisationKeepingMs;
}

/**
 * Erases the organisations that an operator has allowed. One that was installed again since stays.
 * @returns whether exactly this waited
 */
export function approveOrganisations(partition: Partition, wait: OrganisationsWait, at: number): boolean {
  const waiting = readWaitingOrganisations(partition);
  if (JSON.stringify(waiting) !== JSON.stringify(wait)) return false;
  writeWaitingOrganisations(partition, undefined);
  const gone = wait.organisations.filter((due) => isUninstalled(partition, due));
  const { partitions, kept = [] } = wait;
  for (const { id } of gone) eraseOrganisation(partition, id, { partitions, kept, at });
  return true;
}

/**
 * All that the directory knows of an organisation, but for what it takes to show the notes of the repositories that are kept. What
 * else it comes to hold of one is erased here too.
 */
function eraseOrganisation(
  partition: Partition,
  orgId: string,
  { partitions, kept, at }: { partitions: number; kept: readonly string[]; at: number },
): void {
  const { ownerId = null, uninstalledAt = null } = readOrganisation(partition, orgId) ?? {};
  const all = listDirectoryRepositories(partition, orgId);
  const isKeeping = ownerId !== null && readPolicy(partition, orgId).keepPublishedAfterUninstall;
  const staying = all.filter(({ id, claimed }) => isKeeping && !claimed && kept.includes(id));
  const stayingIds = new Set(staying.map(({ id }) => id));
  // The owner can have been renamed since its partition was told of a repository.
  const loginIn = ({ fullName }: { fullName: string }) => fullName.split('/')[0] as string;
  const repositories = all.filter(({ id }) => !stayingIds.has(id));
  for (const { id, claimed, fullName } of repositories) {
    removeDirectoryRepository(partition, id);
    const erased = { orgId, ownerId: claimed ? null : ownerId, login: loginIn({ fullName }) };
    const isTold = claimed === true || ownerId !== null;
    tellErased(partition, { repoId: id, ...(isTold && erased) }, partitions, at);
  }
  for (const repository of staying) {
    if (repository.keptSince === uninstalledAt) continue;
    const keptSince = uninstalledAt ?? at;
    writeDirectoryRepository(partition, { ...repository, state: 'disconnected', keptSince });
    tellErased(
      partition,
      { repoId: repository.id, orgId, ownerId, login: loginIn(repository), keepPublished: true },
      partitions,
      at,
    );
  }
  const keys = listKeys(partition).filter((key) => key.orgId === orgId);
  for (const key of keys) {
    removeKey(partition, key);
    removeKeyUse(partition, key.id);
  }
  removeUsage(partition, orgId);
  writeTier(partition, orgId, standardTier);
  const secrets = listWebhookSecrets(partition, orgId);
  for (const secret of secrets) removeWebhookSecret(partition, secret);
  removeChannelsBut(partition, orgId, stayingIds);
  if (staying.length === 0) removePolicy(partition, orgId);
  removeSuppressions(partition, orgId);
  const endpoints = listWebhookEndpoints(partition, orgId);
  for (const endpoint of endpoints) eraseWebhookEndpoint(partition, endpoint);
  if (staying.length === 0) removeOrganisation(partition, orgId);
  // What was kept before is looked at with each sweep, and nothing goes.
  const isNews = staying.some(({ keptSince }) => keptSince !== uninstalledAt);
  if (staying.length === 0 || isNews || repositories.length + keys.length > 0) noteErasure(partition);
  const counts = {
    organisations: staying.length === 0 ? 1 : 0,
    keys: keys.length,
    secrets: secrets.length,
    endpoints: endpoints.length,
    repositories: repositories.length,
  };
  for (const [kind, number] of Object.entries(counts)) erasedRecords.inc({ partition: partition.name, kind }, number);
}

function tellErased(
  partition: Partition,
  told: Omit<Extract<RelayBody, { relay: 'repositoryErased' }>, 'relay'>,
  partitions: number,
  at: number,
): void {
  const target = partitionName(partitionOf(slotOfId(told.repoId) as number, partitions));
  writeEffect(partition, { effect: 'relay', target, at, body: { relay: 'repositoryErased', ...told } });
}
