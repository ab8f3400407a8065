/**
 * What a partition forgets with each tick: delivery ids and stored results past their keeping. Runs on tick records only, so
 * that a replay forgets at the same place, and by the time that erasing trusts, so that no jump of the clock forgets.
 */

import { dayMs } from '../../src/foundation/days.ts';
import { idAt } from '../../src/foundation/ids.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeDeliveriesBefore } from '../../src/store/tables/deliveries.ts';
import { removeResultsBefore } from '../../src/store/tables/results.ts';
import { readTrustedTime } from '../../src/store/tables/retention.ts';
import { removeWebhookDeliveriesBefore } from '../../src/store/tables/webhook-deliveries.ts';
import { trustTick } from '../fold/erasing-guard.ts';

/** A host's redelivery can come up to seven days later; one more for clocks. */
export const deliveryKeepingMs = 8 * 86_400_000;
/** How long a command's result can be read again. */
export const resultKeepingMs = 86_400_000;

/** How long it can be seen what was sent to a webhook endpoint. */
export const webhookKeepingMs = 30 * dayMs;

const mostAtOnce = 5000;

/** Folds the sweeping part of a tick at time `at`. */
export function foldTick(partition: Partition, at: number): void {
  trustTick(partition, at);
  const time = Math.min(at, readTrustedTime(partition));
  removeDeliveriesBefore(partition, time - deliveryKeepingMs, mostAtOnce);
  removeResultsBefore(partition, idAt(time - resultKeepingMs), mostAtOnce);
  removeWebhookDeliveriesBefore(partition, time - webhookKeepingMs, mostAtOnce);
}
