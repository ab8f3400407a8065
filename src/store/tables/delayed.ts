/**
 * Accepted events of organisations over their limit, until the partition's time reaches their due time (`docs/architecture.md`
 * decision 16). Later events of a repository line up behind its delayed ones, so its order holds.
 */
import type { EventRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';
import { readCounter, writeCounter } from './meta.ts';

/** A delayed event with its place in the journal. */
export interface DelayedEvent {
  due: number;
  seq: number;
  index: number;
  record: EventRecord;
}

/** Counted, since it is asked for with every message and opening a cursor costs more than folding a record. */
const counter = 'delayed';

interface Line {
  count: number;
  last: number;
}

/**
 * The line in which an event waits: that of its repository, of which an organisation's own secret has one of its own. What is
 * merely claimed must not hold up the owner.
 */
function lineOf({ repository, signedBy }: EventRecord): string {
  return signedBy ? `${repository.id} ${signedBy.org}` : repository.id;
}

/** Due time of the last delayed event in the line of an event; undefined when none waits. */
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

/** The next delayed event due at `time`, if any. */
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

/** All delayed events, soonest first: what the ingress seeds its limits from. */
export function* listDelayed(partition: Partition): Iterable<DelayedEvent> {
  for (const row of partition.tables.delayed.getRange({})) yield row.value as DelayedEvent;
}

/** How many events wait for their due time. */
export function countDelayed(partition: Partition): number {
  return readCounter(partition, counter);
}
