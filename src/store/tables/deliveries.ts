/**
 * Deliveries that were folded. They are recorded so that a retry by the host or a redelivery by a person changes
 * nothing (`docs/architecture.md` decision 11). A row is written in the same transaction as the changes that the
 * delivery causes. A delivery that became a dead letter has no row.
 */
import { createHash } from 'node:crypto';
import type { EventRecord, InstallationRecord } from '../../protocol/journal.ts';
import { addRow } from '../add-row.ts';
import type { Partition } from '../partition.ts';

/**
 * Returns the key of a delivery. All four fields are needed. The host sends the same delivery id to several webhooks,
 * and a long push is recorded in several parts.
 */
export function deliveryKey(delivery: string, event: string, source: string, part: number): string {
  const key = `${delivery} ${event} ${source} ${part}`;
  return key.length <= 500 ? key : createHash('sha256').update(key).digest('hex');
}

/**
 * Returns the key of the delivery that a record came from. The webhook receiver and the partition's owner both use this
 * function, because their keys must be the same.
 */
export function recordKey(record: EventRecord | InstallationRecord): string {
  const { delivery, source } = record;
  if (record.kind === 'installation') return deliveryKey(delivery, record.kind, source, record.part ?? 0);
  return deliveryKey(delivery, record.body.event, source, record.part);
}

export function isFolded(partition: Partition, key: string): boolean {
  return partition.tables.deliveries.get(key) !== undefined;
}

/** Records a delivery that is not recorded yet. Returns false if it is already recorded. */
export function addDelivery(partition: Partition, key: string, at: number): boolean {
  return addRow(partition.tables.deliveries, key, at);
}

/** Records a delivery, or replaces the time of a recorded delivery. */
export function writeDelivery(partition: Partition, key: string, at: number): void {
  partition.tables.deliveries.putSync(key, at);
}

/** Removes a delivery whose record became a dead letter, so that the delivery is accepted when it is sent again. */
export function removeDelivery(partition: Partition, key: string): void {
  partition.tables.deliveries.removeSync(key);
}

/**
 * Reads up to `limit` deliveries, and removes those that were folded before `before` (milliseconds). Each call
 * continues where the previous call ended. Deliveries have no index by time. Such an index would cost one more write
 * per delivery, but each index entry would be read only once.
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
