/**
 * Folds the writes of webhook endpoints. Secrets arrive sealed and stay sealed. `webhook-deliveries.ts` folds the
 * deliveries to endpoints.
 */
import type { CommandResult } from '../../src/protocol/commands.ts';
import { testEvent, type WebhookCommand, type WebhookEndpointRecord } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOrganization } from '../../src/store/tables/directory.ts';
import { isSame, type WebhookAddress } from '../../src/store/tables/webhook-addresses.ts';
import {
  findWebhookDelivery,
  listWebhookDeliveries,
  webhookDeliveryResponse,
  writeWebhookDelivery,
} from '../../src/store/tables/webhook-deliveries.ts';
import {
  listWebhookEndpoints,
  readWebhookEndpoint,
  webhookEndpointDigest,
  webhookEndpointResponse,
  writeWebhookEndpoint,
} from '../../src/store/tables/webhook-endpoints.ts';
import { missing, stale } from './refusals.ts';
import { withFilters } from './webhook-filters.ts';
import { addDelivery, disable, eraseWebhookEndpoint } from './webhook-queue.ts';

type Named<Name extends WebhookCommand['name']> = Extract<WebhookCommand, { name: Name }>;

/**
 * Maximum number of endpoints per organization for records of earlier versions of Tidings. These versions had no
 * setting for this maximum.
 */
const formerMax = 20;
/**
 * Maximum number of secrets that are used for signing at a time. Each adds a signature to the header of every delivery.
 */
const maxTexts = 4;

/** Carries out one command at time `at`. */
export function foldWebhookCommand(partition: Partition, command: WebhookCommand, at: number): CommandResult {
  if (command.name === 'createWebhookEndpoint') return create(partition, command, at);
  if (command.name === 'sealWebhookAddresses') return sealAddresses(partition, command);
  const endpoint = readWebhookEndpoint(partition, command.endpointId);
  if (!endpoint) return missing('Webhook endpoint', command.endpointId);
  switch (command.name) {
    case 'updateWebhookEndpoint':
      return update(partition, endpoint, command, at);
    case 'rotateWebhookEndpointSecret':
      return rotate(partition, endpoint, command, at);
    case 'deleteWebhookEndpoint':
      eraseWebhookEndpoint(partition, endpoint);
      return { ok: true, value: { id: endpoint.id, deletedAt: new Date(at).toISOString() } };
    case 'testWebhookEndpoint':
      return test(partition, endpoint, command.eventId, at);
    case 'resendWebhookDelivery':
      return resend(partition, endpoint, command.deliveryId);
    case 'replayWebhookDeliveries':
      return replay(partition, endpoint, command);
  }
}

function create(
  partition: Partition,
  { endpoint, most: max }: Named<'createWebhookEndpoint'>,
  at: number,
): CommandResult {
  if (!readOrganization(partition, endpoint.orgId)) return missing('Organization', endpoint.orgId);
  const limit = max ?? formerMax;
  if (limit > 0 && listWebhookEndpoints(partition, endpoint.orgId).length >= limit) {
    const setting = max === undefined ? '' : ' (TIDINGS_MAX_WEBHOOK_ENDPOINTS)';
    return conflict(`An organization has at most ${limit} webhook endpoints${setting}. Delete one.`);
  }
  return saved(partition, withFilters({ ...endpoint, createdAt: at, updatedAt: at }, {}));
}

function update(
  partition: Partition,
  before: WebhookEndpointRecord,
  command: Named<'updateWebhookEndpoint'>,
  at: number,
): CommandResult {
  const { url, query, description, events, enabled, ifMatch } = command;
  if (ifMatch && !ifMatch.includes(webhookEndpointDigest(before))) return stale('Webhook endpoint', before.id);
  const moved = url !== undefined && (url !== before.url || query?.digest !== before.query?.digest);
  const endpoint = {
    ...withFilters(url === undefined ? before : addressed(before, { url, ...(query && { query }) }), command),
    description: description ?? before.description,
    events: events ?? before.events,
    // The failures belong to the old address, so a new address starts without failures.
    failingSince: moved ? null : before.failingSince,
    updatedAt: at,
  };
  if (enabled === true && before.disabled) return saved(partition, { ...endpoint, disabled: null, failingSince: null });
  if (enabled === false && !before.disabled) {
    return resultOf(disable(partition, endpoint, 'user', at));
  }
  return saved(partition, endpoint);
}

/**
 * Replaces addresses that an earlier version of Tidings stored in plain text. In each new address, the query is sealed.
 * An endpoint that has changed since its address was sealed is skipped. The address of a changed endpoint is sealed
 * after the next start.
 */
function sealAddresses(partition: Partition, { addresses }: Named<'sealWebhookAddresses'>): CommandResult {
  let endpoints = 0;
  for (const { endpointId, updatedAt, ...address } of addresses) {
    const endpoint = readWebhookEndpoint(partition, endpointId);
    if (!endpoint || endpoint.updatedAt !== updatedAt || !isSame(endpoint, address)) continue;
    writeWebhookEndpoint(partition, addressed(endpoint, address));
    endpoints += 1;
  }
  return { ok: true, value: { endpoints } };
}

/** Returns the endpoint with a new address. The query of the former address is removed. */
function addressed({ query: _, ...endpoint }: WebhookEndpointRecord, address: WebhookAddress): WebhookEndpointRecord {
  return { ...endpoint, ...address };
}

/**
 * Replaces the current secret with a new one. For `overlapMs` after that, deliveries are signed with the former secret
 * too. If `overlapMs` is 0, the former secret and all older ones end immediately.
 */
function rotate(
  partition: Partition,
  endpoint: WebhookEndpointRecord,
  { sealed, overlapMs }: Named<'rotateWebhookEndpointSecret'>,
  at: number,
): CommandResult {
  const older = overlapMs > 0 ? endpoint.previous.filter(({ until }) => until > at) : [];
  if (older.length + 2 > maxTexts) {
    return conflict(
      `An endpoint has at most ${maxTexts} valid secrets at a time, including old ones after a rotation. Rotate without overlap.`,
    );
  }
  const previous = overlapMs > 0 ? [{ sealed: endpoint.sealed, until: at + overlapMs }, ...older] : [];
  return saved(partition, { ...endpoint, sealed, previous, updatedAt: at });
}

function test(partition: Partition, endpoint: WebhookEndpointRecord, eventId: string, at: number): CommandResult {
  if (endpoint.disabled) return disabledConflict();
  const body = JSON.stringify({
    event: testEvent,
    timestamp: new Date(at).toISOString(),
    data: { endpointId: endpoint.id },
  });
  const delivery = addDelivery(partition, endpoint, { eventId, event: testEvent, body, createdAt: at });
  return { ok: true, value: webhookDeliveryResponse(delivery) };
}

function resend(partition: Partition, endpoint: WebhookEndpointRecord, deliveryId: string): CommandResult {
  const delivery = findWebhookDelivery(partition, endpoint.id, deliveryId);
  if (!delivery) return missing('Webhook delivery', deliveryId);
  if (endpoint.disabled) return disabledConflict();
  const again = { ...delivery, status: 'pending', dueAt: 0, tries: 0 } as const;
  writeWebhookDelivery(partition, again);
  return { ok: true, value: webhookDeliveryResponse(again) };
}

/**
 * Puts an endpoint's deliveries into the queue again. This applies to deliveries that were created at `from` or later
 * and before `to`. Deliveries that are still waiting do not change.
 */
function replay(
  partition: Partition,
  endpoint: WebhookEndpointRecord,
  { from, to, status }: Named<'replayWebhookDeliveries'>,
): CommandResult {
  if (endpoint.disabled) return disabledConflict();
  const wanted = listWebhookDeliveries(partition, endpoint.id).filter(
    (each) =>
      each.createdAt >= from &&
      each.createdAt < to &&
      each.status !== 'pending' &&
      (status === null || each.status === status),
  );
  for (const delivery of wanted) {
    writeWebhookDelivery(partition, { ...delivery, status: 'pending', dueAt: 0, tries: 0 });
  }
  return { ok: true, value: { endpointId: endpoint.id, replayed: wanted.length } };
}

function saved(partition: Partition, endpoint: WebhookEndpointRecord): CommandResult {
  writeWebhookEndpoint(partition, endpoint);
  return resultOf(endpoint);
}

function resultOf(endpoint: WebhookEndpointRecord): CommandResult {
  return { ok: true, value: { ...webhookEndpointResponse(endpoint), digest: webhookEndpointDigest(endpoint) } };
}

function disabledConflict(): CommandResult {
  return conflict('The webhook endpoint is disabled. Enable it first.');
}

function conflict(message: string): CommandResult {
  return { ok: false, kind: 'conflict', message };
}
