/**
 * When a failed delivery is tried again: nine more times over some three days, each wait lengthened by chance so that
 * receivers which came back do not meet everything at once. The chosen time goes into the journal; nothing waits in memory.
 */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after the first, second, … failed attempt. */
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

/** The longest share that is added to a wait by chance. */
const jitter = 0.2;

/**
 * @param tries attempts made since the delivery was put into the queue, this one included
 * @param now when the attempt ended, in milliseconds
 * @param askedMs how long the receiver asks to wait; it never shortens a wait
 * @param chance from 0 up to 1
 * @returns when to try again; null after the last attempt
 */
export function nextTry(tries: number, now: number, askedMs: number | undefined, chance: number): number | null {
  const waitMs = waitsMs[tries - 1];
  if (waitMs === undefined) return null;
  return Math.round(now + Math.max(waitMs, askedMs ?? 0) * (1 + jitter * chance));
}
