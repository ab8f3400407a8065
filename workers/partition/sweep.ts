/**
 * What a partition forgets as its time moves: delivery ids and stored results past their keeping. Runs on tick records only,
 * so that a replay forgets at the same place.
 */

import { idAt } from '../../src/ids.ts';
import { removeDeliveriesBefore } from '../../src/store/deliveries.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeResultsBefore } from '../../src/store/results.ts';

/** A host's redelivery can come up to seven days later; one more for clocks. */
export const deliveryKeepingMs = 8 * 86_400_000;
/** How long a command's result can be read again. */
export const resultKeepingMs = 86_400_000;

const mostAtOnce = 5000;

/** Forgets what is past its keeping at the partition's time `time`. */
export function sweep(partition: Partition, time: number): void {
  removeDeliveriesBefore(partition, time - deliveryKeepingMs, mostAtOnce);
  removeResultsBefore(partition, idAt(time - resultKeepingMs), mostAtOnce);
}
