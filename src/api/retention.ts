/**
 * Retention for an operator: what a sweep would erase now, what erasing waits for, and the word that lets it go on
 * (`docs/architecture.md` decision 19). For keys of the instance only: it tells of all organisations.
 */
import { createHash } from 'node:crypto';
import { toDate, yearBefore } from '../foundation/days.ts';
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { askDue, type PartitionDue } from '../journal/retention.ts';
import { directoryName, type PartitionName, partitionNames } from '../journal/subjects.ts';
import { type ApproveRetentionBody, ApproveRetentionBodySchema, NoQuerySchema } from '../protocol/api.ts';
import { operatorContracts } from '../protocol/contracts/operations.ts';
import type { RecordCounts, RetentionStatus, Wait } from '../protocol/retention.ts';
import type { Partition } from '../store/partition.ts';
import { isKeptAlone, listDirectoryRepositories, listOrganisations } from '../store/tables/directory.ts';
import { noCounts, organisationKeepingMs, retentionStatus } from '../store/tables/retention.ts';
import type { Caller } from './authenticate.ts';
import { type ApiContext, carryOut, readPartition } from './context.ts';
import type { ApiRoute } from './handle.ts';
import { check } from './validate.ts';

/** Something that waits, with a name for it that changes when it does. */
export interface Waiting {
  partition: PartitionName;
  id: string;
  wait: Wait;
}

const showRetention: ApiRoute = {
  method: 'GET',
  path: '/api/retention',
  operation: 'showRetention',
  contract: operatorContracts.showRetention,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: async ({ caller, context }) => {
    assertInstance(caller);
    return { status: 200, body: await describeRetention(context) };
  },
};

const approveRetention: ApiRoute = {
  method: 'POST',
  path: '/api/retention/approve',
  operation: 'approveRetention',
  contract: operatorContracts.approveRetention,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: (body) => check(ApproveRetentionBodySchema, body, 'body'),
  handle: async ({ body, caller, context }) => {
    assertInstance(caller);
    const wanted = check<ApproveRetentionBody>(ApproveRetentionBodySchema, body, 'body');
    return { status: 200, body: { approved: (await approve(context, wanted)).map(shown) } };
  },
};

function assertInstance({ key }: Caller): void {
  if (key.orgId === null) return;
  throw new ServiceError(
    'forbidden',
    'The API key belongs to one organization; retention needs a key of the instance.',
  );
}

/**
 * What would go now, by partition, repository and organisation, and what waits. Nothing is changed.
 * @throws ServiceError `unavailable` when the owner of a partition does not answer
 */
export async function describeRetention(context: ApiContext) {
  const now = Date.now();
  const before = yearBefore(now);
  const { partitions } = context.settings;
  const removed = removedOrganisations(readPartition(context, directoryName), now);
  const repositories = removed.flatMap((organisation) => organisation.repositories);
  const due = await askDue(context.journal, partitions, before, repositories);
  const counts = new Map(due.flatMap(({ whole }) => whole.map((each) => [each.repoId, toRow(each)])));
  return {
    before: toDate(before),
    partitions: partitionNames(partitions).map((name) => describePartition(context, name, due)),
    repositories: due.flatMap(({ partition, stale }) => stale.map((each) => ({ partition, ...toRow(each) }))),
    organizations: removed.map((each) => ({ ...each, repositories: each.repositories.map((id) => counts.get(id)) })),
  };
}

function describePartition(context: ApiContext, name: PartitionName, due: readonly PartitionDue[]) {
  const { trustedTime, lastSweep, waiting } = retentionStatus(readPartition(context, name));
  const mine = due.find(({ partition }) => partition === name);
  return {
    partition: name,
    trustedTime: trustedTime === 0 ? null : iso(trustedTime),
    lastSweep: lastSweep && describeSweep(lastSweep),
    waiting: waiting.map((wait) => shown({ partition: name, id: idOf(wait), wait })),
    ...(mine && { total: mine.total, due: sum(mine.stale.map(({ counts }) => counts)) }),
  };
}

function describeSweep({ at, before, erased }: NonNullable<RetentionStatus['lastSweep']>) {
  return { at: iso(at), ...(before !== null && { before: toDate(before), erased }) };
}

/** Organisations whose app was removed, with the time from which they are erased. */
function removedOrganisations(directory: Partition, now: number) {
  return listOrganisations(directory).flatMap((organisation) => {
    const { id, login, uninstalledAt } = organisation;
    if (uninstalledAt === null || isKeptAlone(directory, organisation)) return [];
    const from = uninstalledAt + organisationKeepingMs;
    const repositories = listDirectoryRepositories(directory, id).map((repository) => repository.id);
    return { id, login, uninstalledAt: iso(uninstalledAt), erasedFrom: iso(from), due: from <= now, repositories };
  });
}

/** Everything that waits for a word now. */
export function listWaiting(context: ApiContext): Waiting[] {
  return partitionNames(context.settings.partitions).flatMap((partition) =>
    retentionStatus(readPartition(context, partition)).waiting.map((wait) => ({ partition, id: idOf(wait), wait })),
  );
}

/**
 * Gives the word for what waits: in one partition or in all, for one thing by its id or for all of them.
 * @returns what was allowed
 * @throws ServiceError `invalid` for a partition that there is not, `notFound` when nothing of this kind waits, `conflict`
 *   when it has become another meanwhile
 */
export async function approve(context: ApiContext, wanted: ApproveRetentionBody): Promise<Waiting[]> {
  const names = partitionNames(context.settings.partitions);
  if (wanted.partition !== undefined && !names.includes(wanted.partition))
    throw invalid({ partition: `expected one of ${names.join(', ')}` }, 'The body is invalid.');
  const waiting = listWaiting(context).filter(
    ({ partition, id }) => partition === (wanted.partition ?? partition) && id === (wanted.id ?? id),
  );
  if (wanted.id !== undefined && waiting.length === 0) throw notFound('Waiting erasure', wanted.id);
  for (const { partition, wait } of waiting) await carryOut(context, partition, { name: 'approveRetention', wait });
  return waiting;
}

/** That a clock goes on makes it no other one. */
function idOf(wait: Wait): string {
  const what = wait.cause === 'clock' ? { cause: wait.cause, from: wait.from } : wait;
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 12);
}

/** A wait as people read it. */
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
