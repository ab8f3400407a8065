/**
 * Shows an operator the data that a sweep would erase now, and the erasures that wait for approval. The operator can
 * approve the waiting erasures (`docs/architecture.md` decision 19). Only instance keys may use these operations,
 * because they concern all organizations.
 */
import { createHash } from 'node:crypto';
import { toDate, yearBefore } from '../foundation/days.ts';
import { invalid, notFound } from '../foundation/errors.ts';
import { directoryName, type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import { askDue, type PartitionDue } from '../journal/retention.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type ApproveRetentionBody,
  ApproveRetentionBodySchema,
  retentionContracts,
} from '../protocol/resources/retention.ts';
import type { RecordCounts, RetentionStatus, Wait } from '../protocol/retention.ts';
import type { Partition } from '../store/partition.ts';
import { isKeptAlone, listDirectoryRepositories, listOrganizations } from '../store/tables/directory.ts';
import { noCounts, organizationKeepingMs, retentionStatus } from '../store/tables/retention.ts';
import { assertInstance } from './authenticate.ts';
import { type ApiContext, readPartition, runCommand } from './context.ts';
import type { ApiRoute } from './route.ts';
import { check } from './validate.ts';

/**
 * An erasure that waits for approval. Its id changes when its content changes, so that an approval always concerns the
 * content that the operator has seen.
 */
export interface Waiting {
  partition: PartitionName;
  id: string;
  wait: Wait;
}

const showRetention: ApiRoute = {
  method: 'GET',
  path: '/api/retention',
  operation: 'showRetention',
  contract: retentionContracts.showRetention,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: async ({ caller, context }) => {
    assertInstance(caller, 'Retention');
    return { status: 200, body: await describeRetention(context) };
  },
};

const approveRetention: ApiRoute = {
  method: 'POST',
  path: '/api/retention/approve',
  operation: 'approveRetention',
  contract: retentionContracts.approveRetention,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: (body) => check(ApproveRetentionBodySchema, body, 'body'),
  handle: async ({ body, caller, context }) => {
    assertInstance(caller, 'Retention');
    const wanted = check<ApproveRetentionBody>(ApproveRetentionBodySchema, body, 'body');
    return { status: 200, body: { approved: (await approve(context, wanted)).map(shown) } };
  },
};

/**
 * Reports what a sweep would erase now, by partition, repository and organization, and what waits for approval. The
 * report itself erases nothing.
 * @throws ServiceError `unavailable` when the owner of a partition does not answer
 */
export async function describeRetention(context: ApiContext) {
  const now = Date.now();
  const before = yearBefore(now);
  const { partitions } = context.settings;
  const removed = removedOrganizations(readPartition(context, directoryName), now);
  const repositories = removed.flatMap((organization) => organization.repositories);
  // The states are read first. So a report that has a sweep never has counts from before this sweep.
  const states = partitionNames(partitions).map((name) => [name, stateOf(context, name)] as const);
  const due = await askDue(context.journal, partitions, before, repositories);
  const counts = new Map(due.flatMap(({ whole }) => whole.map((each) => [each.repoId, toRow(each)])));
  return {
    before: toDate(before),
    partitions: states.map(([name, state]) => ({ partition: name, ...state, ...dueOf(name, due) })),
    repositories: due.flatMap(({ partition, stale }) => stale.map((each) => ({ partition, ...toRow(each) }))),
    organizations: removed.map((each) => ({ ...each, repositories: each.repositories.map((id) => counts.get(id)) })),
  };
}

function dueOf(name: PartitionName, due: readonly PartitionDue[]) {
  const mine = due.find(({ partition }) => partition === name);
  return mine && { total: mine.total, due: sum(mine.stale.map(({ counts }) => counts)) };
}

function stateOf(context: ApiContext, name: PartitionName) {
  const { trustedTime, lastSweep, waiting } = retentionStatus(readPartition(context, name));
  return {
    trustedTime: trustedTime === 0 ? null : iso(trustedTime),
    lastSweep: lastSweep && describeSweep(lastSweep),
    waiting: waiting.map((wait) => shown({ partition: name, id: idOf(wait), wait })),
  };
}

function describeSweep({ at, before, erased }: NonNullable<RetentionStatus['lastSweep']>) {
  return { at: iso(at), ...(before !== null && { before: toDate(before), erased }) };
}

/**
 * Returns the organizations whose app was uninstalled. `erasedFrom` is the time from which a sweep may erase the data.
 */
function removedOrganizations(directory: Partition, now: number) {
  return listOrganizations(directory).flatMap((organization) => {
    const { id, login, uninstalledAt } = organization;
    if (uninstalledAt === null || isKeptAlone(directory, organization)) return [];
    const from = uninstalledAt + organizationKeepingMs;
    const repositories = listDirectoryRepositories(directory, id).map((repository) => repository.id);
    return { id, login, uninstalledAt: iso(uninstalledAt), erasedFrom: iso(from), due: from <= now, repositories };
  });
}

/** Returns all erasures that wait for approval now. */
export function listWaiting(context: ApiContext): Waiting[] {
  return partitionNames(context.settings.partitions).flatMap((partition) =>
    retentionStatus(readPartition(context, partition)).waiting.map((wait) => ({ partition, id: idOf(wait), wait })),
  );
}

/**
 * Approves waiting erasures, in one partition or in all. When an id is given, approves only the erasure with this id.
 * @returns the erasures that were approved
 * @throws ServiceError `invalid` for an unknown partition, `notFound` when no erasure with this id waits, `conflict`
 *   when the erasure has changed meanwhile
 */
export async function approve(context: ApiContext, wanted: ApproveRetentionBody): Promise<Waiting[]> {
  const names = partitionNames(context.settings.partitions);
  if (wanted.partition !== undefined && !names.includes(wanted.partition))
    throw invalid({ partition: `expected one of ${names.join(', ')}` }, 'The body is invalid.');
  const waiting = listWaiting(context).filter(
    ({ partition, id }) => partition === (wanted.partition ?? partition) && id === (wanted.id ?? id),
  );
  if (wanted.id !== undefined && waiting.length === 0) throw notFound('Waiting erasure', wanted.id);
  for (const { partition, wait } of waiting) await runCommand(context, partition, { name: 'approveRetention', wait });
  return waiting;
}

/**
 * Returns the id of an erasure that waits for approval. If the wait was caused by a clock jump, the id does not depend
 * on the clock's current time. That time changes constantly, and the id would change with it.
 */
function idOf(wait: Wait): string {
  const what = wait.cause === 'clock' ? { cause: wait.cause, from: wait.from } : wait;
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 12);
}

/** Makes the part of the reply that describes a waiting erasure. */
function shown({ partition, id, wait }: Waiting): Record<string, unknown> {
  const what = { partition, id, cause: wait.cause };
  if (wait.cause === 'clock') return { ...what, from: iso(wait.from), to: iso(wait.to) };
  if (wait.cause === 'records')
    return { ...what, before: toDate(wait.before), records: wait.records, total: wait.total };
  const organizations = wait.organisations.map((each) => ({ id: each.id, uninstalledAt: iso(each.uninstalledAt) }));
  return { ...what, cause: 'organizations', organizations, shares: wait.shares };
}

function toRow({ repoId, fullName, counts }: { repoId: string; fullName: string; counts: RecordCounts }) {
  return { repoId, fullName, ...counts };
}

function sum(all: readonly RecordCounts[]): RecordCounts {
  const total = noCounts();
  for (const counts of all)
    for (const kind of Object.keys(total) as (keyof RecordCounts)[]) total[kind] += counts[kind];
  return total;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

export const retentionRoutes = [showRetention, approveRetention];
