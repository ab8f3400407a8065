/**
 * Folds the events of a batch together: without a child transaction per event, and with one read and one write for each
 * row that many events share. If anything throws, the caller rolls back the whole attempt and folds the batch again,
 * record by record (`docs/architecture.md` decision 9).
 */
import type { EventRecord, JournalRecord } from '../../src/protocol/journal.ts';
import { BatchView } from '../../src/store/batch-view.ts';
import type { Partition } from '../../src/store/partition.ts';
import { countDelayed } from '../../src/store/tables/delayed.ts';
import { readTime, writeTime } from '../../src/store/tables/meta.ts';
import { acceptEvent, countFolded, foldMessage, type Message, timeAfter } from './fold.ts';

/** A message that contains only events of the kind that can be folded together. */
interface EventMessage extends Message {
  records: readonly EventRecord[];
}

/**
 * Folds the messages of a batch in order. Consecutive messages of plain events are folded together. All other messages
 * are folded record by record, because their records read tables by range, or roll back on their own.
 * @throws if any record cannot be folded; the caller must then roll back all messages
 */
export function foldTogether(partition: Partition, messages: readonly Message[]): void {
  let together: EventMessage[] = [];
  for (const message of messages) {
    if (isPlain(message)) together.push(message);
    else {
      foldEvents(partition, together);
      together = [];
      foldMessage(partition, message.seq, message.records);
    }
  }
  foldEvents(partition, together);
}

function isPlain(message: Message): message is EventMessage {
  return message.records.every(isPlainEvent);
}

/** Whether a record is an event that is neither replayed nor delayed. */
function isPlainEvent({ kind, replayed, due }: JournalRecord & { due?: number }): boolean {
  return kind === 'event' && replayed === undefined && due === undefined;
}

function foldEvents(partition: Partition, messages: readonly EventMessage[]): void {
  // While events wait for their due time, each message can release some of them. Each released event has a child
  // transaction of its own, and its rollback would not undo the rows that a view holds in memory.
  if (countDelayed(partition) > 0) {
    for (const { seq, records } of messages) foldMessage(partition, seq, records);
    return;
  }
  const view = new BatchView(partition);
  let time = readTime(view.partition);
  for (const { seq, records } of messages) {
    for (const [index, record] of records.entries()) {
      acceptEvent(view.partition, record, { seq, index });
      time = timeAfter(time, record);
    }
    countFolded(partition, records);
  }
  writeTime(view.partition, time);
  view.flush();
}
