/**
 * `tidings dead-letters list|replay`: lists the records that the fold could not process, and enqueues them again. An
 * operator replays a record after fixing the cause of its failure.
 */
import type { ApiContext } from '../api/context.ts';
import { ulid } from '../foundation/ids.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import { type DeadLetter, listDeadLetters } from '../store/tables/dead-letters.ts';
import { withService } from './connection.ts';
import { printJson } from './json.ts';
import { printLines } from './print.ts';
import type { deadLettersEntry } from './table/operation.ts';
import { type Runs, UsageError } from './usage.ts';

export const deadLetterActions: Runs<typeof deadLettersEntry> = {
  list: ({ json }) => withService((context) => list(context, json)),
  replay: async (_, place) => {
    if (place.length > 0 && !/^\S+ \d+\/\d+$/.test(place.join(' ')))
      throw new UsageError('Expected PARTITION SEQ/INDEX, as printed by: tidings dead-letters list');
    return withService((context) => replay(context, place.join(' ')));
  },
};

async function list(context: ApiContext, json = false): Promise<number> {
  const found = all(context);
  if (json) return printJson({ deadLetters: found.map(toJson), total: found.length });
  const lines = found.map(
    ([partition, letter]) =>
      `${placeOf(partition, letter)}  ${new Date(letter.at).toISOString()}  ${subjectOf(letter.record)}: ${letter.error}`,
  );
  printLines(lines, 'There are no dead letters.');
  return 0;
}

function toJson([partition, { seq, index, at, record, error }]: [PartitionName, DeadLetter]): object {
  return { partition, seq, index, at: new Date(at).toISOString(), subject: subjectOf(record), error };
}

function placeOf(partition: PartitionName, { seq, index }: DeadLetter): string {
  return `${partition} ${seq}/${index}`;
}

/** Describes a record in the list. The record may be from a later version of Tidings, or lack required fields. */
function subjectOf(record: JournalRecord): string {
  switch (record.kind) {
    case 'event':
      return `${record.body?.event} of ${record.repository?.fullName}, delivery ${record.delivery}`;
    case 'installation':
      return `installation ${record.body?.action} of ${record.body?.owner?.login}, delivery ${record.delivery}`;
    case 'backfilled':
      return `page of ${record.repository?.fullName}`;
    case 'command':
      return `command ${record.command?.name}`;
    case 'relay':
      return `relay ${record.body?.relay} from ${record.source}`;
    default:
      return record.kind;
  }
}

async function replay(context: ApiContext, place: string): Promise<number> {
  const wanted = all(context).filter(([partition, letter]) => place === '' || placeOf(partition, letter) === place);
  if (place !== '' && wanted.length === 0) throw new UsageError(`There is no dead letter ${place}.`);
  for (const [partition, { seq, index, record }] of wanted) {
    await context.laneOf(partition).enqueue({ ...again(record), id: ulid(), replayed: { seq, index } });
  }
  printLines([`Number of dead letters sent for another try: ${wanted.length}.`]);
  return 0;
}

/**
 * Returns the record to enqueue for a replay. The record gets the current time and no delay. A record of the kind
 * `relay` is not changed, because it must keep the time of the event that caused the relay.
 */
function again(record: JournalRecord): JournalRecord {
  if (record.kind === 'relay') return record;
  if (record.kind !== 'event') return { ...record, at: Date.now() };
  const { due: _, ...event } = record;
  return { ...event, at: Date.now() };
}

function all(context: ApiContext): [PartitionName, DeadLetter][] {
  return partitionNames(context.settings.partitions).flatMap((name) => {
    const partition = context.readers.fresh(name);
    return partition ? listDeadLetters(partition).map((letter): [PartitionName, DeadLetter] => [name, letter]) : [];
  });
}
