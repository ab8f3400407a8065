/** Counts in metrics what the fold has done, as soon as it is certain that the fold keeps it. */
import type { Counter, LabelValues } from 'prom-client';
import type { Partition } from '../../src/store/partition.ts';

/**
 * Adds `by` to a counter. During an attempt to fold a batch, the addition waits until the attempt has succeeded. An
 * attempt that is undone is followed by another one, and would otherwise be counted twice.
 */
export function count<Label extends string>(
  { counts }: Pick<Partition, 'counts'>,
  counter: Counter<Label>,
  labels: LabelValues<Label>,
  by = 1,
): void {
  if (counts) counts.push(() => counter.inc(labels, by));
  else counter.inc(labels, by);
}
