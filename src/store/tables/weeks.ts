/**
 * Counts per repository and week, for statistics: merged pull requests, those of them without labels, and how long the
 * changes that were published first in the week had waited since their merge. Weeks begin on Monday, in UTC.
 *
 * The waits are counted in steps of a tenth, so a row stays small and the rows of many repositories can be added up.
 */
import { dayMs } from '../../foundation/days.ts';
import type { PullRecord } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';

/** The counts of one week. `waits` has pairs of a step and the number of changes, ordered by step. */
export interface WeekCounts {
  merged: number;
  withoutLabels: number;
  waits: readonly (readonly [step: number, changes: number])[];
}

const weekMs = 7 * dayMs;
/** The first day of 1970 was a Thursday, three days after a Monday. */
const mondayOffset = 3 * dayMs;
const minuteMs = 60_000;
/** The counts of a week in which nothing happened. */
export const noCounts: WeekCounts = { merged: 0, withoutLabels: 0, waits: [] };

/** Upper ends of the steps in minutes. Only whole numbers are used, so every machine computes the same steps. */
const stepEnds = stepsUpTo(20 * 365 * 24 * 60);

function stepsUpTo(minutes: number): number[] {
  const ends = [1];
  for (let end = 1; end < minutes; ends.push(end)) end = Math.ceil((end * 11) / 10);
  return ends;
}

/** Returns the number of the week that contains a time. */
export function weekOf(time: number): number {
  return Math.floor((time + mondayOffset) / weekMs);
}

/** Returns the time at which a week begins. */
export function startOfWeek(week: number): number {
  return week * weekMs - mondayOffset;
}

/** Returns the counts of a repository from one week to another, both included. Weeks without counts are left out. */
export function readWeeks(partition: Partition, repoId: string, from: number, to: number): [number, WeekCounts][] {
  const rows = partition.tables.weeks.getRange({ start: [repoId, from], end: [repoId, to + 1] });
  return [...rows].map(({ key, value }) => [(key as [string, number])[1], value as WeekCounts]);
}

type Merged = Pick<PullRecord, 'mergedAt' | 'labels'>;

/** Counts a pull request in the week of its merge, instead of what it was counted as before. */
export function countMerge(
  partition: Partition,
  repoId: string,
  before: Merged | undefined,
  after: Merged | undefined,
): void {
  const [was, is] = [countedAs(before), countedAs(after)];
  if (was?.week === is?.week && was?.withoutLabels === is?.withoutLabels) return;
  if (was) addMerge(partition, repoId, was, -1);
  if (is) addMerge(partition, repoId, is, 1);
}

function countedAs(pull: Merged | undefined): { week: number; withoutLabels: number } | undefined {
  if (!pull || pull.mergedAt === null) return undefined;
  return { week: weekOf(pull.mergedAt), withoutLabels: Number(pull.labels.length === 0) };
}

function addMerge(
  partition: Partition,
  repoId: string,
  { week, withoutLabels }: { week: number; withoutLabels: number },
  by: 1 | -1,
): void {
  const counts = readWeek(partition, repoId, week);
  writeWeek(partition, repoId, week, {
    ...counts,
    merged: counts.merged + by,
    withoutLabels: counts.withoutLabels + by * withoutLabels,
  });
}

/** Counts changes that were published first at `at`, by how long they had waited since their merge in milliseconds. */
export function countWaits(partition: Partition, repoId: string, waited: readonly number[], at: number): void {
  if (waited.length === 0) return;
  const week = weekOf(at);
  const counts = readWeek(partition, repoId, week);
  const waits = addedWaits(
    counts.waits,
    waited.map((ms) => [stepOf(ms), 1]),
  );
  writeWeek(partition, repoId, week, { ...counts, waits });
}

function stepOf(ms: number): number {
  const minutes = ms / minuteMs;
  const step = stepEnds.findIndex((end) => minutes < end);
  return step === -1 ? stepEnds.length - 1 : step;
}

/** Adds the counts of one week of two repositories. */
export function addedWeeks(a: WeekCounts = noCounts, b: WeekCounts): WeekCounts {
  return {
    merged: a.merged + b.merged,
    withoutLabels: a.withoutLabels + b.withoutLabels,
    waits: b.waits.length === 0 ? a.waits : addedWaits(a.waits, b.waits),
  };
}

function addedWaits(a: WeekCounts['waits'], b: WeekCounts['waits']): WeekCounts['waits'] {
  const sums = new Map(a);
  for (const [step, changes] of b) sums.set(step, (sums.get(step) ?? 0) + changes);
  return [...sums].sort(([one], [other]) => one - other);
}

/** Returns the median of waits in hours, within five percent; null if there are none. */
export function medianHours(waits: WeekCounts['waits']): number | null {
  const half = waits.reduce((total, [, changes]) => total + changes, 0) / 2;
  let passed = 0;
  for (const [step, changes] of waits) {
    passed += changes;
    if (passed < half) continue;
    const middle = ((stepEnds[step - 1] ?? 0) + (stepEnds[step] as number)) / 2;
    return Math.round((middle / 60) * 100) / 100;
  }
  return null;
}

function readWeek(partition: Partition, repoId: string, week: number): WeekCounts {
  return partition.tables.weeks.get([repoId, week]) ?? noCounts;
}

function writeWeek(partition: Partition, repoId: string, week: number, counts: WeekCounts): void {
  const { merged, withoutLabels, waits } = counts;
  if (merged === 0 && waits.length === 0) partition.tables.weeks.removeSync([repoId, week]);
  else partition.tables.weeks.putSync([repoId, week], { merged, withoutLabels, waits });
}
