/**
 * Folds the writes of webhook endpoints. Secrets arrive sealed and stay so; what is sent to an endpoint is another file's
 * matter.
 */
import type { CommandResult } from '../../src/protocol/commands.ts';
import { testEvent, type WebhookCommand, type WebhookEndpointRecord } from '../../src/protocol/webhooks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOrganisation } from '../../src/store/tables/directory.ts';
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
import { addDelivery, disable, eraseWebhookEndpoint } from './webhook-queue.ts';

type Named<Name extends WebhookCommand['name']> = Extract<WebhookCommand, { name: Name }>;

/** What an organisation could have before that was a setting. */
const formerMost = 20;
/** Texts that sign at one time. Each is a signature in the header of every delivery. */
const mostTexts = 4;

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

function create(partition: Partition, { endpoint, most }: Named<'createWebhookEndpoint'>, at: number): CommandResult {
  if (!readOrganisation(partition, endpoint.orgId)) return missing('Organization', endpoint.orgId);
  const limit = most ?? formerMost;
  if (limit > 0 && listWebhookEndpoints(partition, endpoint.orgId).length >= limit) {
    const setting = most === undefined ? '' : ' (TIDINGS_MAX_WEBHOOK_ENDPOINTS)';
    return conflict(`An organization has at most ${limit} webhook endpoints${setting}. Delete one.`);
  }
  return saved(partition, { ...endpoint, createdAt: at, updatedAt: at });
}

function update(
  partition: Partition,
  before: WebhookEndpointRecord,
  { url, query, description, events, enabled, ifMatch }: Named<'updateWebhookEndpoint'>,
  at: number,
): CommandResult {
  if (ifMatch && !ifMatch.includes(webhookEndpointDigest(before))) return stale('Webhook endpoint', before.id);
  const moved = url !== undefined && (url !== before.url || query?.digest !== before.query?.digest);
  const endpoint = {
    ...(url === undefined ? before : addressed(before, { url, ...(query && { query }) })),
    description: description ?? before.description,
    events: events ?? before.events,
    // Another address has failed nothing yet.
    failingSince: moved ? null : before.failingSince,
    updatedAt: at,
  };
  if (enabled === true && before.disabled) return saved(partition, { ...endpoint, disabled: null, failingSince: null });
  if (enabled === false && !before.disabled) {
    return told(disable(partition, endpoint, 'user', at));
  }
  return saved(partition, endpoint);
}

/** Seals what an earlier version kept in clear. An endpoint that has changed meanwhile is left to the next start. */
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

/** The endpoint at another address, without the query of the one before. */
function addressed({ query: _, ...endpoint }: WebhookEndpointRecord, address: WebhookAddress): WebhookEndpointRecord {
  return { ...endpoint, ...address };
}

/** Puts a new text in place of the current one, which signs on for `overlapMs` beside it; 0 ends it and all older ones. */
function rotate(
  partition: Partition,
  endpoint: WebhookEndpointRecord,
  { sealed, overlapMs }: Named<'rotateWebhookEndpointSecret'>,
  at: number,
): CommandResult {
  const older = overlapMs > 0 ? endpoint.previous.filter(({ until }) => until > at) : [];
  if (older.length + 2 > mostTexts) {
    return conflict(`At most ${mostTexts} secrets of an endpoint sign at a time. Rotate without overlap.`);
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

/** Sends again what was made from `from` on and before `to`; what waits to be sent anyway stays as it is. */
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
  return told(endpoint);
}

function told(endpoint: WebhookEndpointRecord): CommandResult {
  return { ok: true, value: { ...webhookEndpointResponse(endpoint), digest: webhookEndpointDigest(endpoint) } };
}

function disabledConflict(): CommandResult {
  return conflict('The webhook endpoint is disabled. Enable it first.');
}

function conflict(message: string): CommandResult {
  return { ok: false, kind: 'conflict', message };
}
