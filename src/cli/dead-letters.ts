/**
 * `tidings dead-letters list|replay`: records that could not be folded, and their return to the journal after a mend.
 */
import type { ApiContext } from '../api/context.ts';
import { ulid } from '../ids.ts';
import { type PartitionName, partitionNames } from '../journal/subjects.ts';
import { type DeadLetter, listDeadLetters } from '../store/dead-letters.ts';
import { withService } from './connection.ts';
import { type CliCommand, UsageError } from './usage.ts';

export const deadLettersCommand: CliCommand = {
  usage: 'dead-letters list | dead-letters replay',
  help: 'Lists the records that could not be folded, or puts the events among them back on the journal',
  run: ([action = '']) => {
    if (action === 'list') return withService(list);
    if (action === 'replay') return withService(replay);
    throw new UsageError('Expected: tidings dead-letters list or replay');
  },
};

async function list(context: ApiContext): Promise<number> {
  const lines = all(context).map(([partition, letter]) => {
    const { record } = letter;
    const subject =
      record.kind === 'event'
        ? `${record.body.event} of ${record.repository.fullName}, delivery ${record.delivery}`
        : record.kind;
    return `${partition} ${letter.seq}/${letter.index}  ${new Date(letter.at).toISOString()}  ${subject}: ${letter.error}`;
  });
  process.stdout.write(lines.length > 0 ? `${lines.join('\n')}\n` : 'There are no dead letters.\n');
  return 0;
}

async function replay(context: ApiContext): Promise<number> {
  let count = 0;
  for (const [partition, { seq, index, record }] of all(context)) {
    if (record.kind !== 'event') continue;
    const { due: _, ...event } = record;
    await context.laneOf(partition).enqueue({ ...event, id: ulid(), at: Date.now(), replayed: { seq, index } });
    count += 1;
  }
  process.stdout.write(`${count} events are on the journal again.\n`);
  return 0;
}

function all(context: ApiContext): [PartitionName, DeadLetter][] {
  return partitionNames(context.settings.partitions).flatMap((name) => {
    const partition = context.readers.fresh(name);
    return partition ? listDeadLetters(partition).map((letter): [PartitionName, DeadLetter] => [name, letter]) : [];
  });
}
