/**
 * Decides when a failed delivery is tried again: nine more times over about three days. Each wait is lengthened at
 * random, so that a receiver that has recovered does not get all deliveries at the same moment. The chosen time is
 * journaled; no delivery waits in memory.
 */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after the first, second, … failed attempt, in milliseconds. */
export const waitsMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Maximum random extension of a wait, as a share of the wait. */
const jitter = 0.2;

/**
 * Chooses the time of the next attempt.
 * @param attempts number of attempts since the delivery was queued, including the last one
 * @param now when the attempt ended, in milliseconds
 * @param askedMs how long the receiver asks to wait, in milliseconds; used only if it is longer than the planned wait
 * @param chance random number from 0 up to 1
 * @returns when to try again, in milliseconds; null after the last attempt
 */
export function nextAttemptAt(
  attempts: number,
  now: number,
  askedMs: number | undefined,
  chance: number,
): number | null {
  const waitMs = waitsMs[attempts - 1];
  if (waitMs === undefined) return null;
  return Math.round(now + Math.max(waitMs, askedMs ?? 0) * (1 + jitter * chance));
}
