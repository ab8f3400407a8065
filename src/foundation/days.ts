/**
 * UTC days, by which retention counts: as numbers from 1970 on, and as a date moved back by whole months.
 */

/** Milliseconds of a day. */
export const dayMs = 86_400_000;

/** The day of an instant in milliseconds. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** A day as YYYY-MM-DD. */
export function toDate(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** The day twelve calendar months before that of an instant; 28 February for a leap day. */
export function yearBefore(at: number): number {
  const date = new Date(at);
  const month = date.getUTCMonth();
  const [year, day] = [date.getUTCFullYear() - 1, date.getUTCDate()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month, Math.min(day, last)));
}
