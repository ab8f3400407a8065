/** Writes times for people. */

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const monthSeconds = 30 * 86_400;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Returns how long ago a time was, such as `4 minutes ago`. Times more than a month away are written as a day. */
export function relativeTime(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  if (Math.abs(seconds) >= monthSeconds) return day(time);
  const [unit, length] = steps.find(([, each]) => Math.abs(seconds) >= each) ?? [];
  return unit === undefined || length === undefined ? 'just now' : relative.format(Math.trunc(seconds / length), unit);
}

/** Returns the day of a time, such as `3 Feb 2026`. Days are in UTC, as on the published pages. */
export function day(time: number): string {
  return dayFormat.format(time);
}

/** Returns a time to the second in UTC, such as `2026-02-03 12:00:00 UTC`. */
export function exactTime(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
