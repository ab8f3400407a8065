/**
 * Adds deliveries to the queue of a webhook endpoint, removes them when the endpoint is erased, and skips them when the
 * endpoint is disabled.
 */
import { hashedId } from '../../src/foundation/ids.ts';
import type { DisabledReason, WebhookDelivery, WebhookEndpointRecord } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { nextNumber } from '../../src/store/tables/meta.ts';
import {
  listQueue,
  readWebhookDelivery,
  removeWebhookDeliveries,
  writeWebhookDelivery,
} from '../../src/store/tables/webhook-deliveries.ts';
import { removeWebhookEndpoint, writeWebhookEndpoint } from '../../src/store/tables/webhook-endpoints.ts';

/** Slot of the directory partition. The ids of the partition's records contain this number. */
export const directorySlot = 0;

/** Adds one delivery. If the endpoint is disabled, the delivery is skipped and can be replayed later. */
export function addDelivery(
  partition: Partition,
  endpoint: WebhookEndpointRecord,
  message: Pick<WebhookDelivery, 'eventId' | 'event' | 'body' | 'createdAt'>,
): WebhookDelivery {
  const isOn = endpoint.disabled === null;
  const delivery: WebhookDelivery = {
    ...message,
    id: hashedId('dlv', directorySlot, `${message.eventId}\n${endpoint.id}`),
    endpointId: endpoint.id,
    number: nextNumber(partition, 'webhookDeliveries'),
    status: isOn ? 'pending' : 'skipped',
    dueAt: isOn ? 0 : null,
    tries: 0,
    attemptCount: 0,
    attempts: [],
  };
  writeWebhookDelivery(partition, delivery);
  return delivery;
}

/** Removes an endpoint and all of its deliveries. */
export function eraseWebhookEndpoint(partition: Partition, endpoint: WebhookEndpointRecord): void {
  removeWebhookDeliveries(partition, endpoint.id);
  removeWebhookEndpoint(partition, endpoint);
}

/** Disables an endpoint. Deliveries in its queue are skipped. */
export function disable(
  partition: Partition,
  endpoint: WebhookEndpointRecord,
  reason: DisabledReason,
  at: number,
): WebhookEndpointRecord {
  const disabled = { ...endpoint, disabled: { reason, at }, updatedAt: at };
  writeWebhookEndpoint(partition, disabled);
  for (const { number } of [...listQueue(partition, endpoint.id)]) {
    const delivery = readWebhookDelivery(partition, endpoint.id, number);
    if (delivery) writeWebhookDelivery(partition, { ...delivery, status: 'skipped', dueAt: null });
  }
  return disabled;
}
