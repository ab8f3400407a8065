/**
 * Deliveries of outgoing webhooks: by endpoint in the order of events, by id, by age, and those that are to be sent in a
 * queue of their endpoint. When something is sent, and what comes of it, is folded elsewhere.
 */
import type { WebhookDelivery } from '../../protocol/webhooks.ts';
import type { Partition } from '../partition.ts';
import { readCounter, writeCounter } from './meta.ts';

/** As many deliveries of an endpoint are kept, beside those that are still to be sent. */
const mostDeliveries = 1000;
/** As many of the oldest are looked at when one must go. */
const lookedAt = 20;

type Key = [endpointId: string, number: number];

/** A delivery that waits for its turn. */
export interface Queued {
  endpointId: string;
  /** Milliseconds since 1970; 0 = at once. */
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

/** A delivery of an endpoint by its id; undefined when it is another endpoint's. */
export function findWebhookDelivery(partition: Partition, endpointId: string, id: string): WebhookDelivery | undefined {
  const key: Key | undefined = partition.tables.webhookDeliveriesById.get(id);
  return key?.[0] === endpointId ? readWebhookDelivery(partition, ...key) : undefined;
}

/** Writes a delivery and its place in the queue. A new one may push old ones out. */
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
  if (count > mostDeliveries) trim(partition, endpointId);
}

/** All deliveries of an endpoint, oldest first. */
export function listWebhookDeliveries(partition: Partition, endpointId: string): WebhookDelivery[] {
  const rows = partition.tables.webhookDeliveries.getRange(rangeOf(endpointId));
  return [...rows].map((row) => row.value as WebhookDelivery);
}

/** What waits for an endpoint, in the order in which it is sent. */
export function* listQueue(partition: Partition, endpointId: string): Iterable<Queued> {
  for (const key of partition.tables.webhookQueue.getKeys(rangeOf(endpointId))) yield toQueued(key as QueueKey);
}

/** What is next for each endpoint that anything waits for: a step each, however much waits. */
export function* listQueueHeads(partition: Partition): Iterable<Queued> {
  for (let start: Key | [] = []; ; ) {
    const [key] = [...partition.tables.webhookQueue.getKeys({ start, limit: 1 })];
    if (key === undefined) return;
    const head = toQueued(key as QueueKey);
    yield head;
    start = rangeOf(head.endpointId).end;
  }
}

/** How many deliveries wait, of all endpoints. */
export function countQueue(partition: Partition): number {
  return partition.tables.webhookQueue.getKeysCount({});
}

/** Removes deliveries that were made before `time`, at most so many. */
export function removeWebhookDeliveriesBefore(partition: Partition, time: number, limit: number): void {
  const keys = [...partition.tables.webhookDeliveriesByTime.getKeys({ end: [time], limit })];
  for (const [, endpointId, number] of keys as [number, string, number][]) {
    const delivery = readWebhookDelivery(partition, endpointId, number);
    if (delivery) remove(partition, delivery);
  }
}

/** Removes all deliveries of an endpoint. */
export function removeWebhookDeliveries(partition: Partition, endpointId: string): void {
  for (const delivery of listWebhookDeliveries(partition, endpointId)) remove(partition, delivery);
  partition.tables.meta.removeSync(counterOf(endpointId));
}

/** A delivery as the API answers it. */
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

/** Lets the oldest go that are not to be sent any more. */
function trim(partition: Partition, endpointId: string): void {
  const oldest = [...partition.tables.webhookDeliveries.getRange({ ...rangeOf(endpointId), limit: lookedAt })];
  for (const { value } of oldest) {
    if (countOf(partition, endpointId) <= mostDeliveries) return;
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
