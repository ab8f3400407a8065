/** Computes the scales of charts, and says in a sentence what a chart shows. */
import { count } from './words.ts';

/** One week: its name, and its value. A null is a week without a value. */
export interface Point {
  name: string;
  value: number | null;
}

/** Returns the end of a scale for values up to `max`: the next of 2, 4, 6, 8, 10, 20, 40 …, whose half is a tick. */
export function scaleEnd(max: number): number {
  if (max <= 2) return 2;
  const unit = 10 ** Math.floor(Math.log10(max));
  const step = [1, 2, 4, 6, 8, 10].find((each) => each * unit >= max) ?? 10;
  return step * unit;
}

/** Returns the median of numbers; null if there are none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] as number, sorted[Math.floor(middle)] as number];
  return (low + high) / 2;
}

/** Writes a time, such as `40 minutes`, `30 hours` or `3 days`. */
export function duration(hours: number): string {
  if (hours < 1) return count(Math.max(1, Math.round(hours * 60)), 'minute');
  return hours < 48 ? count(Math.round(hours), 'hour') : count(Math.round(hours / 24), 'day');
}

/** Writes a share, such as `25%`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/**
 * Returns the value of the last whole week and the usual value, which is the median of the weeks before it. The last
 * point is the current week.
 */
export function lastAndUsual(points: readonly Point[]): { last: number | null; usual: number | null } {
  const values = points.map(({ value }) => value);
  return {
    last: values.at(-2) ?? null,
    usual: median(values.slice(0, -2).filter((value) => value !== null)),
  };
}

export function mergesSentence(points: readonly Point[]): string {
  const { last, usual } = lastAndUsual(points);
  const before = usual === null ? '' : `, ${Math.round(usual).toLocaleString('en')} in a usual week`;
  return `${count(last ?? 0, 'merge')} last week${before}.`;
}

export function waitSentence(points: readonly Point[]): string {
  const { last, usual } = lastAndUsual(points);
  if (last === null)
    return usual === null
      ? 'Nothing was published before this week.'
      : `Nothing was published last week. Usually a change waits ${duration(usual)}.`;
  const before = usual === null ? '' : `, usually ${duration(usual)}`;
  return `Half of the changes published last week had waited ${duration(last)} or less${before}.`;
}

export function labelsSentence(points: readonly Point[]): string {
  const { last, usual } = lastAndUsual(points);
  const before = usual === null ? '' : `, ${percent(usual)} in a usual week`;
  return last === null
    ? `Nothing was merged last week${usual === null ? '.' : `. In a usual week, ${percent(usual)} have no label.`}`
    : `${percent(last)} of last week's merges have no label${before}.`;
}
