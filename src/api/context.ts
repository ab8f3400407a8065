/**
 * What API handlers work with, and how an API write gets its answer: a command on the journal, then its stored result, read
 * once the partition has folded it (`docs/architecture.md` decision 21).
 */
import type { Settings } from '../../config/schema.ts';
import { type AuditOutcome, type Auditor, auditedCommand } from '../foundation/audit.ts';
import { type ErrorKind, notFound, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId, ulid } from '../foundation/ids.ts';
import type { Sealer } from '../foundation/seal.ts';
import type { Journal } from '../journal/connect.ts';
import type { Lane } from '../journal/lane.ts';
import type { FoldedSignals } from '../journal/signal.ts';
import { directoryName, type PartitionName, partitionName } from '../journal/subjects.ts';
import type { CommandResult, Once } from '../protocol/commands.ts';
import type { CommandRecord } from '../protocol/journal.ts';
import type { RefusalMemory } from '../protocol/refused-deliveries.ts';
import { lifeOf } from '../store/belonging.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers } from '../store/readers.ts';
import { readDirectoryRepository } from '../store/tables/directory.ts';
import { readRepository } from '../store/tables/repositories.ts';
import { readResult } from '../store/tables/results.ts';

/** The parts of the gateway that handlers use. */
export interface ApiContext {
  settings: Settings;
  journal: Journal;
  readers: Readers;
  signals: FoldedSignals;
  laneOf: (partition: PartitionName) => Lane;
  /** Seals the secrets of writes before they are enqueued. */
  sealer: Sealer;
  /** Refused deliveries; only the gateway has them. */
  refusals?: RefusalMemory;
  /** Who writes, for the audit log; absent where there is none. */
  auditor?: Auditor;
}

/** One use of an Idempotency-Key; the command that it is for takes it along. */
export interface Use extends Once {
  /** Where the result is kept. */
  partition: PartitionName;
  /** Set when the command turned out to be a repetition. */
  replayed: boolean;
}

const resultMs = 10_000;
/** A signal can be lost; a waiter looks for itself this often. */
const lookMs = 250;

/** The partition an id belongs to; undefined when it is no id of ours. */
export function partitionOfId(context: ApiContext, id: string): PartitionName | undefined {
  const slot = slotOfId(id);
  return slot === undefined ? undefined : partitionName(partitionOf(slot, context.settings.partitions));
}

/**
 * A partition as of now.
 * @throws ServiceError `unavailable` while its owner has not opened it
 */
export function readPartition(context: ApiContext, name: PartitionName): Partition {
  const partition = context.readers.fresh(name);
  if (!partition) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
  return partition;
}

/**
 * The life of a repository that a write to it is meant for.
 * @throws ServiceError `notFound` for one that is merely claimed, and of which no event has told
 */
export function lifeFor(context: ApiContext, repoId: string): { life?: number } {
  const stored = readRepository(readPartition(context, partitionOfId(context, repoId) as PartitionName), repoId);
  const life = lifeOf(readDirectoryRepository(readPartition(context, directoryName), repoId), stored);
  if (!life) throw notFound('Repository', repoId);
  return life;
}

/**
 * Carries out a write, waits for its result and writes the audit log.
 * @param use makes the write safe to repeat: a repetition gets the first one's value, is marked, and is not audited again
 * @returns the value of the result
 * @throws ServiceError the expected failure the command ended in, or `unavailable` when its outcome is not known in time
 */
export async function carryOut<T>(
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
  return settle<T>(result);
}

/** @throws ServiceError `unavailable` when the journal does not take the command, or its result does not come in time */
async function resultOf(
  context: ApiContext,
  name: PartitionName,
  command: CommandRecord['command'],
  use: Use | undefined,
): Promise<CommandResult> {
  const id = ulid();
  const once = use && { once: { scope: use.scope, fingerprint: use.fingerprint } };
  const { seq } = await context.laneOf(name).enqueue({ id, at: Date.now(), kind: 'command', command, ...once });
  const deadline = performance.now() + resultMs;
  for (;;) {
    const result = readResult(readPartition(context, name), id);
    if (result) return result;
    const left = deadline - performance.now();
    if (left <= 0)
      throw new ServiceError('unavailable', 'The write is accepted but not carried out yet.', { retryAfter: 1 });
    await context.signals.wait(name, seq, Math.min(lookMs, left));
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
 * The value of a stored result.
 * @throws ServiceError the expected failure that it is
 */
export function settle<T>(result: CommandResult): T {
  if (result.ok) return result.value as T;
  throw new ServiceError(result.kind as ErrorKind, result.message, result.details ? { details: result.details } : {});
}
