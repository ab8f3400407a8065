/**
 * Removes delivery ids, stored results and webhook deliveries after their retention periods, and sessions and sign-in
 * codes that have ended. Each tick removes a
 * limited number of entries of each kind. Only ticks cause removals, so that a replay of the journal removes the same
 * entries at the same position. The age of an entry is measured by the partition's trusted time, so that a jump of the
 * clock removes nothing.
 */

import { dayMs } from '../../src/foundation/days.ts';
import { idAt } from '../../src/foundation/ids.ts';
import type { Partition } from '../../src/store/partition.ts';
import { removeDeliveriesBefore } from '../../src/store/tables/deliveries.ts';
import { removeResultsBefore } from '../../src/store/tables/results.ts';
import { readTrustedTime } from '../../src/store/tables/retention.ts';
import { removeSessionsBefore, removeSignInCodesBefore } from '../../src/store/tables/sessions.ts';
import { removeWebhookDeliveriesBefore } from '../../src/store/tables/webhook-deliveries.ts';
import { trustTick } from './erasing-guard.ts';

/**
 * Retention period of delivery ids, in milliseconds. A host can send a delivery again for seven days. One day is added
 * for differences between clocks.
 */
export const deliveryKeepingMs = 8 * 86_400_000;
/** Retention period of command results, in milliseconds. */
export const resultKeepingMs = 86_400_000;

/** Retention period of deliveries to webhook endpoints, in milliseconds. */
export const webhookKeepingMs = 30 * dayMs;

const maxPerRound = 5000;

/** Folds a tick at time `at`. */
export function foldTick(partition: Partition, at: number): void {
  trustTick(partition, at);
  const time = Math.min(at, readTrustedTime(partition));
  removeDeliveriesBefore(partition, time - deliveryKeepingMs, maxPerRound);
  removeResultsBefore(partition, idAt(time - resultKeepingMs), maxPerRound);
  removeSessionsBefore(partition, time, maxPerRound);
  removeSignInCodesBefore(partition, time);
  removeWebhookDeliveriesBefore(partition, time - webhookKeepingMs, maxPerRound);
}
