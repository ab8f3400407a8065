/**
 * `tidings dead-letters list|replay`: records that could not be folded, and their return to the journal after a mend.
 */
import type { ApiContext } from '../api/context.ts';
import { ulid } from '../ids.ts';
import { type PartitionName, partitionNames } from '../journal/subjects.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import { type DeadLetter, listDeadLetters } from '../store/dead-letters.ts';
import { withService } from './connection.ts';
import { printLines } from './print.ts';
import { type CliCommand, UsageError } from './usage.ts';

export const deadLettersCommand: CliCommand = {
  usage: 'dead-letters list | dead-letters replay [PARTITION SEQ/INDEX]',
  help: 'Lists the records that could not be folded, or puts them, or one of them, back on the journal',
  run: ([action = '', ...place]) => {
    if (action === 'list') return withService(list);
    if (action === 'replay' && isPlace(place)) return withService((context) => replay(context, place.join(' ')));
    throw new UsageError('Expected: tidings dead-letters list or replay [PARTITION SEQ/INDEX], as the list names one');
  },
};

function isPlace(place: readonly string[]): boolean {
  return place.length === 0 || (place.length === 2 && /^\d+\/\d+$/.test(place[1] as string));
}

async function list(context: ApiContext): Promise<number> {
  const lines = all(context).map(
    ([partition, letter]) =>
      `${placeOf(partition, letter)}  ${new Date(letter.at).toISOString()}  ${subjectOf(letter.record)}: ${letter.error}`,
  );
  printLines(lines, 'There are no dead letters.');
  return 0;
}

function placeOf(partition: PartitionName, { seq, index }: DeadLetter): string {
  return `${partition} ${seq}/${index}`;
}

/** What a record is about; it may be of a later version, or lack what it should have. */
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
  printLines([`${wanted.length} records are on the journal again.`]);
  return 0;
}

/** A record as if it came now, and not after a delay; but what another partition told keeps the time when it happened. */
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
