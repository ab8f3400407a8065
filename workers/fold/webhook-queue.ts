/**
 * What goes into the queue of a webhook endpoint and what leaves it unsent: new deliveries, the end of an endpoint.
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

/** The slot in ids of what lives in the directory. */
export const directorySlot = 0;

/** Writes one delivery down; it is skipped where the endpoint is disabled, and can be replayed later. */
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

/** Removes an endpoint and all that was ever sent to it. */
export function eraseWebhookEndpoint(partition: Partition, endpoint: WebhookEndpointRecord): void {
  removeWebhookDeliveries(partition, endpoint.id);
  removeWebhookEndpoint(partition, endpoint);
}

/** Stops sending to an endpoint; what waits for it is skipped. */
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
