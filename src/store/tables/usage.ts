/**
 * Usage of organizations and keys, stored in the directory partition. The stored usage consists of the API calls,
 * drafts and publications per month, the current window of the daily limit, and the last use of each key. For each run
 * of the gateway, one row contains the number of the last folded usage record.
 */
import type { Partition } from '../partition.ts';

/** The counters of an organization for one month. */
export interface MonthUsage {
  apiCalls: number;
  draftsGenerated: number;
  publishedReleases: number;
  publications: number;
}

/** The current daily window of an organization: when it began (milliseconds), and the number of calls counted in it. */
export interface DayUsage {
  since: number;
  used: number;
}

/** Usage of instance keys is counted under this name. */
export const instanceUsage = 'instance';

/** Number of months that are kept per organization. */
const keptMonths = 24;

/** Returns the month of a time, as `YYYY-MM` in UTC. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

export function readMonth(partition: Partition, org: string, month: string): MonthUsage {
  const none = { apiCalls: 0, draftsGenerated: 0, publishedReleases: 0, publications: 0 };
  return { ...none, ...partition.tables.usage.get(['month', org, month]) };
}

/**
 * Adds `more` to the counters of a month. If there are more than `keptMonths` months, the oldest months are removed.
 */
export function addToMonth(partition: Partition, org: string, month: string, more: Partial<MonthUsage>): void {
  const { usage } = partition.tables;
  const key = ['month', org, month];
  const isNew = usage.get(key) === undefined;
  const before = readMonth(partition, org, month);
  const sum = (counter: keyof MonthUsage): number => before[counter] + (more[counter] ?? 0);
  const publications = sum('publications');
  usage.putSync(key, {
    apiCalls: sum('apiCalls'),
    draftsGenerated: sum('draftsGenerated'),
    publishedReleases: sum('publishedReleases'),
    // The field is omitted when it is 0, so that a month without publications has the same bytes as in earlier versions
    // of Tidings.
    ...(publications > 0 && { publications }),
  });
  if (!isNew) return;
  const months = [...usage.getKeys({ start: ['month', org, ''], end: ['month', org, '~'] })];
  for (const old of months.slice(0, -keptMonths)) usage.removeSync(old);
}

export function readDay(partition: Partition, org: string): DayUsage | undefined {
  return partition.tables.usage.get(['day', org]);
}

/**
 * Adds calls to the daily window that began at `since`. If this window is later than the stored window, it replaces the
 * stored window. If this window is earlier, the calls are dropped.
 */
export function addToDay(partition: Partition, org: string, since: number, calls: number): void {
  const before = readDay(partition, org);
  if (before && before.since > since) return;
  const used = before?.since === since ? before.used + calls : calls;
  partition.tables.usage.putSync(['day', org], { since, used });
}

/** Returns all daily windows, by organization. */
export function listDays(partition: Partition): { org: string; day: DayUsage }[] {
  const rows = partition.tables.usage.getRange({ start: ['day', ''], end: ['day', '~'] });
  return [...rows].map(({ key, value }) => ({ org: key[1] as string, day: value as DayUsage }));
}

/**
 * Returns when a key was last used, in milliseconds; undefined if the key was never used. The time is accurate to the
 * minute.
 */
export function readKeyUse(partition: Partition, keyId: string): number | undefined {
  return partition.tables.usage.get(['key', keyId]);
}

export function writeKeyUse(partition: Partition, keyId: string, usedAt: number): void {
  partition.tables.usage.putSync(['key', keyId], usedAt);
}

/** Returns the number of the last folded usage record of one gateway run; 0 if there is none. */
export function readBoot(partition: Partition, boot: string): number {
  return partition.tables.usage.get(['boot', boot]) ?? 0;
}

export function writeBoot(partition: Partition, boot: string, number: number): void {
  partition.tables.usage.putSync(['boot', boot], number);
}

/** Removes the rows of gateway runs whose boot id is lower than `boot` in sort order. */
export function removeBootsBefore(partition: Partition, boot: string): void {
  const { usage } = partition.tables;
  for (const key of [...usage.getKeys({ start: ['boot', ''], end: ['boot', boot] })]) usage.removeSync(key);
}

/** Removes all counters of an organization. */
export function removeUsage(partition: Partition, org: string): void {
  const { usage } = partition.tables;
  for (const key of [...usage.getKeys({ start: ['month', org, ''], end: ['month', org, '~'] })]) usage.removeSync(key);
  usage.removeSync(['day', org]);
}

export function removeKeyUse(partition: Partition, keyId: string): void {
  partition.tables.usage.removeSync(['key', keyId]);
}
