/**
 * Folds what is sent to webhook endpoints: events that become deliveries, attempts that were made, and the end of endpoints
 * that do nothing but fail. The queue it leaves is carried out by `workers/webhooks/`.
 */
import { dayMs } from '../../src/foundation/days.ts';
import { hashedId } from '../../src/foundation/ids.ts';
import { endpointsDisabled } from '../../src/foundation/metrics.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { WebhookAttempted, WebhookDelivery, WebhookEndpointRecord } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readDirectoryRepository } from '../../src/store/tables/directory.ts';
import { readTrustedTime } from '../../src/store/tables/retention.ts';
import { findWebhookDelivery, writeWebhookDelivery } from '../../src/store/tables/webhook-deliveries.ts';
import {
  listWebhookEndpoints,
  readWebhookEndpoint,
  writeWebhookEndpoint,
} from '../../src/store/tables/webhook-endpoints.ts';
import { addDelivery, directorySlot, disable } from './webhook-queue.ts';

/** An endpoint that only fails for so long gets no more. */
const failingMs = 5 * dayMs;
/** Attempts of one delivery that are kept. */
const mostAttempts = 20;

/** Writes a delivery of an event down for each endpoint of the organisation that wants it. `recordId` names the event. */
export function foldWebhookEvent(
  partition: Partition,
  { repoId, event, happenedAt, data }: Extract<RelayBody, { relay: 'webhookEvent' }>,
  recordId: string,
): void {
  const orgId = readDirectoryRepository(partition, repoId)?.orgId;
  if (orgId === undefined) return;
  const wanting = listWebhookEndpoints(partition, orgId).filter(({ events }) => events.includes(event));
  if (wanting.length === 0) return;
  const eventId = hashedId('evt', directorySlot, recordId);
  const body = JSON.stringify({ event, timestamp: new Date(happenedAt).toISOString(), data });
  for (const endpoint of wanting) addDelivery(partition, endpoint, { eventId, event, body, createdAt: happenedAt });
}

/** Folds one attempt at time `at`. One that comes twice, or for what is gone, changes nothing. */
export function foldAttempted(partition: Partition, attempted: WebhookAttempted, at: number): void {
  const { endpointId, deliveryId, number, outcome } = attempted;
  const delivery = findWebhookDelivery(partition, endpointId, deliveryId);
  const endpoint = readWebhookEndpoint(partition, endpointId);
  if (!delivery || !endpoint || number !== delivery.attemptCount + 1) return;
  writeWebhookDelivery(partition, {
    ...delivery,
    ...afterwards(delivery, attempted),
    tries: delivery.tries + 1,
    attemptCount: number,
    attempts: [...delivery.attempts, attempted.attempt].slice(-mostAttempts),
  });
  if (outcome === 'delivered') recovered(partition, endpoint);
  else failed(partition, endpoint, outcome, at);
}

/** What becomes of a delivery. One that was skipped while an attempt was under way stays so, unless it arrived. */
function afterwards(
  { status, dueAt }: WebhookDelivery,
  { outcome, retryAt }: WebhookAttempted,
): Pick<WebhookDelivery, 'status' | 'dueAt'> {
  if (outcome === 'delivered') return { status: 'delivered', dueAt: null };
  if (status !== 'pending') return { status, dueAt };
  return outcome === 'failed' && retryAt !== null
    ? { status: 'pending', dueAt: retryAt }
    : { status: 'failed', dueAt: null };
}

function recovered(partition: Partition, endpoint: WebhookEndpointRecord): void {
  if (endpoint.failingSince !== null) writeWebhookEndpoint(partition, { ...endpoint, failingSince: null });
}

function failed(partition: Partition, endpoint: WebhookEndpointRecord, outcome: 'failed' | 'gone', at: number): void {
  if (endpoint.disabled) return;
  const now = calm(partition, at);
  const failingSince = Math.min(endpoint.failingSince ?? now, now);
  const failing = { ...endpoint, failingSince };
  const reason = outcome === 'gone' ? 'gone' : now - failingSince >= failingMs ? 'failing' : undefined;
  if (reason === undefined) {
    if (failingSince !== endpoint.failingSince) writeWebhookEndpoint(partition, failing);
    return;
  }
  disable(partition, failing, reason, at);
  endpointsDisabled.inc({ reason });
}

/** A clock that jumps must not end endpoints: time goes on a day at most with each tick. */
function calm(partition: Partition, at: number): number {
  return Math.min(at, readTrustedTime(partition) || at);
}
