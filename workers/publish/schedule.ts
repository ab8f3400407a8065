/**
 * Decides when a failed attempt is repeated: after increasing waits with random variation, or later if the receiver
 * asks for a longer wait. The time is stored in the record, so the fold needs no clock.
 */

const second = 1000;
const minute = 60 * second;

/** Waits before the second, third, … attempt, in milliseconds. The last value applies to all further attempts. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 60 * minute];
/** Number of failed attempts after which a publication has failed. */
export const givenUp = 8;
const jitter = 0.2;

/**
 * Returns the time of the next attempt, or null if no further attempt is made.
 * @param attempts number of attempts so far
 * @param askedMs how long the receiver asked to wait, in milliseconds
 */
export function retryAt(attempts: number, now: number, askedMs = 0, random = Math.random()): number | null {
  if (attempts >= givenUp) return null;
  const usual = pauses[Math.min(attempts, pauses.length) - 1] ?? second;
  return now + Math.round(Math.max(usual * (1 + jitter * random), askedMs));
}
