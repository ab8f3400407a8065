/**
 * Creates webhook endpoints and rotates their secrets. The secret is generated here. The address is checked, but its
 * host name is not resolved. The secret is sealed, and so is the query of the address. Only the sealed values are
 * written to the journal.
 */
import { randomBytes } from 'node:crypto';
import { targetFault } from '../egress/target.ts';
import { invalid } from '../foundation/errors.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import {
  type WebhookEndpointRecord,
  type WebhookEvent,
  type WebhookFilters,
  webhookEvents,
} from '../protocol/webhooks.ts';
import type { Partition } from '../store/partition.ts';
import { readDirectoryRepository } from '../store/tables/directory.ts';
import { isMasked, sealAddress, shownAddress, type WebhookAddress } from '../store/tables/webhook-addresses.ts';
import { sealedForEndpoint } from '../store/tables/webhook-endpoints.ts';
import { type ApiContext, runCommand, type Use } from './context.ts';

/** The properties of an endpoint to create. */
export interface WantedEndpoint extends WebhookFilters {
  orgId: string;
  url: string;
  /** Names of the events to send; undefined = all events. */
  events: readonly WebhookEvent[] | undefined;
  description: string | undefined;
}

/** The reply about an endpoint, and the secret of the endpoint. The secret cannot be read again later. */
export interface WrittenEndpoint {
  value: Record<string, unknown> & { id: string };
  secret: string;
  /**
   * Whether an earlier request with the same Idempotency-Key wrote the endpoint. If so, only the reply to that earlier
   * request contained the valid secret.
   */
  replayed: boolean;
}

/** A stored result. Its digest is the ETag of replies to PATCH. Other replies do not contain the digest. */
type Stored = WrittenEndpoint['value'] & { digest: string };

/** Length of a secret in bytes. Standard Webhooks requires 24 to 64. */
const secretBytes = 32;

/**
 * Creates an endpoint.
 * @throws ServiceError `notFound` for an unknown organization, `conflict` when the organization has the maximum number
 * of endpoints
 */
export async function createWebhookEndpoint(
  context: ApiContext,
  { orgId, url, events = webhookEvents, description = '', ...filters }: WantedEndpoint,
  use?: Use,
): Promise<WrittenEndpoint> {
  const id = newId('ep', 0);
  const secret = newSecret();
  const endpoint: WebhookEndpointRecord = {
    id,
    orgId,
    ...sealAddress(context.sealer, { id, orgId }, url),
    description: description.toWellFormed(),
    events: [...events],
    ...filters,
    disabled: null,
    sealed: context.sealer.seal(secret, sealedForEndpoint({ id, orgId })),
    previous: [],
    failingSince: null,
    createdAt: 0,
    updatedAt: 0,
  };
  const maxEndpoints = context.settings.maxWebhookEndpoints;
  const command = { name: 'createWebhookEndpoint', endpoint, most: maxEndpoints } as const;
  const { digest: _, ...value } = await runCommand<Stored>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * Generates a new secret for an endpoint. For `overlapMs`, deliveries are signed with both the old and the new secret.
 * @throws ServiceError `notFound`, or `conflict` when too many old secrets are still in use
 */
export async function rotateWebhookEndpoint(
  context: ApiContext,
  endpoint: Pick<WebhookEndpointRecord, 'id' | 'orgId'>,
  overlapMs: number,
  use?: Use,
): Promise<WrittenEndpoint> {
  const secret = newSecret();
  const sealed = context.sealer.seal(secret, sealedForEndpoint(endpoint));
  const command = { name: 'rotateWebhookEndpointSecret', endpointId: endpoint.id, sealed, overlapMs } as const;
  const { digest: _, ...value } = await runCommand<Stored>(context, directoryName, command, use);
  return { value, secret, replayed: use?.replayed ?? false };
}

/**
 * Checks an address and returns its normalized form. The IP addresses that its host name resolves to are checked with
 * each delivery.
 * @throws ServiceError `invalid` when webhooks may not be sent to the address
 */
export function assertTarget({ settings }: ApiContext, url: string): string {
  const fault = targetFault(url, { allow: settings.egressAllow, allowHttp: settings.egressAllowHttp });
  if (fault !== undefined) throw invalid({ url: fault });
  if (new URL(url).hash !== '') throw invalid({ url: 'expected an address without a fragment (#)' });
  if (isMasked(url)) throw invalid({ url: 'expected the real query, got the placeholder "?…" that replies show' });
  return new URL(url).href;
}

/**
 * Checks the repositories of a filter. They must belong to the endpoint's organization, or be in the stored filter of
 * the endpoint. So a client can send a stored filter again after one of its repositories was erased.
 * @throws ServiceError `invalid`
 */
export function assertRepositories(
  directory: Partition,
  orgId: string,
  { repositories = [] }: WebhookFilters,
  stored: readonly string[] = [],
): void {
  const isOwn = (id: string): boolean =>
    slotOfId(id, 'repo') !== undefined && readDirectoryRepository(directory, id)?.orgId === orgId;
  const foreign = repositories.find((id) => !stored.includes(id) && !isOwn(id));
  if (foreign === undefined) return;
  throw invalid({ repositories: `expected ids of the organization's repositories, got ${JSON.stringify(foreign)}` });
}

/**
 * Returns the new address of an endpoint in its stored form. Returns undefined when the request does not change the
 * address. Such a request contains no address, or the address that replies show for the endpoint.
 * @throws ServiceError `invalid` when webhooks may not be sent to the address
 */
export function changedAddress(
  context: ApiContext,
  endpoint: WebhookEndpointRecord,
  url: string | undefined,
): WebhookAddress | undefined {
  if (url === undefined || url === shownAddress(endpoint)) return undefined;
  return sealAddress(context.sealer, endpoint, assertTarget(context, url));
}

function newSecret(): string {
  return `whsec_${randomBytes(secretBytes).toString('base64')}`;
}
