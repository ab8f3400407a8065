/**
 * When an attempt that failed is made again: five times later and later, with jitter, or as late as the receiver wants. The
 * time goes into the record, so the fold needs no clock.
 */

const second = 1000;
const minute = 60 * second;

/** Pauses before the second, third, … attempt, in milliseconds; the last one holds for all further ones. */
const pauses = [5 * second, 30 * second, 2 * minute, 10 * minute, 60 * minute];
/** Attempts that are made before a publication has failed. */
export const givenUp = 8;
const jitter = 0.2;

/**
 * The time of the next attempt; null when there are to be no more.
 * @param tries attempts so far
 * @param askedMs what the receiver asked to wait
 */
export function retryAt(tries: number, now: number, askedMs = 0, random = Math.random()): number | null {
  if (tries >= givenUp) return null;
  const usual = pauses[Math.min(tries, pauses.length) - 1] ?? second;
  return now + Math.round(Math.max(usual * (1 + jitter * random), askedMs));
}
