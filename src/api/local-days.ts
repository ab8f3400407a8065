/**
 * Calculates when days begin in a time zone. A range by dates stores these instants, so that later changes of time zone
 * data change no range.
 */
import { dayMs } from '../foundation/days.ts';

/** A half-open span of time in milliseconds. */
interface Span {
  from: number;
  to: number;
}

/** How far a day's beginning can be from midnight in UTC: offsets are at most 14 hours, and a zone can skip one day. */
const farMs = 2 * dayMs;

/** Whether a text names a time zone of the IANA database, such as `Europe/Berlin`. Offsets such as `+02:00` do not. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Returns the span from the beginning of the first day to the end of the last day in a time zone.
 * @param timeZone valid name of a time zone
 */
export function spanOfDays(fromDate: string, toDate: string, timeZone: string): Span {
  const local = clockOf(timeZone);
  return { from: beginOf(midnightOf(fromDate), local), to: beginOf(midnightOf(toDate) + dayMs, local) };
}

function midnightOf(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/**
 * Returns the instant at which a day begins. If clocks show midnight twice, the day begins at the first one. If they skip
 * midnight, it begins when they change: at 01:00 in Cairo on 28 April 2023.
 * @param midnight midnight of the day, as milliseconds of the local clock
 */
function beginOf(midnight: number, local: (at: number) => number): number {
  const offsets = [-farMs, farMs].map((distance) => local(midnight + distance) - (midnight + distance));
  const exact = offsets.map((offset) => midnight - offset).filter((at) => local(at) === midnight);
  if (exact.length > 0) return Math.min(...exact);
  let [before, after] = [midnight - farMs, midnight + farMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (local(middle) < midnight) before = middle;
    else after = middle;
  }
  return after;
}

/** Returns a function that reads the clock of a time zone: the local time as if it were UTC, in milliseconds. */
function clockOf(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
    const date = new Date(0);
    date.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    date.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second), ((at % 1000) + 1000) % 1000);
    return date.getTime();
  };
}
