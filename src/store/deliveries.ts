/**
 * Deliveries that were folded, so that a host's retry or a person's redelivery changes nothing (`docs/architecture.md` decision 11).
 * Written in the transaction of the effect; a delivery that was dead-lettered is not here.
 */
import { createHash } from 'node:crypto';
import type { Partition } from './partition.ts';

/** Identity of a delivery: the host's id is unique per event, not per hook, and a long push has parts. */
export function deliveryKey(delivery: string, event: string, source: string, part: number): string {
  const key = `${delivery} ${event} ${source} ${part}`;
  return key.length <= 500 ? key : createHash('sha256').update(key).digest('hex');
}

export function isFolded(partition: Partition, key: string): boolean {
  return partition.tables.deliveries.get(key) !== undefined;
}

export function writeDelivery(partition: Partition, key: string, at: number): void {
  partition.tables.deliveries.putSync(key, at);
  partition.tables.deliveriesByTime.putSync([at, key], true);
}

/** Forgets one delivery: what came of it was set aside, so it may come again. */
export function removeDelivery(partition: Partition, key: string): void {
  const at: number | undefined = partition.tables.deliveries.get(key);
  if (at === undefined) return;
  partition.tables.deliveriesByTime.removeSync([at, key]);
  partition.tables.deliveries.removeSync(key);
}

/** Forgets up to `limit` deliveries folded before `before` (milliseconds). */
export function removeDeliveriesBefore(partition: Partition, before: number, limit: number): number {
  const keys = [...partition.tables.deliveriesByTime.getKeys({ end: [before], limit })] as [number, string][];
  for (const key of keys) {
    partition.tables.deliveriesByTime.removeSync(key);
    partition.tables.deliveries.removeSync(key[1]);
  }
  return keys.length;
}
