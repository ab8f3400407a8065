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
import { addToDigest } from './digest.ts';
import { acceptEvent, countFolded, foldMessage, type Message, timeAfter } from './fold.ts';

/**
 * Folds the messages of a batch in order. Consecutive messages of plain events are folded together. All other messages
 * are folded record by record, because their records read tables by range, or roll back on their own.
 * @throws if any record cannot be folded; the caller must then roll back all messages
 */
export function foldTogether(partition: Partition, messages: Iterable<Message>): void {
  let together: EventFold | undefined;
  for (const { seq, records } of messages) {
    // While events wait for their due time, each message can release some of them. Each released event has a child
    // transaction of its own, and its rollback would not undo the rows that a view holds in memory. Plain events never
    // wait, unless others do.
    if (arePlain(records) && (together || countDelayed(partition) === 0)) {
      together ??= new EventFold(partition);
      together.fold(seq, records);
    } else {
      together?.end();
      together = undefined;
      foldMessage(partition, seq, records);
    }
  }
  together?.end();
}

/** Whether all records are events that are neither replayed nor delayed. */
function arePlain(records: readonly JournalRecord[]): records is readonly EventRecord[] {
  return records.every(isPlainEvent);
}

function isPlainEvent({ kind, replayed, due }: JournalRecord & { due?: number }): boolean {
  return kind === 'event' && replayed === undefined && due === undefined;
}

/** Folds consecutive messages of plain events into one view of the partition. */
class EventFold {
  private readonly view: BatchView;
  private time: number;

  constructor(partition: Partition) {
    this.view = new BatchView(partition);
    this.time = readTime(partition);
  }

  fold(seq: number, records: readonly EventRecord[]): void {
    const { partition } = this.view;
    for (const [index, record] of records.entries()) {
      acceptEvent(partition, record, { seq, index });
      this.time = timeAfter(this.time, record);
    }
    countFolded(partition, records);
    addToDigest(partition, { seq, records: records.length, setAside: 0, time: this.time });
  }

  /** Writes what was folded to the store. */
  end(): void {
    writeTime(this.view.partition, this.time);
    this.view.flush();
  }
}
