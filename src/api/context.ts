/**
 * Carries out API writes, and defines the context that all API handlers share. A write is sent to the journal as a
 * command. After the partition has folded the command, the stored result of the command is read (`docs/architecture.md`
 * decision 21).
 */
import type { Settings } from '../../config/schema.ts';
import { type AuditOutcome, type Auditor, auditedCommand } from '../foundation/audit.ts';
import { type ErrorKind, notFound, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId, ulid } from '../foundation/ids.ts';
import { directoryName, type PartitionName, partitionName } from '../foundation/partition-names.ts';
import type { Sealer } from '../foundation/seal.ts';
import type { Journal } from '../journal/connect.ts';
import type { Lane } from '../journal/lane.ts';
import type { FoldedSignals } from '../journal/signal.ts';
import type { DurabilityLevel } from '../journal/topology.ts';
import type { CommandResult, Once } from '../protocol/commands.ts';
import type { CommandRecord } from '../protocol/journal.ts';
import type { RecentMemory } from '../protocol/recent-deliveries.ts';
import type { RefusalMemory } from '../protocol/refused-deliveries.ts';
import { incarnationOf } from '../store/belonging.ts';
import type { Partition } from '../store/partition.ts';
import type { RequestReaders } from '../store/readers.ts';
import type { ReadyResponses } from '../store/ready-responses.ts';
import { readDirectoryRepository } from '../store/tables/directory.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { readResult } from '../store/tables/results.ts';
import type { EventHub } from './event-hub.ts';
import type { OtherGateways } from './other-gateways.ts';
import type { Reading } from './positions.ts';

/** The parts of the gateway that handlers use. */
export interface ApiContext {
  settings: Settings;
  journal: Journal;
  readers: RequestReaders;
  signals: FoldedSignals;
  /** Responses that are ready to send. */
  responses: Pick<ReadyResponses, 'remembered' | 'read'>;
  laneOf: (partition: PartitionName) => Lane;
  /** Seals the secrets of writes before they are enqueued. */
  sealer: Sealer;
  /** Memory of refused deliveries. Only the gateway process has this memory; the command line does not. */
  refusals?: RefusalMemory;
  /** What the request has read and written. Only requests to a node of a cluster have it. */
  reading?: Reading;
  /** Streams of live events. Only the gateway process has them; the command line does not. */
  events?: EventHub;
  /** Memory of the newest deliveries that were not refused. Only the gateway process has it. */
  recent?: RecentMemory;
  /** The other gateways of the service. Undefined if there are none. */
  gateways?: OtherGateways;
  /** Facts of the gateway process. Only the gateway process has them. */
  facts?: { startedAt: number; durability?: DurabilityLevel };
  /** Writes the audit log, with the author of each write. Undefined when no audit log is written. */
  auditor?: Auditor;
}

/** One use of an Idempotency-Key. It is sent with the command that the request causes. */
export interface Use extends Once {
  /** The partition that stores the result of the command. */
  partition: PartitionName;
  /** Set to true when the fold finds that the command repeats an earlier one. */
  replayed: boolean;
}

const resultMs = 10_000;
/**
 * Maximum interval between two reads of the store while waiting for a result. The wait does not rely on signals alone,
 * since a signal can be lost.
 */
const pollMs = 250;

/** Returns the partition that an id belongs to; undefined for a text that is not an id of this service. */
export function partitionOfId(context: ApiContext, id: string): PartitionName | undefined {
  const slot = slotOfId(id);
  return slot === undefined ? undefined : partitionName(partitionOf(slot, context.settings.partitions));
}

/**
 * Opens the current state of a partition for reading.
 * @throws ServiceError `unavailable` while the worker that owns the partition has not opened it
 */
export function readPartition(context: ApiContext, name: PartitionName): Partition {
  return context.readers.fresh(name) ?? unavailable();
}

/**
 * Like `readPartition`, but shares the state of the partition with the other requests of this turn of the event loop.
 * Only for the start of a request, before its first `await`.
 * @throws ServiceError `unavailable` while the worker that owns the partition has not opened it
 */
export function currentPartition({ readers }: ApiContext, name: PartitionName): Partition {
  return readers.current(name) ?? unavailable();
}

function unavailable(): never {
  throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
}

/**
 * Returns the current incarnation of a repository. A repository that was erased and added again has a new incarnation.
 * Writes are sent with the incarnation, so that a late write does not change the new repository.
 * @throws ServiceError `notFound` for a repository that is only claimed and has not sent an event yet
 */
export function incarnationFor(context: ApiContext, repoId: string): { life?: number } {
  const stored = readRepository(readPartition(context, partitionOfId(context, repoId) as PartitionName), repoId);
  const incarnation = incarnationOf(readDirectoryRepository(readPartition(context, directoryName), repoId), stored);
  if (!incarnation) throw notFound('Repository', repoId);
  return incarnation;
}

/**
 * Carries out a write, waits for its result and writes the audit log.
 * @param use the Idempotency-Key of the request, which makes the write safe to repeat. A repetition returns the value
 *   of the first request, sets `replayed` and is not audited again.
 * @returns the value of the result
 * @throws ServiceError the expected failure of the command, or `unavailable` when the outcome of the command is not
 * known in time
 */
export async function runCommand<T>(
  context: ApiContext,
  name: PartitionName,
  command: CommandRecord['command'],
  use?: Use,
): Promise<T> {
  let result: CommandResult;
  try {
    result = await resultOf(context, name, command, use);
  } catch (error) {
    await audited(context, name, command, 'unknown');
    throw error;
  }
  if (use && result.replayed) use.replayed = true;
  else if (result.ok) await audited(context, name, command, 'done', result.value);
  return valueOrThrow<T>(result);
}

/**
 * @throws ServiceError `unavailable` when the journal does not accept the command, or the result of the command does
 * not arrive in time
 */
async function resultOf(
  context: ApiContext,
  name: PartitionName,
  command: CommandRecord['command'],
  use: Use | undefined,
): Promise<CommandResult> {
  const id = ulid();
  const once = use && { once: { scope: use.scope, fingerprint: use.fingerprint } };
  const { seq } = await context.laneOf(name).enqueue({ id, at: Date.now(), kind: 'command', command, ...once });
  context.reading?.wrote(name, seq);
  const deadline = performance.now() + resultMs;
  for (;;) {
    const result = readResult(readPartition(context, name), id);
    if (result) return result;
    const left = deadline - performance.now();
    if (left <= 0)
      throw new ServiceError('unavailable', 'The service has accepted the write, but has not applied it yet.', {
        retryAfter: 1,
      });
    await context.signals.wait(name, seq, Math.min(pollMs, left));
  }
}

async function audited(
  { auditor }: ApiContext,
  name: PartitionName,
  command: CommandRecord['command'],
  outcome: AuditOutcome,
  value?: unknown,
): Promise<void> {
  const about = auditor && auditedCommand(name, command, value);
  if (!about) return;
  const { by, requestId } = auditor;
  await auditor.write({ ...about, outcome, by, ...(requestId !== undefined && { requestId }) });
}

/**
 * Returns the value of a stored result.
 * @throws ServiceError the failure that the result contains, if the command failed
 */
export function valueOrThrow<T>(result: CommandResult): T {
  if (result.ok) return result.value as T;
  throw new ServiceError(result.kind as ErrorKind, result.message, result.details ? { details: result.details } : {});
}
