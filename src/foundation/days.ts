/**
 * Calculates with UTC days, the unit of retention periods. A day is stored as a number; day 0 is 1 January 1970.
 */

/** Length of a day in milliseconds. */
export const dayMs = 86_400_000;

/** Returns the day that contains a time in milliseconds. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** Formats a day as YYYY-MM-DD. */
export function toDate(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/**
 * Returns the day twelve calendar months before a time in milliseconds. For 29 February, it is 28 February of the
 * previous year.
 */
export function yearBefore(at: number): number {
  const date = new Date(at);
  const month = date.getUTCMonth();
  const [year, day] = [date.getUTCFullYear() - 1, date.getUTCDate()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(day, last)));
}
