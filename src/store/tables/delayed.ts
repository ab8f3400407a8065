/**
 * Events of organizations that have exceeded their ingestion limit. An accepted event is stored here until the
 * partition's time reaches the event's due time (`docs/architecture.md` decision 16). If a repository has delayed
 * events, its later events wait until the delayed events are folded. So the order of the repository's events is kept.
 */
import type { EventRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';
import { readCounter, writeCounter } from './meta.ts';

/** A delayed event with its position in the journal. */
export interface DelayedEvent {
  due: number;
  seq: number;
  index: number;
  record: EventRecord;
}

/**
 * Name of the counter of delayed events. This number is read for every journal message. Counting the rows of the table
 * would open a cursor each time, and opening a cursor costs more than folding a record.
 */
const counter = 'delayed';

interface Line {
  count: number;
  last: number;
}

/**
 * Returns the name of the queue in which an event waits. Each repository has a queue. Events signed with an
 * organization's own secret wait in a separate queue. So an organization that only claims a repository cannot delay the
 * events of the repository's real owner.
 */
function lineOf({ repository, signedBy }: EventRecord): string {
  return signedBy ? `${repository.id} ${signedBy.org}` : repository.id;
}

/**
 * Returns the due time of the last delayed event in the queue of `record`; undefined if no event waits in the queue.
 */
export function lastDue(partition: Partition, record: EventRecord): number | undefined {
  return (partition.tables.delayedRepositories.get(lineOf(record)) as Line | undefined)?.last;
}

export function writeDelayed(partition: Partition, event: DelayedEvent): void {
  const key = lineOf(event.record);
  const line: Line = partition.tables.delayedRepositories.get(key) ?? { count: 0, last: 0 };
  partition.tables.delayed.putSync([event.due, event.seq, event.index], event);
  writeCounter(partition, counter, countDelayed(partition) + 1);
  partition.tables.delayedRepositories.putSync(key, { count: line.count + 1, last: Math.max(line.last, event.due) });
}

/** Returns the delayed event with the earliest due time; undefined if no event is due by `time`. */
export function nextDue(partition: Partition, time: number): DelayedEvent | undefined {
  for (const row of partition.tables.delayed.getRange({ end: [time, Number.MAX_VALUE], limit: 1 })) return row.value;
  return undefined;
}

export function removeDelayed(partition: Partition, event: DelayedEvent): void {
  const key = lineOf(event.record);
  const line: Line = partition.tables.delayedRepositories.get(key) ?? { count: 1, last: 0 };
  partition.tables.delayed.removeSync([event.due, event.seq, event.index]);
  writeCounter(partition, counter, countDelayed(partition) - 1);
  if (line.count <= 1) partition.tables.delayedRepositories.removeSync(key);
  else partition.tables.delayedRepositories.putSync(key, { ...line, count: line.count - 1 });
}

/**
 * Yields all delayed events in the order of their due times. The webhook receiver initializes its limits with these
 * events.
 */
export function* listDelayed(partition: Partition): Iterable<DelayedEvent> {
  for (const row of partition.tables.delayed.getRange({})) yield row.value as DelayedEvent;
}

/** Returns how many events wait for their due time. */
export function countDelayed(partition: Partition): number {
  return readCounter(partition, counter);
}
