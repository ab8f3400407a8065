/**
 * The fold: applies journal records to a partition, each in a child transaction of its own. A record that cannot be folded
 * rolls back alone and becomes a dead letter (`docs/architecture.md` decision 9). Deterministic: what it reads is the partition and the
 * record, nothing else. Must be called inside a transaction.
 */
import { dayMs } from '../../src/foundation/days.ts';
import { duplicates, recordsDeadLettered, recordsFolded } from '../../src/foundation/metrics.ts';
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
import type { Partition } from '../../src/store/partition.ts';
import { removeDeadLetter, writeDeadLetter } from '../../src/store/tables/dead-letters.ts';
import { countDelayed, lastDue, nextDue, removeDelayed, writeDelayed } from '../../src/store/tables/delayed.ts';
import { isFolded, recordKey, removeDelivery, writeDelivery } from '../../src/store/tables/deliveries.ts';
import { readTime, writeTime } from '../../src/store/tables/meta.ts';
import { readRelayed, writeRelayed } from '../../src/store/tables/outbox.ts';
import { readResult, writeResult } from '../../src/store/tables/results.ts';
import { foldTick } from '../partition/sweep.ts';
import { foldEvent } from './actor.ts';
import { foldBackfilled } from './backfills.ts';
import { dropClaim, foldProof } from './claims.ts';
import { foldCommand } from './commands.ts';
import { foldDirectoryCommand, foldSeen } from './directory.ts';
import { foldApproval } from './erasing-guard.ts';
import { carryOutOnce } from './idempotency.ts';
import { foldInstallation } from './installations.ts';
import { foldOutcome } from './outcomes.ts';
import { foldErased, followOwner } from './repository.ts';
import { foldSweep } from './sweep.ts';
import { foldCounted, foldUsage } from './usage.ts';
import { foldWebhookEvent } from './webhook-deliveries.ts';

/** Where a record stands in the journal. */
interface Place {
  seq: number;
  index: number;
}

/**
 * Folds the records of one journal message.
 * @throws only what makes the whole partition unusable (I/O errors of the store)
 */
export function foldMessage(partition: Partition, seq: number, records: readonly JournalRecord[]): void {
  let time = readTime(partition);
  for (const [index, record] of records.entries()) {
    const place = { seq, index };
    apart(partition, record, place, () => foldOnce(partition, record, place));
    time = timeAfter(time, record);
  }
  writeTime(partition, time);
  if (countDelayed(partition) > 0) releaseDue(partition, time);
  countFolded(partition.name, records);
}

/** The highest time folded; but a tick more than a day behind it says that the clock ran ahead before, and has come back. */
function timeAfter(time: number, { kind, at }: JournalRecord): number {
  return kind === 'tick' && at < time - dayMs ? at : Math.max(time, at);
}

function countFolded(partition: string, records: readonly JournalRecord[]): void {
  const kinds = new Map<string, number>();
  for (const { kind } of records) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  for (const [kind, count] of kinds) recordsFolded.inc({ partition, kind }, count);
}

/** Folds a record; a replayed one while its letter stands, since two people may have asked for it. */
function foldOnce(partition: Partition, record: JournalRecord, place: Place): void {
  const { replayed } = record;
  if (replayed && !removeDeadLetter(partition, replayed.seq, replayed.index)) duplicates.inc({ layer: 'replay' });
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
      return carryOut(partition, record);
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
    default:
      throw new Error(`There is no kind of record ${JSON.stringify((record as { kind: unknown }).kind)}.`);
  }
}

/** Runs one fold in a child transaction and sets the record aside when it fails. */
function apart(partition: Partition, record: JournalRecord, place: Place, fold: () => void): void {
  try {
    partition.root.childTransaction(fold);
  } catch (error) {
    if (isStoreFault(error)) throw error;
    recordsDeadLettered.inc({ partition: partition.name });
    takeBack(partition, record);
    const { seq, index } = place;
    writeDeadLetter(partition, { seq, index, at: record.at, error: (error as Error).message, record });
  }
}

/** A delivery that is set aside may come again; the letter of a replay takes the place of the one it replayed. */
function takeBack(partition: Partition, record: JournalRecord): void {
  if (record.kind === 'event' && record.body) removeDelivery(partition, recordKey(record));
  if (record.replayed) removeDeadLetter(partition, record.replayed.seq, record.replayed.index);
}

/** LMDB's own failures (disk full, damaged pages, lost map) concern the partition, never the record at hand. */
function isStoreFault(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'number' || /^MDB_|Commit failed|Environment/.test(message ?? '');
}

function acceptEvent(partition: Partition, record: EventRecord, place: Place): void {
  const key = recordKey(record);
  if (!record.replayed && isFolded(partition, key)) {
    duplicates.inc({ layer: 'delivery' });
    return;
  }
  writeDelivery(partition, key, record.at);
  const due = dueTime(partition, record);
  if (due === undefined) foldEvent(partition, record);
  else writeDelayed(partition, { ...place, due, record });
}

function acceptInstallation(partition: Partition, record: InstallationRecord): void {
  const key = recordKey(record);
  if (!record.replayed && isFolded(partition, key)) {
    duplicates.inc({ layer: 'delivery' });
    return;
  }
  writeDelivery(partition, key, record.at);
  foldInstallation(partition, record);
}

/** When an event must wait: its own due time is ahead, or its repository has earlier events waiting. */
function dueTime(partition: Partition, record: EventRecord): number | undefined {
  if (record.due === undefined && countDelayed(partition) === 0) return undefined;
  const now = Math.max(record.at, readTime(partition));
  const behind = lastDue(partition, record);
  const due = Math.max(record.due ?? 0, behind ?? 0);
  return behind !== undefined || due > now ? due : undefined;
}

function releaseDue(partition: Partition, time: number): void {
  for (let event = nextDue(partition, time); event; event = nextDue(partition, time)) {
    const { record } = event;
    removeDelayed(partition, event);
    apart(partition, record, event, () => foldEvent(partition, record));
  }
}

function carryOut(partition: Partition, record: CommandRecord): void {
  if (readResult(partition, record.id)) {
    duplicates.inc({ layer: 'command' });
    return;
  }
  const carryOut = () => dispatch(partition, record.command, record.at);
  writeResult(partition, record.id, carryOutOnce(partition, record, carryOut));
}

function dispatch(partition: Partition, command: CommandRecord['command'], at: number): CommandResult {
  if (command.name === 'approveRetention') return foldApproval(partition, command.wait, at);
  if (isDirectoryCommand(command)) return foldDirectoryCommand(partition, command, at);
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
    duplicates.inc({ layer: 'relay' });
    return;
  }
  writeRelayed(partition, record.source, Math.max(record.row, known));
  const { body, at } = record;
  if (body.relay === 'repositoryErased') foldErased(partition, record, body);
  else if (body.relay === 'ownerRenamed') followOwner(partition, body, at);
  else if (body.relay === 'ownerProved') foldProof(partition, body);
  else if (body.relay === 'claimDropped') dropClaim(partition, body);
  else if (body.relay === 'counted') foldCounted(partition, body);
  else if (body.relay === 'webhookEvent') foldWebhookEvent(partition, body, record.id);
  else foldSeen(partition, body, record);
}
