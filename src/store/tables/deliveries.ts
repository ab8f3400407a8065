/**
 * Deliveries that were folded, so that a host's retry or a person's redelivery changes nothing (`docs/architecture.md` decision 11).
 * Written in the transaction of the effect; a delivery that was dead-lettered is not here.
 */
import { createHash } from 'node:crypto';
import type { EventRecord, InstallationRecord } from '../../protocol/journal.ts';
import type { Partition } from '../partition.ts';

/** Identity of a delivery: the host's id is unique per event, not per hook, and a long push has parts. */
export function deliveryKey(delivery: string, event: string, source: string, part: number): string {
  const key = `${delivery} ${event} ${source} ${part}`;
  return key.length <= 500 ? key : createHash('sha256').update(key).digest('hex');
}

/** The key of a record that a delivery became; the receiver and the owner must agree on it. */
export function recordKey(record: EventRecord | InstallationRecord): string {
  const { delivery, source } = record;
  if (record.kind === 'installation') return deliveryKey(delivery, record.kind, source, record.part ?? 0);
  return deliveryKey(delivery, record.body.event, source, record.part);
}

export function isFolded(partition: Partition, key: string): boolean {
  return partition.tables.deliveries.get(key) !== undefined;
}

export function writeDelivery(partition: Partition, key: string, at: number): void {
  partition.tables.deliveries.putSync(key, at);
}

/** Forgets one delivery: what came of it was set aside, so it may come again. */
export function removeDelivery(partition: Partition, key: string): void {
  partition.tables.deliveries.removeSync(key);
}

/**
 * Looks at up to `limit` deliveries, from where the last call ended, and forgets those folded before `before`
 * (milliseconds). An index by time would be moved with every delivery to be read once in its life.
 */
export function removeDeliveriesBefore(partition: Partition, before: number, limit: number): void {
  const { deliveries, meta } = partition.tables;
  const start: string = meta.get(sweptKey) ?? '';
  const rows = [...deliveries.getRange({ start, limit })] as { key: string; value: number }[];
  for (const { key, value } of rows) if (value < before) deliveries.removeSync(key);
  const next = rows.length < limit ? '' : (rows[rows.length - 1]?.key ?? '');
  if (next !== start) meta.putSync(sweptKey, next);
}

const sweptKey = 'deliveries swept';
