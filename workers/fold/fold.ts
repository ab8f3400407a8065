/**
 * Applies journal records to a partition, each in a child transaction of its own. If a record cannot be folded, its
 * changes are rolled back without affecting other records, and the record becomes a dead letter (`docs/architecture.md`
 * decision 9). The fold is deterministic: it reads only the partition and the record. It must be called inside a
 * transaction.
 */

import { dayMs } from '../../src/foundation/days.ts';
import { duplicates, leadRejected, recordsDeadLettered, recordsFolded } from '../../src/foundation/metrics.ts';
import { nameIn, UnknownKindError, unreachable } from '../../src/foundation/unreachable.ts';
import {
  type Command,
  type CommandResult,
  type DirectoryCommand,
  DirectoryCommandSchema,
} from '../../src/protocol/commands.ts';
import type {
  CommandRecord,
  EventRecord,
  InstallationRecord,
  JournalRecord,
  RelayRecord,
} from '../../src/protocol/journal.ts';
import { Changes } from '../../src/store/changes.ts';
import type { Partition } from '../../src/store/partition.ts';
import { attemptsOf, readDeadLetter, removeDeadLetter, writeDeadLetter } from '../../src/store/tables/dead-letters.ts';
import { countDelayed, lastDue, nextDue, removeDelayed, writeDelayed } from '../../src/store/tables/delayed.ts';
import { addDelivery, recordKey, removeDelivery, writeDelivery } from '../../src/store/tables/deliveries.ts';
import { readTime, writeTime } from '../../src/store/tables/meta.ts';
import { readRelayed, writeRelayed } from '../../src/store/tables/outbox.ts';
import { readResult, writeResult } from '../../src/store/tables/results.ts';
import { foldEvent } from './actor.ts';
import { foldBackfilled } from './backfills.ts';
import { dropClaim, foldProof } from './claims.ts';
import { foldCommand } from './commands.ts';
import { count } from './counting.ts';
import { addToDigest, setAsideAfter } from './digest.ts';
import { foldDirectoryCommand, foldSeen } from './directory.ts';
import { foldApproval } from './erasing-guard.ts';
import { runOnce } from './idempotency.ts';
import { foldInstallation } from './installations.ts';
import { foldClaim, foldVersionRecord, isOfFormerLead, NewerFoldError } from './lead.ts';
import { foldOutcome } from './outcomes.ts';
import { foldErased, followOwner } from './repository.ts';
import { foldSweep } from './sweep.ts';
import { foldTick } from './tick.ts';
import { foldCounted, foldUsage } from './usage.ts';
import { foldWebhookEvent } from './webhook-deliveries.ts';

/** One journal message: its sequence number and its records. */
export interface Message {
  seq: number;
  records: readonly JournalRecord[];
}

/**
 * The position of a record in the journal: the sequence number of its message, and the index of the record in that
 * message.
 */
export interface Place {
  seq: number;
  index: number;
}

/**
 * Folds the records of one journal message.
 * @throws only errors that make the whole partition unusable (I/O errors of the store)
 */
export function foldMessage(partition: Partition, seq: number, records: readonly JournalRecord[]): void {
  let time = readTime(partition);
  let setAside = 0;
  for (const [index, record] of records.entries()) {
    // A record of a former lead changes nothing at all, not even the partition's time.
    if (isOfFormerLead(partition, record)) {
      count(partition, leadRejected, { partition: partition.name, kind: record.kind });
      continue;
    }
    const place = { seq, index };
    const isFolded = foldIsolated(partition, record, place, (isolated) => foldOnce(isolated, record, place));
    if (!isFolded) setAside = setAsideAfter(setAside, index);
    time = timeAfter(time, record);
  }
  writeTime(partition, time);
  if (countDelayed(partition) > 0) setAside = releaseDue(partition, time, setAside);
  countFolded(partition, records);
  addToDigest(partition, { seq, records: records.length, setAside, time });
}

/**
 * Returns the partition's time after a record was folded. This is the highest time of all folded records, with one
 * exception. A tick that is more than a day earlier shows that the clock had run ahead. In that case the partition's
 * time is set back to the time of the tick.
 */
export function timeAfter(time: number, { kind, at }: JournalRecord): number {
  return kind === 'tick' && at < time - dayMs ? at : Math.max(time, at);
}

/** Counts folded records in the metrics, by kind. */
export function countFolded(partition: Partition, records: readonly JournalRecord[]): void {
  const kinds = new Map<string, number>();
  for (const { kind } of records) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  for (const [kind, number] of kinds) count(partition, recordsFolded, { partition: partition.name, kind }, number);
}

/**
 * Folds a record. A replayed record is folded only while its dead letter exists, because two people may have requested
 * the same replay.
 */
function foldOnce(partition: Partition, record: JournalRecord, place: Place): void {
  const { replayed } = record;
  if (replayed && !removeDeadLetter(partition, replayed.seq, replayed.index))
    count(partition, duplicates, { layer: 'replay' });
  else foldRecord(partition, record, place);
}

function foldRecord(partition: Partition, record: JournalRecord, place: Place): void {
  switch (record.kind) {
    case 'event':
      return acceptEvent(partition, record, place);
    case 'backfilled':
      return foldBackfilled(partition, record);
    case 'installation':
      return acceptInstallation(partition, record);
    case 'command':
      return acceptCommand(partition, record);
    case 'result':
      return foldOutcome(partition, record.body, record.at);
    case 'relay':
      return acceptRelay(partition, record);
    case 'tick':
      return foldTick(partition, record.at);
    case 'sweep':
      return foldSweep(partition, record);
    case 'usage':
      return foldUsage(partition, record);
    case 'claim':
      return foldClaim(partition, record);
    case 'foldVersion':
      return foldVersionRecord(partition, record);
    default:
      return unreachable(record, `Unknown kind of record: ${nameIn(record, 'kind')}.`);
  }
}

/**
 * Runs one fold in a child transaction. If the fold fails, the record becomes a dead letter, and the changes that it
 * noted are dropped with its rows.
 * @returns whether the record was folded
 */
function foldIsolated(
  partition: Partition,
  record: JournalRecord,
  place: Place,
  fold: (isolated: Partition) => void,
): boolean {
  const changes = partition.changes && new Changes();
  try {
    partition.root.childTransaction(() => fold(changes ? { ...partition, changes } : partition));
    if (changes) partition.changes?.add(changes);
    return true;
  } catch (error) {
    if (stopsPartition(error)) throw error;
    count(partition, recordsDeadLettered, { partition: partition.name });
    forgetDelivery(partition, record);
    // A replay that fails keeps the place of the dead letter, so the client that requested the replay finds it again.
    const { seq, index } = record.replayed ?? place;
    const attempts = attemptsOf(readDeadLetter(partition, seq, index)) + 1;
    writeDeadLetter(partition, { seq, index, at: record.at, error: (error as Error).message, record, attempts });
    return false;
  }
}

/** Forgets the delivery id of a record that became a dead letter, so that the host can send the delivery again. */
function forgetDelivery(partition: Partition, record: JournalRecord): void {
  if (record.kind === 'event' && record.body) removeDelivery(partition, recordKey(record));
}

/**
 * Whether an error concerns the whole partition, not only the current record. There are two such errors: a failure of
 * LMDB itself (disk full, damaged pages, lost map), and a record that only a newer version of Tidings can fold. If this
 * version set such a record aside, its state would differ from that of the nodes that have the newer version.
 */
export function stopsPartition(error: unknown): boolean {
  return error instanceof NewerFoldError || error instanceof UnknownKindError || isStoreFault(error);
}

function isStoreFault(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'number' || /^MDB_|Commit failed|Environment/.test(message ?? '');
}

/** Folds an event, unless its delivery is folded already. An event that must wait for its due time is stored. */
export function acceptEvent(partition: Partition, record: EventRecord, place: Place): void {
  if (!isNew(partition, record)) return;
  const due = dueTime(partition, record);
  if (due === undefined) foldEvent(partition, record);
  else writeDelayed(partition, { ...place, due, record });
}

function acceptInstallation(partition: Partition, record: InstallationRecord): void {
  if (isNew(partition, record)) foldInstallation(partition, record);
}

/** Records the delivery of a record. Returns false for a repeated delivery, unless a person has replayed the record. */
function isNew(partition: Partition, record: EventRecord | InstallationRecord): boolean {
  const key = recordKey(record);
  if (record.replayed) writeDelivery(partition, key, record.at);
  else if (!addDelivery(partition, key, record.at)) {
    count(partition, duplicates, { layer: 'delivery' });
    return false;
  }
  return true;
}

/**
 * Returns the time until which an event must wait, or undefined if it need not wait. An event waits if its own due time
 * is in the future, or if earlier events of its repository are waiting.
 */
function dueTime(partition: Partition, record: EventRecord): number | undefined {
  if (record.due === undefined && countDelayed(partition) === 0) return undefined;
  const now = Math.max(record.at, readTime(partition));
  const lastDueAt = lastDue(partition, record);
  const due = Math.max(record.due ?? 0, lastDueAt ?? 0);
  return lastDueAt !== undefined || due > now ? due : undefined;
}

/** Folds the delayed events that are due. Returns `setAside` with the events that became dead letters. */
function releaseDue(partition: Partition, time: number, setAside: number): number {
  let after = setAside;
  for (let event = nextDue(partition, time); event; event = nextDue(partition, time)) {
    const { record } = event;
    removeDelayed(partition, event);
    if (record.repository) partition.onReleased?.(record.repository.id);
    const isFolded = foldIsolated(partition, record, event, (isolated) => foldEvent(isolated, record));
    if (!isFolded) after = setAsideAfter(after, event.index);
  }
  return after;
}

function acceptCommand(partition: Partition, record: CommandRecord): void {
  if (readResult(partition, record.id)) {
    count(partition, duplicates, { layer: 'command' });
    return;
  }
  const run = () => dispatch(partition, record);
  writeResult(partition, record.id, runOnce(partition, record, run));
}

function dispatch(partition: Partition, record: CommandRecord): CommandResult {
  const { command, at } = record;
  if (command.name === 'approveRetention') return foldApproval(partition, command.wait, at);
  if (isDirectoryCommand(command)) return foldDirectoryCommand(partition, command, record);
  return foldCommand(partition, command, at);
}

const directoryCommands: ReadonlySet<string> = new Set(
  DirectoryCommandSchema.anyOf.map(({ properties }) => properties.name.const),
);

function isDirectoryCommand(command: Command | DirectoryCommand): command is DirectoryCommand {
  return directoryCommands.has(command.name);
}

function acceptRelay(partition: Partition, record: RelayRecord): void {
  const known = readRelayed(partition, record.source);
  if (record.row <= known && !record.replayed) {
    count(partition, duplicates, { layer: 'relay' });
    return;
  }
  writeRelayed(partition, record.source, Math.max(record.row, known));
  const { body, at } = record;
  switch (body.relay) {
    case 'repositorySeen':
      return foldSeen(partition, body, record);
    case 'repositoryErased':
      return foldErased(partition, record, body);
    case 'ownerRenamed':
      return followOwner(partition, body, at);
    case 'ownerProved':
      return foldProof(partition, body);
    case 'claimDropped':
      return dropClaim(partition, body);
    case 'counted':
      return foldCounted(partition, body);
    case 'webhookEvent':
      return foldWebhookEvent(partition, body, record.id);
    default:
      return unreachable(body, `Unknown kind of relayed record: ${nameIn(body, 'relay')}.`);
  }
}
