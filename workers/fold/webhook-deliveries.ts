/**
 * Folds deliveries to webhook endpoints: events that become deliveries, the outcomes of attempts, and the disabling of
 * endpoints that keep failing. `workers/webhooks/` sends the deliveries in the queue.
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
import { wants } from './webhook-filters.ts';
import { addDelivery, directorySlot, disable } from './webhook-queue.ts';

/** Time in milliseconds. If all deliveries of an endpoint fail for this long, the endpoint is disabled. */
const failingMs = 5 * dayMs;
/** Maximum number of attempts that are kept per delivery. */
const maxAttempts = 20;

type EventRelay = Extract<RelayBody, { relay: 'webhookEvent' }>;

/**
 * Adds a delivery of a relayed event for each endpoint that wants the event. Only endpoints of the repository's
 * organization are considered. The id of the event is derived from `recordId`.
 */
export function foldWebhookEvent(partition: Partition, relay: EventRelay, recordId: string): void {
  const orgId = readDirectoryRepository(partition, relay.repoId)?.orgId;
  if (orgId !== undefined) sendEvent(partition, orgId, relay, recordId);
}

/**
 * Adds a delivery of an event for each endpoint of an organization that wants the event. If there is no such endpoint,
 * nothing is written.
 * @param seed text from which the id of the event is derived; no other event has the same text
 */
export function sendEvent(
  partition: Partition,
  orgId: string,
  reported: Omit<EventRelay, 'relay'>,
  seed: string,
): void {
  const { event, happenedAt, data } = reported;
  const wanting = listWebhookEndpoints(partition, orgId).filter((endpoint) => wants(endpoint, reported));
  if (wanting.length === 0) return;
  const eventId = hashedId('evt', directorySlot, seed);
  const body = JSON.stringify({ event, timestamp: new Date(happenedAt).toISOString(), data });
  for (const endpoint of wanting) addDelivery(partition, endpoint, { eventId, event, body, createdAt: happenedAt });
}

/**
 * Folds one attempt at time `at`. The attempt changes nothing if it is a duplicate, or if its delivery or endpoint was
 * removed.
 */
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
    attempts: [...delivery.attempts, attempted.attempt].slice(-maxAttempts),
  });
  if (outcome === 'delivered') recovered(partition, endpoint);
  else failed(partition, endpoint, outcome, at);
}

/**
 * Returns the state of a delivery after an attempt. A delivery that was skipped during the attempt stays skipped,
 * unless the attempt succeeded.
 */
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
  const now = steadyTime(partition, at);
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

/**
 * Returns the time with which an endpoint's failing period is measured: the earlier of `at` and the trusted time. The
 * trusted time moves by at most a day per tick. A clock that jumps ahead therefore does not disable endpoints.
 */
function steadyTime(partition: Partition, at: number): number {
  return Math.min(at, readTrustedTime(partition) || at);
}
