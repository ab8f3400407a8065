/**
 * What organisations and keys have used, as counted by the directory: calls, drafts and publications by month, the running
 * day of the daily limit, when a key was last used, and how far each gateway's counting is folded.
 */
import type { Partition } from '../partition.ts';

/** What is counted for an organisation in a month. */
export interface MonthUsage {
  apiCalls: number;
  draftsGenerated: number;
  publishedReleases: number;
  publications: number;
}

/** The daily window of an organisation: since when (milliseconds), and the calls taken from it. */
export interface DayUsage {
  since: number;
  used: number;
}

/** What keys of the instance use is counted under this name. */
export const instanceUsage = 'instance';

/** Months that are kept of an organisation. */
const keptMonths = 24;

/** A month as usage counts it, `YYYY-MM` in UTC. */
export function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7);
}

export function readMonth(partition: Partition, org: string, month: string): MonthUsage {
  const none = { apiCalls: 0, draftsGenerated: 0, publishedReleases: 0, publications: 0 };
  return { ...none, ...partition.tables.usage.get(['month', org, month]) };
}

/** Adds to a month's counts. The oldest months go. */
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
    // A month without any has the bytes that earlier versions wrote.
    ...(publications > 0 && { publications }),
  });
  if (!isNew) return;
  const months = [...usage.getKeys({ start: ['month', org, ''], end: ['month', org, '~'] })];
  for (const old of months.slice(0, -keptMonths)) usage.removeSync(old);
}

export function readDay(partition: Partition, org: string): DayUsage | undefined {
  return partition.tables.usage.get(['day', org]);
}

/** Adds calls to a daily window. A later window takes the place of an earlier one, and what is late for it is dropped. */
export function addToDay(partition: Partition, org: string, since: number, calls: number): void {
  const before = readDay(partition, org);
  if (before && before.since > since) return;
  const used = before?.since === since ? before.used + calls : calls;
  partition.tables.usage.putSync(['day', org], { since, used });
}

/** All daily windows by organisation. */
export function listDays(partition: Partition): { org: string; day: DayUsage }[] {
  const rows = partition.tables.usage.getRange({ start: ['day', ''], end: ['day', '~'] });
  return [...rows].map(({ key, value }) => ({ org: key[1] as string, day: value as DayUsage }));
}

/** When a key was last used, to the minute; undefined for never. */
export function readKeyUse(partition: Partition, keyId: string): number | undefined {
  return partition.tables.usage.get(['key', keyId]);
}

export function writeKeyUse(partition: Partition, keyId: string, usedAt: number): void {
  partition.tables.usage.putSync(['key', keyId], usedAt);
}

/** Number of the last usage record of a gateway's life that is folded; 0 for none. */
export function readBoot(partition: Partition, boot: string): number {
  return partition.tables.usage.get(['boot', boot]) ?? 0;
}

export function writeBoot(partition: Partition, boot: string, number: number): void {
  partition.tables.usage.putSync(['boot', boot], number);
}

/** Forgets gateways whose boot id sorts before `boot`. */
export function removeBootsBefore(partition: Partition, boot: string): void {
  const { usage } = partition.tables;
  for (const key of [...usage.getKeys({ start: ['boot', ''], end: ['boot', boot] })]) usage.removeSync(key);
}

/** Removes all that was counted for an organisation. */
export function removeUsage(partition: Partition, org: string): void {
  const { usage } = partition.tables;
  for (const key of [...usage.getKeys({ start: ['month', org, ''], end: ['month', org, '~'] })]) usage.removeSync(key);
  usage.removeSync(['day', org]);
}

export function removeKeyUse(partition: Partition, keyId: string): void {
  partition.tables.usage.removeSync(['key', keyId]);
}
