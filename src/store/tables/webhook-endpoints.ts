/**
 * Endpoints of outgoing webhooks, by id and by organisation. Secrets are sealed; only the worker that signs opens them.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { WebhookEndpointRecord } from '../../protocol/webhooks.ts';
import type { Partition } from '../partition.ts';
import { shownAddress } from './webhook-addresses.ts';

export function readWebhookEndpoint(partition: Partition, id: string): WebhookEndpointRecord | undefined {
  return partition.tables.webhookEndpoints.get(id);
}

export function writeWebhookEndpoint(partition: Partition, endpoint: WebhookEndpointRecord): void {
  partition.tables.webhookEndpoints.putSync(endpoint.id, endpoint);
  partition.tables.webhookEndpointsByOrganisation.putSync([endpoint.orgId, endpoint.id], true);
}

/** Removes an endpoint; its deliveries are another matter. */
export function removeWebhookEndpoint(partition: Partition, { id, orgId }: WebhookEndpointRecord): void {
  partition.tables.webhookEndpoints.removeSync(id);
  partition.tables.webhookEndpointsByOrganisation.removeSync([orgId, id]);
}

/** Endpoints of an organisation, or all of them for null, by id. */
export function listWebhookEndpoints(partition: Partition, orgId: string | null): WebhookEndpointRecord[] {
  const { webhookEndpoints, webhookEndpointsByOrganisation } = partition.tables;
  if (orgId === null) return [...webhookEndpoints.getRange({})].map((row) => row.value as WebhookEndpointRecord);
  const keys = webhookEndpointsByOrganisation.getKeys({ start: [orgId, ''], end: [orgId, '\uffff'] });
  return [...keys].flatMap((key) => readWebhookEndpoint(partition, (key as string[])[1] as string) ?? []);
}

/** What an endpoint's seals are bound to: moved to another endpoint or organisation they do not open. */
export function sealedForEndpoint({ id, orgId }: Pick<WebhookEndpointRecord, 'id' | 'orgId'>): string[] {
  return ['webhook endpoint', id, orgId];
}

/** An endpoint as the API answers it: everything but its secret and the query of its address. */
export function webhookEndpointResponse(endpoint: WebhookEndpointRecord): Record<string, unknown> & { id: string } {
  const { id, orgId, description, events, disabled, previous, failingSince, createdAt, updatedAt } = endpoint;
  const last = previous.reduce((latest, { until }) => Math.max(latest, until), 0);
  return {
    id,
    orgId,
    url: shownAddress(endpoint),
    description,
    events,
    enabled: disabled === null,
    disabledReason: disabled?.reason ?? null,
    disabledAt: toTime(disabled?.at),
    failingSince: toTime(failingSince),
    overlapEndsAt: toTime(last || null),
    createdAt: toTime(createdAt),
    updatedAt: toTime(updatedAt),
  };
}

/** Validator of what `webhookEndpointResponse` tells; of a fixed list of fields, for replays by later versions. */
export function webhookEndpointDigest(endpoint: WebhookEndpointRecord): string {
  const { id, orgId, query, description, events, disabled, previous, failingSince, createdAt, updatedAt } = endpoint;
  const url = query === undefined ? endpoint.url : [endpoint.url, query.digest];
  const off = disabled && [disabled.reason, disabled.at];
  const overlaps = previous.map(({ until }) => until);
  return digestOf(
    JSON.stringify([id, orgId, url, description, events, off, overlaps, failingSince, createdAt, updatedAt]),
  );
}

function toTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
