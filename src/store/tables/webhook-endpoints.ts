/**
 * Endpoints of outgoing webhooks, by id and by organization. Secrets of endpoints are stored sealed. Only the worker
 * that signs deliveries opens these secrets.
 */
import { digestOf } from '../../foundation/etag.ts';
import type { WebhookEndpointRecord, WebhookFilters } from '../../protocol/webhooks.ts';
import type { Partition } from '../partition.ts';
import { shownAddress } from './webhook-addresses.ts';

export function readWebhookEndpoint(partition: Partition, id: string): WebhookEndpointRecord | undefined {
  return partition.tables.webhookEndpoints.get(id);
}

export function writeWebhookEndpoint(partition: Partition, endpoint: WebhookEndpointRecord): void {
  partition.tables.webhookEndpoints.putSync(endpoint.id, endpoint);
  partition.tables.webhookEndpointsByOrganization.putSync([endpoint.orgId, endpoint.id], true);
}

/** Removes an endpoint, but not its deliveries, which are removed separately. */
export function removeWebhookEndpoint(partition: Partition, { id, orgId }: WebhookEndpointRecord): void {
  partition.tables.webhookEndpoints.removeSync(id);
  partition.tables.webhookEndpointsByOrganization.removeSync([orgId, id]);
}

/** Returns the endpoints of an organization, ordered by id. If `orgId` is null, returns those of all organizations. */
export function listWebhookEndpoints(partition: Partition, orgId: string | null): WebhookEndpointRecord[] {
  const { webhookEndpoints, webhookEndpointsByOrganization } = partition.tables;
  if (orgId === null) return [...webhookEndpoints.getRange({})].map((row) => row.value as WebhookEndpointRecord);
  const keys = webhookEndpointsByOrganization.getKeys({ start: [orgId, ''], end: [orgId, '\uffff'] });
  return [...keys].flatMap((key) => readWebhookEndpoint(partition, (key as string[])[1] as string) ?? []);
}

/**
 * Returns the values to which the seal binds an endpoint's secrets. A sealed secret can be opened only with the same
 * values. A secret that is copied to another endpoint or organization therefore cannot be opened.
 */
export function sealedForEndpoint({ id, orgId }: Pick<WebhookEndpointRecord, 'id' | 'orgId'>): string[] {
  return ['webhook endpoint', id, orgId];
}

/** Converts an endpoint to its form in API replies. The form omits the secret, and the query of the address. */
export function webhookEndpointResponse(endpoint: WebhookEndpointRecord): Record<string, unknown> & { id: string } {
  const { id, orgId, description, events, disabled, previous, failingSince, createdAt, updatedAt } = endpoint;
  const last = previous.reduce((latest, { until }) => Math.max(latest, until), 0);
  return {
    id,
    orgId,
    url: shownAddress(endpoint),
    description,
    events,
    ...shownFilters(endpoint),
    enabled: disabled === null,
    disabledReason: disabled?.reason ?? null,
    disabledAt: toTime(disabled?.at),
    failingSince: toTime(failingSince),
    overlapEndsAt: toTime(last || null),
    createdAt: toTime(createdAt),
    updatedAt: toTime(updatedAt),
  };
}

/** Returns the filters that are set. An endpoint without filters has the same reply as in earlier versions. */
function shownFilters({ personas, channels, repositories }: WebhookFilters): WebhookFilters {
  return {
    ...(personas?.length && { personas }),
    ...(channels?.length && { channels }),
    ...(repositories?.length && { repositories }),
  };
}

/**
 * Returns the validator (ETag) of the content of `webhookEndpointResponse`. The list of fields is fixed, so that
 * replays by later versions of Tidings compute the same digests. Filters are included if there are any.
 */
export function webhookEndpointDigest(endpoint: WebhookEndpointRecord): string {
  const { id, orgId, query, description, events, disabled, previous, failingSince, createdAt, updatedAt } = endpoint;
  const url = query === undefined ? endpoint.url : [endpoint.url, query.digest];
  const off = disabled && [disabled.reason, disabled.at];
  const overlaps = previous.map(({ until }) => until);
  const filters = shownFilters(endpoint);
  const filtered = Object.keys(filters).length > 0 ? [filters] : [];
  return digestOf(
    JSON.stringify([
      id,
      orgId,
      url,
      description,
      events,
      off,
      overlaps,
      failingSince,
      createdAt,
      updatedAt,
      ...filtered,
    ]),
  );
}

function toTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
