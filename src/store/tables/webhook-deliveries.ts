/**
 * Deliveries of outgoing webhooks, stored by endpoint in the order of their events. There is an index by id, and one by
 * time of creation. Deliveries that are not sent yet are also in the queue of their endpoint. Other files decide when a
 * delivery is sent, and fold the outcome of the delivery.
 */
import type { WebhookDelivery } from '../../protocol/webhooks.ts';
import type { Partition } from '../partition.ts';
import { readCounter, writeCounter } from './meta.ts';

/**
 * Number of deliveries that are kept per endpoint. Deliveries that still wait to be sent are never removed because of
 * this maximum.
 */
const maxDeliveries = 1000;
/** How many of the oldest deliveries of an endpoint are read to find deliveries that can be removed. */
const rowsPerTrim = 20;

type Key = [endpointId: string, number: number];

/** A delivery that waits in the queue of its endpoint. */
export interface Queued {
  endpointId: string;
  /** When the delivery is due, in milliseconds since 1970; 0 = now. */
  dueAt: number;
  number: number;
}

export function readWebhookDelivery(
  partition: Partition,
  endpointId: string,
  number: number,
): WebhookDelivery | undefined {
  return partition.tables.webhookDeliveries.get([endpointId, number]);
}

/** Returns a delivery of an endpoint by its id; undefined if the id belongs to another endpoint. */
export function findWebhookDelivery(partition: Partition, endpointId: string, id: string): WebhookDelivery | undefined {
  const key: Key | undefined = partition.tables.webhookDeliveriesById.get(id);
  return key?.[0] === endpointId ? readWebhookDelivery(partition, ...key) : undefined;
}

/**
 * Writes a delivery and its position in the queue. If a new delivery makes an endpoint exceed `maxDeliveries`, old
 * deliveries of the endpoint are removed.
 */
export function writeWebhookDelivery(partition: Partition, delivery: WebhookDelivery): void {
  const { webhookDeliveries, webhookDeliveriesById, webhookDeliveriesByTime, webhookQueue } = partition.tables;
  const { id, endpointId, number, dueAt, createdAt } = delivery;
  const before = readWebhookDelivery(partition, endpointId, number);
  const wasDue = before?.dueAt ?? null;
  if (wasDue !== null && wasDue !== dueAt) webhookQueue.removeSync([endpointId, wasDue, number]);
  if (dueAt !== null && wasDue !== dueAt) webhookQueue.putSync([endpointId, dueAt, number], true);
  webhookDeliveries.putSync([endpointId, number], delivery);
  if (before) return;
  webhookDeliveriesById.putSync(id, [endpointId, number]);
  webhookDeliveriesByTime.putSync([createdAt, endpointId, number], true);
  const count = countOf(partition, endpointId) + 1;
  writeCounter(partition, counterOf(endpointId), count);
  if (count > maxDeliveries) trim(partition, endpointId);
}

/** Returns all deliveries of an endpoint, oldest first. */
export function listWebhookDeliveries(partition: Partition, endpointId: string): WebhookDelivery[] {
  const rows = partition.tables.webhookDeliveries.getRange(rangeOf(endpointId));
  return [...rows].map((row) => row.value as WebhookDelivery);
}

/** Yields the waiting deliveries of an endpoint, in the order in which they are sent. */
export function* listQueue(partition: Partition, endpointId: string): Iterable<Queued> {
  for (const key of partition.tables.webhookQueue.getKeys(rangeOf(endpointId))) yield toQueued(key as QueueKey);
}

/**
 * Yields the next waiting delivery of each endpoint. The function needs one read per endpoint, no matter how many
 * deliveries wait.
 */
export function* listQueueHeads(partition: Partition): Iterable<Queued> {
  for (let start: Key | [] = []; ; ) {
    const [key] = [...partition.tables.webhookQueue.getKeys({ start, limit: 1 })];
    if (key === undefined) return;
    const head = toQueued(key as QueueKey);
    yield head;
    start = rangeOf(head.endpointId).end;
  }
}

/** Returns how many deliveries of all endpoints wait to be sent. */
export function countQueue(partition: Partition): number {
  return partition.tables.webhookQueue.getKeysCount({});
}

/** Removes up to `limit` deliveries that were created before `time` (milliseconds). */
export function removeWebhookDeliveriesBefore(partition: Partition, time: number, limit: number): void {
  const keys = [...partition.tables.webhookDeliveriesByTime.getKeys({ end: [time], limit })];
  for (const [, endpointId, number] of keys as [number, string, number][]) {
    const delivery = readWebhookDelivery(partition, endpointId, number);
    if (delivery) remove(partition, delivery);
  }
}

/** Removes all deliveries of an endpoint, and their counter. */
export function removeWebhookDeliveries(partition: Partition, endpointId: string): void {
  for (const delivery of listWebhookDeliveries(partition, endpointId)) remove(partition, delivery);
  partition.tables.meta.removeSync(counterOf(endpointId));
}

/** Returns the object that represents a delivery in API replies. */
export function webhookDeliveryResponse(delivery: WebhookDelivery): Record<string, unknown> & { id: string } {
  const { id, endpointId, eventId, event, body, status, dueAt, attemptCount, attempts, createdAt } = delivery;
  return {
    id,
    endpointId,
    eventId,
    event,
    status,
    payload: JSON.parse(body),
    attemptCount,
    attempts: attempts.map(({ at, ...attempt }) => ({ at: new Date(at).toISOString(), ...attempt })),
    nextAttemptAt: dueAt === null ? null : new Date(dueAt || createdAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}

/**
 * Removes the oldest deliveries of an endpoint if there are more than `maxDeliveries`. Deliveries that wait to be sent
 * are not removed.
 */
function trim(partition: Partition, endpointId: string): void {
  const oldest = [...partition.tables.webhookDeliveries.getRange({ ...rangeOf(endpointId), limit: rowsPerTrim })];
  for (const { value } of oldest) {
    if (countOf(partition, endpointId) <= maxDeliveries) return;
    if (value.status !== 'pending') remove(partition, value);
  }
}

function remove(partition: Partition, { id, endpointId, number, dueAt, createdAt }: WebhookDelivery): void {
  const { webhookDeliveries, webhookDeliveriesById, webhookDeliveriesByTime, webhookQueue } = partition.tables;
  if (dueAt !== null) webhookQueue.removeSync([endpointId, dueAt, number]);
  webhookDeliveriesByTime.removeSync([createdAt, endpointId, number]);
  webhookDeliveriesById.removeSync(id);
  webhookDeliveries.removeSync([endpointId, number]);
  writeCounter(partition, counterOf(endpointId), countOf(partition, endpointId) - 1);
}

function countOf(partition: Partition, endpointId: string): number {
  return readCounter(partition, counterOf(endpointId));
}

function counterOf(endpointId: string): string {
  return `deliveries ${endpointId}`;
}

type QueueKey = [endpointId: string, dueAt: number, number: number];

function toQueued([endpointId, dueAt, number]: QueueKey): Queued {
  return { endpointId, dueAt, number };
}

function rangeOf(endpointId: string): { start: Key; end: Key } {
  return { start: [endpointId, 0], end: [endpointId, Number.MAX_VALUE] };
}
